package report

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"foretell/claim"
	"foretell/internal/durable"
	"foretell/internal/exactjson"
	"foretell/internal/limit"
)

// Results are the published results of documents, in a folder such as docs/results. For
// each document the folder has NAME.json, which holds what was found, the figures
// NAME/*.svg and the page NAME.md. README.md is the page of all documents.
//
// Pages are rendered from the JSON files and the rows of the program. Ids, statements and
// quotations are the program's. A result is stale if the rule of its row, its training
// runs or [foretell/train.BitsVersion] have changed since; a page marks it and does not
// count it. A row without a result is marked as not run.
type Results struct {
	dir    string
	papers []claim.Paper
	found  map[string]*published // by the name of the document
}

// published is what NAME.json holds.
type published struct {
	Document string        `json:"document"`
	Profile  claim.Profile `json:"profile"`
	Setting  string        `json:"setting"`
	Machine  []Pair        `json:"machine"`
	Training period        `json:"training"` // of all models
	Results  []result      `json:"results"`
}

// result is what was found about one claim.
type result struct {
	Claim   claim.Claim `json:"claim"`   // without tables and data, and with at most one figure
	Version string      `json:"version"` // of the program
	Commit  string      `json:"commit"`  // of the program; empty if it is not recorded
	Date    string      `json:"date"`

	Seeds    string        `json:"seeds,omitempty"`
	Models   *claim.Models `json:"models,omitempty"` // nil if the row examines no trained model
	Training *period       `json:"training,omitempty"`
	Coarse   bool          `json:"coarse,omitempty"` // the figure has less detail than in the report
	LeftOut  *leftOut      `json:"left_out,omitempty"`
}

// period is the time of training on the clock; models trained at one time count once.
type period struct {
	Seconds float64 `json:"seconds"`
	AtLeast bool    `json:"at_least,omitempty"` // some model took several sessions, and only the last is counted
}

// leftOut is a figure that is too large to be published.
type leftOut struct {
	File string `json:"file"`
	Size int    `json:"size"` // bytes
}

// OpenResults reads the published results of documents from a folder, which may be
// missing.
func OpenResults(dir string, papers []claim.Paper) (*Results, error) {
	r := &Results{dir, papers, map[string]*published{}}
	for _, p := range papers {
		file := filepath.Join(dir, p.Name+".json")
		data, err := limit.ReadFile(file, "published results", mostLedger)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found := &published{}
		if err := exactjson.Unmarshal(data, found); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if err := found.check(p); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		r.found[p.Name] = found
	}
	return r, nil
}

// check returns what is wrong with the contents of a document's file.
func (d *published) check(p claim.Paper) error {
	if d.Document != p.Name {
		return fmt.Errorf("it has the results of %q", d.Document)
	}
	if _, err := claim.ParseProfile(string(d.Profile)); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	if err := p.Offers(d.Profile); err != nil {
		return err
	}
	return Report{Claims: d.claims()}.check()
}

func (d *published) claims() (list []claim.Claim) {
	for _, x := range d.Results {
		list = append(list, x.Claim)
	}
	return list
}

// Add publishes the report in a folder, in place of the results that its document has so
// far. If they are of the same profile, results of rows that the report lacks stay. The
// folder is the report of one document, with its runs. commit is the commit of the
// program that wrote the report; it is used where the report does not record one, and may
// be empty.
func (r *Results) Add(folder, commit string) error {
	l, err := readLedger(folder)
	if err != nil {
		return err
	}
	p, profile, err := r.identify(l)
	if err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	d := &published{Document: p.Name, Profile: profile, Setting: l.Profile, Machine: l.machine()}
	figures := map[string][]byte{}
	var spans []claim.Span
	for _, row := range p.Rows(profile) {
		i := slices.IndexFunc(l.Claims, func(c claim.Claim) bool { return c.ID == row.ID })
		if i < 0 {
			d.keep(r.found[p.Name], row.ID)
			continue
		}
		x, trained, err := newResult(folder, row, l.Claims[i], l.origin(), commit)
		if err == nil {
			err = x.takeFigure(folder, p.Name, figures)
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", folder, row.ID, err)
		}
		d.Results = append(d.Results, x)
		spans = append(spans, trained...)
	}
	if took := during(spans); took.Seconds > d.Training.Seconds {
		d.Training = took
	}
	if err := d.check(p); err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	r.found[p.Name] = d
	return r.write(d, figures)
}

// keep keeps the earlier result of a row, if there is one of the same profile. With it
// stay the earlier time of training, and the machine that this time was measured on.
func (d *published) keep(earlier *published, id string) {
	if earlier == nil || earlier.Profile != d.Profile {
		return
	}
	i := slices.IndexFunc(earlier.Results, func(x result) bool { return x.Claim.ID == id })
	if i >= 0 {
		d.Results = append(d.Results, earlier.Results[i])
		d.Machine, d.Training = earlier.Machine, earlier.Training
	}
}

// Needed returns the ids of the rows for which the report in a folder has no result, or a
// stale one. The folder may be missing.
func (r *Results) Needed(folder, document string, profile claim.Profile) (ids []string, err error) {
	i := slices.IndexFunc(r.papers, func(p claim.Paper) bool { return p.Name == document })
	if i < 0 {
		return nil, fmt.Errorf("%q is not one of the documents", document)
	}
	if err := r.papers[i].Offers(profile); err != nil {
		return nil, err
	}
	l := &ledger{}
	if _, err := os.Stat(filepath.Join(folder, JSONFile)); err == nil {
		if l, err = readLedger(folder); err != nil {
			return nil, err
		}
		if p, of, err := r.identify(l); err != nil || p.Name != document || of != profile {
			return nil, fmt.Errorf("%s has a report on %s, %s profile (%v), want %s, %s profile",
				folder, p.Name, of, err, document, profile)
		}
	}
	for _, row := range r.papers[i].Rows(profile) {
		needed, err := isNeeded(folder, row, l.Claims)
		if err != nil {
			return nil, err
		}
		if needed {
			ids = append(ids, row.ID)
		}
	}
	return ids, nil
}

// isNeeded reports whether the claims of the report in a folder lack the row, or have a
// stale result of it.
func isNeeded(folder string, row claim.Row, claims []claim.Claim) (bool, error) {
	i := slices.IndexFunc(claims, func(c claim.Claim) bool { return c.ID == row.ID })
	if i < 0 {
		return true, nil
	}
	x, _, err := newResult(folder, row, claims[i], claim.Origin{}, "")
	if err != nil {
		return false, err
	}
	changes, err := x.changes(row)
	return len(changes) > 0, err
}

// readLedger reads the ledger of the report in a folder.
func readLedger(dir string) (*ledger, error) {
	l, err := (&folder{dir: dir}).ledger(nil)
	if err == nil && l == nil {
		err = fmt.Errorf("%s holds no report: %s is missing", dir, JSONFile)
	}
	return l, err
}

// identify returns the document and the profile of a ledger.
func (r *Results) identify(l *ledger) (claim.Paper, claim.Profile, error) {
	i := slices.IndexFunc(r.papers, func(p claim.Paper) bool { return p.Title == l.Title && p.Source == l.Source })
	if i < 0 {
		return claim.Paper{}, "", fmt.Errorf("its report %.100q is not on one of the documents", l.Title)
	}
	profile, err := claim.ParseProfile(firstWord.FindString(l.Profile))
	if err != nil {
		return claim.Paper{}, "", fmt.Errorf("its profile %.100q begins with no profile's name: %w", l.Profile, err)
	}
	return r.papers[i], profile, r.papers[i].Offers(profile)
}

var firstWord = regexp.MustCompile(`^\w+`)

// machine returns the part of the environment that is about the machine.
func (l *ledger) machine() (pairs []Pair) {
	for _, p := range l.Environment {
		if p.Name == "Go" || p.Name == "instruction set" || p.Name == "workers" {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// newResult returns the result of a row, still with all of its figures, and when its
// models were trained.
func newResult(
	folder string, row claim.Row, c claim.Claim, of claim.Origin, commit string,
) (x result, spans []claim.Span, err error) {
	if c.Before != nil {
		of = *c.Before
	}
	c.Before, c.Tables, c.Data, c.Contents = nil, nil, []string{}, nil
	x = result{Claim: c, Version: of.Version, Commit: cmp.Or(commitOf(of.Version), commit), Date: of.Date}
	if len(row.Trainings) == 0 {
		return x, nil, nil
	}
	models, spans, err := row.Finished(folder)
	x.Models = &models
	if errors.Is(err, fs.ErrNotExist) { // the row has other models now
		return x, nil, nil
	}
	took := during(spans)
	x.Training, x.Seeds = &took, seedsOf([]claim.Row{row})
	return x, spans, err
}

// pseudo matches the end of a version that Go derives from a commit:
// v0.0.0-20261123193327-047d4b145fdd, followed by +dirty if files had changes.
var pseudo = regexp.MustCompile(`\d{14}-([0-9a-f]{12})(\+dirty)?$`)

// commitOf returns the commit of a version, or "" if the version does not have it.
func commitOf(version string) string {
	match := pseudo.FindStringSubmatch(version)
	switch {
	case match == nil:
		return ""
	case match[2] != "":
		return match[1] + " with changes"
	}
	return match[1]
}

// during returns the length of the union of spans.
func during(spans []claim.Span) (p period) {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b claim.Span) int { return a.Began.Compare(b.Began) })
	var until time.Time
	for _, s := range spans {
		p.AtLeast = p.AtLeast || s.Sessions > 1
		from := s.Began
		if until.After(from) {
			from = until
		}
		if s.Ended.After(from) {
			p.Seconds += s.Ended.Sub(from).Seconds()
			until = s.Ended
		}
	}
	return p
}

// write writes the JSON file and the figures of a document, and removes the figures that
// no result has.
func (r *Results) write(d *published, figures map[string][]byte) error {
	text, err := indented(d, " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(r.dir, d.Document), 0o777); err != nil {
		return err
	}
	for name, data := range figures {
		if err := durable.WriteFile(filepath.Join(r.dir, filepath.FromSlash(name)), data); err != nil {
			return err
		}
	}
	old, err := filepath.Glob(filepath.Join(r.dir, d.Document, "*.svg"))
	for _, file := range old {
		name := path.Join(d.Document, filepath.Base(file))
		if !slices.ContainsFunc(d.Results, func(x result) bool { return slices.Contains(x.Claim.Figures, name) }) {
			err = errors.Join(err, os.Remove(file))
		}
	}
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(r.dir, d.Document+".json"), text)
}

// changes says what has changed since the result was found: nil if nothing has.
func (x *result) changes(row claim.Row) (list []string, err error) {
	if x.Claim.Expected != row.Expected || x.Claim.RuleCommit != row.RuleCommit {
		list = append(list, "its rule has changed")
	}
	if len(row.Trainings) == 0 && x.Models == nil {
		return list, nil
	}
	planned, err := row.Planned()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", row.ID, err)
	}
	switch {
	case len(row.Trainings) == 0 || x.Models == nil, x.Models.Hash != planned.Hash:
		list = append(list, "its training runs have changed")
	case x.Models.Engine != planned.Engine:
		list = append(list, fmt.Sprintf("its models were trained by engine %d, and this program has engine %d",
			x.Models.Engine, planned.Engine))
	}
	return list, nil
}

// entry is a row of the program with its result.
type entry struct {
	row     claim.Row
	result  *result  // nil if the row was not run
	changes []string // why the result is stale
}

// entries returns the rows of a document with their results.
func (r *Results) entries(p claim.Paper) (list []entry, err error) {
	d := r.found[p.Name]
	if d == nil {
		d = &published{Profile: claim.Full}
	}
	for _, row := range p.Rows(d.Profile) {
		e := entry{row: row}
		i := slices.IndexFunc(d.Results, func(x result) bool { return x.Claim.ID == row.ID })
		if i >= 0 {
			e.result = &d.Results[i]
			if e.changes, err = e.result.changes(row); err != nil {
				return nil, fmt.Errorf("%s: %w", p.Name, err)
			}
		}
		list = append(list, e)
	}
	return list, nil
}

// claim returns the claim with the result of an entry, and with the texts that the
// program has now, except for the rule by which the result was judged.
func (e entry) claim() claim.Claim {
	c := claim.Claim{}
	if e.result != nil {
		c = e.result.Claim
	}
	c.ID, c.Kind, c.Source, c.Quote, c.Statement = e.row.ID, e.row.Kind, e.row.Source, e.row.Quote, e.row.Statement
	c.StandsOn = e.row.StandsOn
	return c
}

// current reports whether an entry has a result that is not stale.
func (e entry) current() bool { return e.result != nil && len(e.changes) == 0 }

// counted returns the claims whose results are counted.
func counted(list []entry) (claims []claim.Claim) {
	for _, e := range list {
		if e.current() {
			claims = append(claims, e.claim())
		}
	}
	return claims
}

// idsIf returns the ids of the entries for which is is true.
func idsIf(list []entry, is func(entry) bool) (ids []string) {
	for _, e := range list {
		if is(e) {
			ids = append(ids, strings.TrimSpace(e.row.ID))
		}
	}
	return ids
}

func stale(e entry) bool  { return len(e.changes) > 0 }
func notRun(e entry) bool { return e.result == nil }
