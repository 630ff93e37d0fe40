// Package claimtest checks rules, rows and claims. The tests of every document use it.
package claimtest

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/internal/npz"
)

// Case is a measurement and the verdict that a rule must return for it.
type Case[M any] struct {
	Name string
	M    M
	Want claim.Verdict
}

// Rule tests a rule with cases, which must include at least one for each verdict that the
// rule can return.
func Rule[M any](t *testing.T, judge func(M) claim.Finding, verdicts []claim.Verdict, cases []Case[M]) {
	t.Helper()
	for _, c := range cases {
		found := judge(c.M)
		if found.Verdict != c.Want {
			t.Errorf("%s: %s, want %s (%s)", c.Name, found.Verdict, c.Want, found.Obtained)
		}
		if found.Obtained == "" {
			t.Errorf("%s: Obtained is empty", c.Name)
		}
		if err := found.Check(); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	for _, v := range verdicts {
		if !slices.ContainsFunc(cases, func(c Case[M]) bool { return c.Want == v }) {
			t.Errorf("no case has the verdict %q", v)
		}
	}
}

// Texts tests what rows state before they are tested: each has a unique id, a source, a
// statement, an expectation and a test. A row with a kind, such as a row of a published
// document, also quotes the document, and has a first rule if its rule was changed after
// a result was known.
func Texts(t *testing.T, rows []claim.Row) {
	t.Helper()
	seen := map[string]bool{}
	for _, row := range rows {
		if row.ID == "" || seen[row.ID] {
			t.Errorf("the id %q is empty or occurs twice", row.ID)
		}
		seen[row.ID] = true
		if row.Source == "" || row.Statement == "" || row.Expected == "" || row.Test == nil {
			t.Errorf("%s lacks a source, statement, expectation or test", row.ID)
		}
		if row.Kind != "" {
			if err := checkText(row); err != nil {
				t.Errorf("%s %v", row.ID, err)
			}
		}
	}
}

// commitHash matches a valid Row.RuleCommit.
var commitHash = regexp.MustCompile(`^[0-9a-f]{7,40}$`)

// checkText returns an error if the kind, quote, rule commit or StandsOn of a row with a
// kind is invalid.
func checkText(row claim.Row) error {
	switch {
	case !slices.Contains(claim.Kinds, row.Kind):
		return fmt.Errorf("has the unknown kind %q", row.Kind)
	case row.Quote == "":
		return errors.New("has an empty quote")
	case row.RuleCommit != "" && !commitHash.MatchString(row.RuleCommit):
		return fmt.Errorf("has the rule commit %q, which is not a commit hash", row.RuleCommit)
	case slices.Contains(row.StandsOn, row.ID):
		return errors.New("lists itself in StandsOn")
	case !row.ChangedAfterResult && (row.First.Commit != "" || row.First.Text != ""):
		return errors.New("has a first rule, and the present rule is not changed after a result")
	case row.ChangedAfterResult && !commitHash.MatchString(row.First.Commit):
		return fmt.Errorf("has the first rule's commit %q, which is not a commit hash", row.First.Commit)
	case row.ChangedAfterResult:
		return row.First.Check()
	}
	return nil
}

// Claim tests the claim that resulted from a row: its texts, its tables, and its files in
// the folder dir, which must include at least one figure and one data file. The claim
// must pass [claim.Claim.Check].
func Claim(t *testing.T, dir string, row claim.Row, c claim.Claim) {
	t.Helper()
	if !fixed(row, c) {
		t.Errorf("row %s: the claim %s differs from its row in a field that the row fixes", row.ID, c.ID)
	}
	if err := c.Check(); err != nil {
		t.Errorf("%s: %v", c.ID, err)
	}
	if c.Obtained == "" {
		t.Errorf("%s: Obtained is empty", c.ID)
	}
	if len(c.Figures) == 0 || len(c.Data) == 0 {
		t.Errorf("%s: figures %v, data %v; want at least one of each", c.ID, c.Figures, c.Data)
	}
	for i, caption := range c.Captions {
		if len(caption) < 50 {
			t.Errorf("%s: the caption of %s is too short: %q", c.ID, c.Figures[i], caption)
		}
	}
	for _, path := range slices.Concat(c.Figures, c.Data) {
		if err := checkFile(filepath.Join(dir, path)); err != nil {
			t.Errorf("%s: %s: %v", c.ID, path, err)
		}
	}
	checkTables(t, c)
	if c.Verdict == claim.Corrected {
		checkSeverity(t, c)
	}
}

// leastCorrected is the smallest effect of an error of the source that a claim may
// report: smaller numbers are of rounding, and not of the error.
const leastCorrected = 1e-6

func checkSeverity(t *testing.T, c claim.Claim) {
	t.Helper()
	if c.Kind != "" && c.Severity == "" {
		t.Errorf("%s corrects the source and has no severity", c.ID)
	}
	if c.Effect == nil {
		t.Errorf("%s corrects the source and does not show what the error costs", c.ID)
	} else if math.Abs(c.Effect.Estimate) < leastCorrected {
		t.Errorf("%s corrects the source, and its effect is %g, want what the error costs", c.ID, c.Effect.Estimate)
	}
}

// Published tests the rows of a published document as [Texts] does, and that each row has
// a kind.
func Published(t *testing.T, rows []claim.Row) {
	t.Helper()
	Texts(t, rows)
	for _, row := range rows {
		if row.Kind == "" {
			t.Errorf("%s has no kind", row.ID)
		}
	}
}

// fixed reports whether a claim repeats the fields that its row fixes.
func fixed(row claim.Row, c claim.Claim) bool {
	return c.ID == row.ID && c.Kind == row.Kind && c.Source == row.Source && c.Quote == row.Quote &&
		c.Statement == row.Statement && c.Expected == row.Expected && slices.Equal(c.StandsOn, row.StandsOn) &&
		c.RuleCommit == row.RuleCommit && c.ChangedAfterResult == row.ChangedAfterResult &&
		c.Setting == row.Setting && (c.FirstRule != nil) == (row.First.Commit != "")
}

// Verdicts tests rows in a new study. Each row must get the verdict that the map has for
// its id, and a claim that passes [Claim].
func Verdicts(t *testing.T, rows []claim.Row, want map[string]claim.Verdict) {
	t.Helper()
	s := &claim.Study{Out: t.TempDir(), Workers: 2}
	claims, err := s.Reproduce(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range claims {
		if c.Verdict != want[c.ID] {
			t.Errorf("%s: %s, want %s: %s", c.ID, c.Verdict, want[c.ID], c.Obtained)
		}
		Claim(t, s.Out, rows[i], c)
	}
}

func checkTables(t *testing.T, c claim.Claim) {
	t.Helper()
	for _, table := range c.Tables {
		if table.Title == "" || len(table.Rows) == 0 {
			t.Errorf("%s: table %q has %d rows, want a title and at least one row", c.ID, table.Title, len(table.Rows))
		}
		for _, row := range table.Rows {
			if slices.Contains(row, "NaN") {
				t.Errorf("%s: table %q has NaN in the row %q", c.ID, table.Title, row)
			}
		}
	}
}

// checkFile returns an error if a figure or data file is malformed.
func checkFile(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	switch filepath.Ext(path) {
	case ".svg":
		return checkSVG(data)
	case ".csv":
		return checkCSV(data)
	case ".npz":
		return checkNPZ(data)
	case ".txt", ".md", ".tex", ".html": // a forward pass explained by package walk
		if len(data) < 1000 {
			return errors.New("is too short for a walk")
		}
		return nil
	}
	return errors.New("has an unknown extension")
}

// checkSVG returns an error unless data is a complete SVG document without NaN or
// infinity in its attributes.
func checkSVG(data []byte) error {
	decoder, root := xml.NewDecoder(bytes.NewReader(data)), ""
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if root == "" {
			root = start.Name.Local
		}
		for _, a := range start.Attr {
			if a.Name.Local != "href" && (strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf")) {
				return fmt.Errorf("holds <%s %s=%q>", start.Name.Local, a.Name.Local, a.Value)
			}
		}
	}
	if root != "svg" {
		return fmt.Errorf("has the root element <%s>, want <svg>", root)
	}
	return nil
}

func checkNPZ(data []byte) error {
	arrays, err := npz.Read(data)
	if err != nil {
		return err
	}
	if len(arrays) == 0 {
		return errors.New("has no arrays")
	}
	for _, a := range arrays {
		floats, _ := a.Data.([]float32)
		if slices.ContainsFunc(floats, func(x float32) bool { return math.IsNaN(float64(x)) }) {
			return fmt.Errorf("holds NaN in %s", a.Name)
		}
	}
	return nil
}

// checkCSV returns an error unless the table has a header and all other cells are
// numbers.
func checkCSV(data []byte) error {
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return err
	}
	if len(rows) < 2 {
		return errors.New("has no rows after the header")
	}
	for _, row := range rows[1:] {
		for i, cell := range row {
			if x, err := strconv.ParseFloat(cell, 64); err != nil || math.IsNaN(x) {
				return fmt.Errorf("holds %q in column %s", cell, rows[0][i])
			}
		}
	}
	return nil
}

// Timeless returns claims as JSON, with the times set to zero.
func Timeless(t *testing.T, claims []claim.Claim) string {
	t.Helper()
	claims = slices.Clone(claims)
	for i := range claims {
		claims[i].Seconds = 0
	}
	text, err := json.MarshalIndent(claims, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
