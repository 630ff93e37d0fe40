package report

import (
	"bytes"
	"encoding/json"
	"fmt"

	"foretell/claim"
)

// ledger is the JSON form of a report.
type ledger struct {
	Title       string        `json:"title"`
	Source      string        `json:"source"`
	Profile     string        `json:"profile"`
	Environment []Pair        `json:"environment"`
	Claims      []claim.Claim `json:"claims"`
	Pending     []string      `json:"pending"`
	Report      string        `json:"report"`
}

// JSON returns the ledger as one JSON object with the fields title, source, profile,
// environment, claims and pending of [Report], and with path as the field report. An
// empty list is [], never null. [Write] passes [HTMLFile] as the path, since both are in
// one folder.
func (r Report) JSON(path string) ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	l := ledger{
		Title: r.Title, Source: r.Source, Profile: r.Profile,
		Environment: r.Environment, Claims: r.Claims, Pending: r.Pending,
		Report: path,
	}
	return indented(l.whole(), "  ")
}

// indented returns x as JSON, one field a line, with inequalities as they are.
func indented(x any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(x); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return b.Bytes(), nil
}

// list returns s, or an empty slice for nil.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
