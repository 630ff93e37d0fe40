package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"foretell/claim"
	"foretell/internal/golden"
	"foretell/model"
	"foretell/process"
	"foretell/train"
)

// madePaper is the document of the claims of made, with one more row.
func madePaper() claim.Paper {
	return claim.Paper{
		Name: "made-up", Title: made().Title, Source: made().Source,
		Rows: func(claim.Profile) (rows []claim.Row) {
			for _, c := range append(made().Claims, claim.Claim{ID: "M99", Statement: "One more", Expected: "anything"}) {
				rows = append(rows, claim.Row{
					ID: c.ID, Kind: c.Kind, Source: c.Source, Quote: c.Quote, Statement: c.Statement, Expected: c.Expected,
					RuleCommit: c.RuleCommit, StandsOn: c.StandsOn,
				})
			}
			return rows
		},
	}
}

// The pages of results with every verdict, a stale one and a missing one.
func TestPagesOfResults(t *testing.T) {
	d := &published{
		Document: "made-up", Profile: claim.Quick, Setting: "quick profile: short", Machine: []Pair{{"Go", "go1.26"}, {"workers", "2"}},
		Training: period{Seconds: 5400, AtLeast: true},
	}
	for _, c := range made().Claims {
		c.Figures, c.Captions, c.Data = c.Figures[:min(1, len(c.Figures))], c.Captions[:min(1, len(c.Captions))], nil
		d.Results = append(d.Results, result{Claim: c, Version: "v1", Commit: "0123456789ab", Date: "2026-11-23"})
	}
	d.Results[3].Claim.Expected = "another rule"
	d.Results[1].LeftOut = &leftOut{"figures/large.svg", 100 << 10}
	d.Results[0].Coarse = true
	other := claim.Paper{Name: "other", Title: "Another document", Source: "Somebody 2025", Rows: madePaper().Rows}
	r := &Results{papers: []claim.Paper{madePaper(), other}, found: map[string]*published{"made-up": d}}
	pages, err := r.Pages()
	if err != nil || len(pages) != 2 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for name, page := range pages {
		golden.Compare(t, filepath.Join("testdata", "golden", "results-"+name), string(page))
	}
}

// row1 is a row of a document with a figure, which one tiny model is trained for.
func row1(seed uint64) claim.Row {
	row := said("M1", "one")
	row.Trainings = []claim.Training{{
		Name: fmt.Sprintf("tiny-seed%d", seed), Label: "tiny",
		Config: train.Config{
			Process: process.Spec{Name: "periodic", Params: process.Params{"pattern": "AB"}},
			Model:   model.Config{DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: 3},
			Train:   train.Options{Seed: seed, BatchSize: 4, NumSteps: 4, LR: 0.01},
		},
	}}
	return row
}

// paperOf is the document of theirs with other rows.
func paperOf(rows ...claim.Row) claim.Paper {
	return claim.Paper{
		Name: "doc", Title: "A document", Source: "Somebody 2025",
		Rows: func(claim.Profile) []claim.Row { return slices.Clone(rows) },
	}
}

// reopened returns the page of the results in a folder, by a program with other rows.
func reopened(t *testing.T, dir string, rows ...claim.Row) string {
	t.Helper()
	r, err := OpenResults(dir, []claim.Paper{paperOf(rows...)})
	if err != nil {
		t.Fatal(err)
	}
	pages, err := r.Pages()
	if err != nil {
		t.Fatal(err)
	}
	return string(pages["doc.md"])
}

// publishedReport publishes the report of two rows.
func publishedReport(t *testing.T) (dir string) {
	t.Helper()
	report, dir := t.TempDir(), filepath.Join(t.TempDir(), "results")
	mustReproduce(t, report, "c", []claim.Row{row1(7), said("M2", "two")})
	r, err := OpenResults(dir, []claim.Paper{paperOf(row1(7), said("M2", "two"))})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Add(report, "abc1234"); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A result is stale if its rule or its models have changed, and a row without a result
// is not run. Neither is counted. Other texts change without that.
func TestStaleResults(t *testing.T) {
	dir := publishedReport(t)
	two := said("M2", "two")
	rule, commit, statement := two, two, two
	rule.Expected, commit.RuleCommit, statement.Statement = "another text", "1234567", "It says so in other words."
	trained := two
	trained.Trainings = row1(7).Trainings
	const verdicts = "**2 claims: 2 hold**"
	for _, test := range []struct {
		name string
		rows []claim.Row
		want []string
	}{
		{"nothing has changed", []claim.Row{row1(7), two}, []string{verdicts, "Models: 1 training run, seed 7; trained in", "commit abc1234"}},
		{"a statement", []claim.Row{row1(7), statement}, []string{verdicts, "**It says so in other words.**"}},
		{"a rule", []claim.Row{row1(7), rule}, []string{"**1 claim: 1 holds**", "**stale**: its rule has changed.", "**stale (holds)**", "Rule: a text"}},
		{"a rule's commit", []claim.Row{row1(7), commit}, []string{"**1 claim: 1 holds**", "**stale**: its rule has changed."}},
		{"a seed", []claim.Row{row1(8), two}, []string{"**1 claim: 1 holds**", "**stale**: its training runs have changed."}},
		{"training where none was", []claim.Row{row1(7), trained}, []string{"**stale**: its training runs have changed."}},
		{"no training where some was", []claim.Row{said("M1", "one"), two}, []string{"**stale**: its training runs have changed."}},
		{"a new row", []claim.Row{row1(7), two, said("M3", "three")}, []string{verdicts, "**Not run**: M3.", "| [M3](#m3) | It says so. | not run |"}},
		{"a removed row", []claim.Row{row1(7)}, []string{"**1 claim: 1 holds**"}},
	} {
		page := reopened(t, dir, test.rows...)
		for _, want := range test.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page lacks %q:\n%s", test.name, want, page)
			}
		}
		if removed := len(test.rows) == 1; strings.Contains(page, "M2") == removed {
			t.Errorf("%s: the page has M2, or lacks it:\n%s", test.name, page)
		}
		isStale := strings.Contains(strings.Join(test.want, ""), "stale")
		if strings.Contains(page, "stale") != isStale {
			t.Errorf("%s: stale, or not:\n%s", test.name, page)
		}
	}
}

// A result of another engine is stale.
func TestResultsOfAnotherEngine(t *testing.T) {
	dir := publishedReport(t)
	file := filepath.Join(dir, "doc.json")
	text := read(t, file)
	engine := fmt.Sprintf(`"engine": %d`, train.BitsVersion)
	if strings.Count(text, engine) != 1 {
		t.Fatalf("want one %s in %s", engine, text)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(text, engine, `"engine": 99`, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("**stale**: its models were trained by engine 99, and this program has engine %d.", train.BitsVersion)
	if page := reopened(t, dir, row1(7), said("M2", "two")); !strings.Contains(page, want) {
		t.Errorf("the page lacks %q:\n%s", want, page)
	}
}

// Publishing a report again leaves the same files, without figures of earlier results.
func TestPublishedFiles(t *testing.T) {
	dir := publishedReport(t)
	if err := os.WriteFile(filepath.Join(dir, "doc", "M5-old.svg"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	again := t.TempDir()
	mustReproduce(t, again, "c", []claim.Row{said("M2", "two")})
	r, err := OpenResults(dir, []claim.Paper{paperOf(row1(7), said("M2", "two"))})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Add(again, ""); err != nil {
		t.Fatal(err)
	}
	var names []string
	for path := range tree(t, dir) {
		name, _ := filepath.Rel(dir, path)
		names = append(names, filepath.ToSlash(name))
	}
	if slices.Sort(names); !slices.Equal(names, []string{"doc.json", "doc/M1-a.svg", "doc/M2-a.svg"}) {
		t.Errorf("the folder has %q", names)
	}
	// The row that the second report lacks keeps its result, with its commit and time.
	page := reopened(t, dir, row1(7), said("M2", "two"))
	for _, want := range []string{
		"**2 claims: 2 hold**", "Models: 1 training run",
		"Computed M1 at commit abc1234 and the others by a program that does not record its commit.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
}

// Add refuses a folder without a report, and a report on another document.
func TestAddRefuses(t *testing.T) {
	report := t.TempDir()
	mustReproduce(t, report, "c", []claim.Row{said("M1", "one")})
	other, unknown := paperOf(said("M1", "one")), paperOf(said("M1", "one"))
	other.Title = "Another document"
	noProfile := t.TempDir()
	r := theirs("c")
	r.Profile = "short: seconds"
	if _, err := Write(noProfile, r); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		folder string
		paper  claim.Paper
		want   string
	}{
		{t.TempDir(), unknown, "holds no report: claims.json is missing"},
		{report, other, `its report "A document" is not on one of the documents`},
		{noProfile, unknown, `its profile "short: seconds" begins with no profile's name`},
	} {
		dir := filepath.Join(t.TempDir(), "results")
		results, err := OpenResults(dir, []claim.Paper{test.paper})
		if err == nil {
			err = results.Add(test.folder, "")
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: something was written", test.want)
		}
	}
}

func TestDuring(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	span := func(from, to, sessions int) claim.Span {
		return claim.Span{Began: at(from), Ended: at(to), Sessions: sessions}
	}
	for _, test := range []struct {
		spans []claim.Span
		want  period
	}{
		{nil, period{}},
		{[]claim.Span{span(5, 9, 1)}, period{4, false}},
		{[]claim.Span{span(5, 9, 1), span(1, 6, 1)}, period{8, false}},
		{[]claim.Span{span(1, 9, 1), span(2, 3, 1), span(8, 10, 1)}, period{9, false}},
		{[]claim.Span{span(1, 2, 1), span(4, 5, 2)}, period{2, true}},
		{[]claim.Span{span(9, 2, 1)}, period{}},
	} {
		if got := during(test.spans); got != test.want {
			t.Errorf("%v: %v, want %v", test.spans, got, test.want)
		}
	}
}

func TestCommitOf(t *testing.T) {
	for version, want := range map[string]string{
		"(devel)": "", "v1.2.3": "", "v0.0.0-20261123193327-047d4b145fdd": "047d4b145fdd",
		"v0.0.0-20261123193327-047d4b145fdd+dirty": "047d4b145fdd with changes",
		"v1.2.4-0.20261123193327-047d4b145fdd":     "047d4b145fdd",
	} {
		if got := commitOf(version); got != want {
			t.Errorf("%s: %q, want %q", version, got, want)
		}
	}
}

// Needed are the rows of which a report has no result, or a stale one.
func TestNeeded(t *testing.T) {
	folder := t.TempDir()
	mustReproduce(t, folder, "c", []claim.Row{row1(7), said("M2", "two")})
	changed := said("M2", "two")
	changed.Expected = "another text"
	for _, test := range []struct {
		folder string
		rows   []claim.Row
		want   string
	}{
		{folder, []claim.Row{row1(7), said("M2", "two")}, ""},
		{folder, []claim.Row{row1(7), changed}, "M2"},
		{folder, []claim.Row{row1(8), said("M2", "two"), said("M3", "three")}, "M1 M3"},
		{filepath.Join(folder, "none"), []claim.Row{row1(7), changed}, "M1 M2"},
	} {
		r := &Results{papers: []claim.Paper{paperOf(test.rows...)}}
		ids, err := r.Needed(test.folder, "doc", claim.Quick)
		if got := strings.Join(ids, " "); err != nil || got != test.want {
			t.Errorf("%q, %v, want %q", got, err, test.want)
		}
	}
	r := &Results{papers: []claim.Paper{paperOf(changed)}}
	for _, refused := range []func() ([]string, error){
		func() ([]string, error) { return r.Needed(folder, "other", claim.Quick) },
		func() ([]string, error) { return r.Needed(folder, "doc", claim.Full) },
	} {
		if ids, err := refused(); err == nil {
			t.Errorf("%q, want an error", ids)
		}
	}
}
