package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/figure"
	"foretell/internal/durable"
	"foretell/internal/needs"
)

// said is a row that draws what it is told to say; see [sayRows].
func said(id, text string) claim.Row {
	steps := claim.Steps[string]{
		Measure: func(context.Context, *claim.Study) (string, error) { return text, nil },
		Judge:   func(text string) claim.Finding { return claim.Finding{Verdict: claim.Holds, Obtained: text} },
		Draw: func(text string, out *claim.Output) {
			series := figure.Series{X: []float64{0, 1}, Y: []float64{0, float64(len(text))}}
			out.Captioned("a", "What was said.", figure.Single(id+" "+text, "A line.", figure.Chart{Series: []figure.Series{series}}))
			out.File("b.txt", []byte(text))
		},
	}
	return claim.Row{ID: id, Source: "p. 1", Statement: "It says so.", Expected: "a text", Test: steps.Test}
}

// sayRows are rows of the made-up document that all say a text.
func sayRows(text string, ids ...string) (rows []claim.Row) {
	for _, id := range ids {
		rows = append(rows, said(id, text))
	}
	return rows
}

// theirs is the report of a command on the made-up document, of rows M1 to M5.
func theirs(command string) Report {
	return Report{
		Title: "A document", Source: "Somebody 2025", Profile: "quick", Order: []string{"M1", "M2", "M3", "M4", "M5"},
		Environment: []Pair{{versionName, "v1"}, {commandName, command}, {dateName, "on " + command}},
	}
}

func mustReproduce(t *testing.T, dir, command string, rows []claim.Row) {
	t.Helper()
	claims, path, err := Reproduce(t.Context(), &claim.Study{Out: dir}, rows, theirs(command))
	if err != nil || len(claims) != len(rows) || path != filepath.Join(dir, HTMLFile) {
		t.Fatalf("%d claims, path %q, %v", len(claims), path, err)
	}
}

// tree returns the contents of all files below a folder, by path.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func wantTree(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := tree(t, dir)
	if !maps.Equal(got, want) {
		for path := range got {
			if got[path] != want[path] {
				t.Errorf("%s has changed, or is new", path)
			}
		}
		for path := range want {
			if _, ok := got[path]; !ok {
				t.Errorf("%s is gone", path)
			}
		}
	}
}

// rowsOf says what stands in a folder's ledger: "M1=text M2=text@command", with the
// command of rows of before, and pending ones as "M3?".
func rowsOf(t *testing.T, dir string) string {
	t.Helper()
	var l ledger
	if err := json.Unmarshal([]byte(read(t, filepath.Join(dir, JSONFile))), &l); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, c := range l.Claims {
		text := c.ID + "=" + c.Obtained
		if c.Before != nil {
			if c.Before.Date != "on "+c.Before.Command || c.Before.Version != "v1" {
				t.Errorf("%s is of %+v", c.ID, c.Before)
			}
			text += "@" + c.Before.Command
		}
		for _, path := range append(c.Figures, c.Data...) {
			data := read(t, filepath.Join(dir, path))
			if !strings.Contains(data, c.Obtained) {
				t.Errorf("%s is not that of the claim", path)
			}
		}
		list = append(list, text)
	}
	for _, id := range l.Pending {
		list = append(list, id+"?")
	}
	for _, name := range []string{HTMLFile, MarkdownFile} {
		for _, c := range l.Claims {
			if !strings.Contains(read(t, filepath.Join(dir, name)), c.Obtained) {
				t.Errorf("%s lacks %s", name, c.ID)
			}
		}
	}
	return strings.Join(list, " ")
}

func wantRows(t *testing.T, dir, want string) {
	t.Helper()
	if got := rowsOf(t, dir); got != want {
		t.Errorf("the report has %s, want %s", got, want)
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			t.Errorf("%s is left", e.Name())
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// A command of some rows adds to the report that is there, and replaces in it; what it
// does not test stays, with the command that found it.
func TestReproduceKeepsOtherRows(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	mustReproduce(t, dir, "first", sayRows("one", "M1", "M2", "M4"))
	wantRows(t, dir, "M1=one M2=one M4=one")
	mustReproduce(t, dir, "second", sayRows("two", "M2"))
	wantRows(t, dir, "M1=one@first M2=two M4=one@first")
	mustReproduce(t, dir, "third", sayRows("three", "M3", "M4"))
	wantRows(t, dir, "M1=one@first M2=two@second M3=three M4=three")
	mustReproduce(t, dir, "fourth", sayRows("four", "M1", "M2", "M3", "M4"))
	wantRows(t, dir, "M1=four M2=four M3=four M4=four")

	fresh := filepath.Join(t.TempDir(), "out")
	mustReproduce(t, fresh, "fourth", sayRows("four", "M1", "M2", "M3", "M4"))
	for path, want := range tree(t, fresh) {
		below, _ := filepath.Rel(fresh, path)
		if got := read(t, filepath.Join(dir, below)); seconds0(got) != seconds0(want) {
			t.Errorf("%s is not what a new folder has", below)
		}
	}
}

// seconds0 is a text without the numbers of seconds that rows took.
func seconds0(text string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		return strings.Contains(line, `"seconds":`) || strings.Contains(line, "<dt>Time</dt>")
	}), "\n")
}

// The rows that are kept say so, wherever they are shown.
func TestKeptRowsAreMarked(t *testing.T) {
	dir := t.TempDir()
	mustReproduce(t, dir, "first `x`", sayRows("one", "M1", "M2"))
	var told []string
	s := &claim.Study{Out: dir, Notice: func(text string) { told = append(told, text) }}
	if _, _, err := Reproduce(t.Context(), s, sayRows("two", "M2"), theirs("second")); err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, HTMLFile) + " keeps the rows of earlier commands: M1"; !slices.Equal(told, []string{want}) {
		t.Errorf("told %q, want %q", told, want)
	}
	page, text := read(t, filepath.Join(dir, HTMLFile)), read(t, filepath.Join(dir, MarkdownFile))
	for _, want := range []string{
		`<p class="kept">Claims found by an earlier command: 1.</p>`,
		`<span class="kept">as of on first `,
		"<p class=\"kept\">Found on on first `x` by an earlier command, <code>first `x`</code>, with foretell v1.</p>",
	} {
		if strings.Count(page, want) != 1 {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, want := range []string{"Claims found by an earlier command: 1.", "| holds (as of on first ", "Found on on first "} {
		if strings.Count(text, want) != 1 {
			t.Errorf("the Markdown lacks %s", want)
		}
	}
	var l ledger
	if err := json.Unmarshal([]byte(read(t, filepath.Join(dir, JSONFile))), &l); err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := Table(&table, l.Claims, 100, false); err != nil || !strings.Contains(table.String(), "one (as of on first") {
		t.Errorf("%s%v", table.String(), err)
	}
}

// Until the last row is finished the rows that are tested again stand as they were; rows
// that were not there come one by one. An error then leaves these.
func TestReproduceStagesWhatItReplaces(t *testing.T) {
	dir := t.TempDir()
	mustReproduce(t, dir, "first", sayRows("one", "M1", "M2", "M3"))
	stop := errors.New("stop")
	var seen []string
	s := &claim.Study{Out: dir, Finished: func(claims []claim.Claim, pending []string) error {
		seen = append(seen, rowsOf(t, dir))
		if len(pending) == 1 {
			return stop
		}
		return nil
	}}
	into := func(string) string { return "unused" }
	s.Into = into
	claims, path, err := Reproduce(t.Context(), s, sayRows("two", "M1", "M4", "M2", "M5", "M3"), theirs("second"))
	if !errors.Is(err, stop) || len(claims) != 4 || path != filepath.Join(dir, HTMLFile) {
		t.Errorf("%d claims, %q, %v", len(claims), path, err)
	}
	if fmt.Sprintf("%p", s.Into) != fmt.Sprintf("%p", into) || s.Finished == nil {
		t.Error("the study is not what it was")
	}
	want := []string{
		"M1=one M2=one M3=one",
		"M1=one@first M2=one@first M3=one@first M4=two M5?",
		"M1=one@first M2=one@first M3=one@first M4=two M5?",
		"M1=one@first M2=one@first M3=one@first M4=two M5=two",
	}
	if !slices.Equal(seen, want) {
		t.Errorf("the report had %q, want %q", seen, want)
	}
	wantRows(t, dir, want[3])
	mustReproduce(t, dir, "third", sayRows("three", "M1", "M2", "M3", "M4", "M5"))
	wantRows(t, dir, "M1=three M2=three M3=three M4=three M5=three")
}

// An interruption of the first reproduction leaves what was found; the next goes on from
// there.
func TestInterruptedReproduction(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	s := &claim.Study{Out: dir, Finished: func(claims []claim.Claim, _ []string) error {
		if len(claims) == 2 {
			cancel()
		}
		return nil
	}}
	rows := sayRows("one", "M1", "M2", "M3", "M4")
	if _, _, err := Reproduce(ctx, s, rows, theirs("first")); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	wantRows(t, dir, "M1=one M2=one M3? M4?")
	failing := append(sayRows("two", "M1", "M2", "M3"), claim.Row{ID: "M4", Test: func(context.Context, *claim.Study, *claim.Claim) error {
		return errors.New("cannot")
	}})
	if _, _, err := Reproduce(t.Context(), &claim.Study{Out: dir}, failing, theirs("second")); fmt.Sprint(err) != "M4: cannot" {
		t.Error(err)
	}
	wantRows(t, dir, "M1=one@first M2=one@first M3=two M4?")
	mustReproduce(t, dir, "third", sayRows("three", "M1", "M2", "M3", "M4"))
	wantRows(t, dir, "M1=three M2=three M3=three M4=three")
}

// No file of a report can be written over as somebody's output.
func TestReportsFilesAreOwned(t *testing.T) {
	dir := t.TempDir()
	mustReproduce(t, dir, "first", sayRows("one", "M1"))
	for path := range tree(t, dir) {
		if err := durable.CheckOutput(path); !errors.Is(err, durable.ErrOwned) {
			t.Errorf("%s can be written over: %v", path, err)
		}
	}
}

// There is a page from the first moment on.
func TestReproduceBeginsWithAPage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	rows := []claim.Row{{ID: "M1", Test: func(context.Context, *claim.Study, *claim.Claim) error {
		wantRows(t, dir, "M1?")
		return nil
	}}}
	mustReproduce(t, dir, "first", rows)
}

// While a report is written nobody else writes one there, nor changes anything.
func TestOneReproductionAtATime(t *testing.T) {
	dir := t.TempDir()
	mustReproduce(t, dir, "first", sayRows("one", "M1"))
	tested := false
	rows := []claim.Row{{ID: "M1", Test: func(_ context.Context, _ *claim.Study, c *claim.Claim) error {
		before := tree(t, dir)
		_, _, err := Reproduce(t.Context(), &claim.Study{Out: dir}, sayRows("three", "M2"), theirs("third"))
		if want := dir + " is being written to by another process; wait until it has ended, or choose another folder"; !errors.Is(err, ErrInUse) || err.Error() != want {
			t.Errorf("beside another: %v", err)
		}
		if _, err := Write(dir, theirs("fourth")); !errors.Is(err, ErrInUse) {
			t.Errorf("Write beside another: %v", err)
		}
		wantTree(t, dir, before)
		tested = true
		return nil
	}}}
	mustReproduce(t, dir, "second", rows)
	if !tested {
		t.Error("no row was tested")
	}
	mustReproduce(t, dir, "third", sayRows("three", "M2"))
}

// What is not this report's is refused, before anything is tested or written.
func TestReproduceRefusesFolders(t *testing.T) {
	other := func(spoil func(r *Report)) func(dir string) error {
		return func(dir string) error {
			r := theirs("other")
			spoil(&r)
			_, err := Write(dir, r)
			return err
		}
	}
	file := func(name, text string) func(dir string) error {
		return func(dir string) error {
			path := filepath.Join(dir, filepath.FromSlash(name))
			return errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666))
		}
	}
	link := func(name string) func(dir string) error {
		return func(dir string) error { return os.Symlink("elsewhere", filepath.Join(dir, name)) }
	}
	for want, prepare := range map[string]func(dir string) error{
		`holds another report: its title is "B", not "A document"`:     other(func(r *Report) { r.Title = "B" }),
		`holds another report: its source is "B", not "Somebody 2025"`: other(func(r *Report) { r.Source = "B" }),
		`holds another report: its profile is "full", not "quick"`:     other(func(r *Report) { r.Profile = "full" }),
		"holds a run": file("config.yaml", "process: {name: mess3}"),
		"holds a claims.json that is not a report's ledger (":                                                     file("claims.json", "{}"),
		"holds a claims.json that is not a report's ledger (invalid":                                              file("claims.json", "hello"),
		"holds a claims.json that is not a report's ledger (unexpected end":                                       file("claims.json", `{"title": "A docu`),
		"holds a claims.json that is not a report's ledger (report: claim number 1 has no id)":                    file("claims.json", `{"claims": [{}], "pending": [], "report": "report.html"}`),
		"holds a claims.json that is not a report's ledger (report: claim A: path \"../x\" is not inside the out": file("claims.json", `{"claims": [{"id": "A", "verdict": "open", "data": ["../x"]}], "pending": [], "report": "report.html"}`),
		"holds report.html, but not the claims.json of a report":                                                  file("report.html", "mine"),
		"holds report.md, but not the claims.json of a report":                                                    file("report.md", "mine"),
		"holds figures, but not the claims.json of a report":                                                      file("figures/mine.svg", "mine"),
		"holds data, but not the claims.json of a report":                                                         file("data", "mine"),
		"holds report.html, which is not a regular file":                                                          link("report.html"),
		"holds claims.json, which is not a regular file":                                                          link("claims.json"),
	} {
		dir := t.TempDir()
		if err := prepare(dir); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		tested := []claim.Row{{ID: "M1", Test: func(context.Context, *claim.Study, *claim.Claim) error {
			t.Errorf("%s: the row was tested", want)
			return nil
		}}}
		_, path, err := Reproduce(t.Context(), &claim.Study{Out: dir}, tested, theirs("mine"))
		var folder *FolderError
		if !errors.As(err, &folder) || !strings.HasPrefix(err.Error(), dir+" "+want) || path != "" {
			t.Errorf("got  %v\nwant DIR %s", err, want)
		}
		after, err := os.ReadDir(dir)
		if err != nil || len(after) != len(entries) {
			t.Errorf("%s: %v became %v, %v", want, entries, after, err)
		}
	}
}

// Files of other names, empty folders of a report's names, and runs are in nobody's way.
func TestReproduceBesideOtherFiles(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "figures"), 0o777), os.MkdirAll(filepath.Join(dir, "runs", "x"), 0o777),
		os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o666), os.WriteFile(filepath.Join(dir, ".tmp-claims.json-0"), []byte("{"), 0o666)); err != nil {
		t.Fatal(err)
	}
	mustReproduce(t, dir, "first", sayRows("one", "M1"))
	wantRows(t, dir, "M1=one")
	if read(t, filepath.Join(dir, "notes.txt")) != "mine" {
		t.Error("notes.txt was changed")
	}
}

// A row whose figure is gone cannot be kept, but can be tested again.
func TestReproduceWithoutAFigure(t *testing.T) {
	dir := t.TempDir()
	mustReproduce(t, dir, "first", sayRows("one", "M1", "M2"))
	if err := os.Remove(filepath.Join(dir, "figures", "M1-a.svg")); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	_, _, err := Reproduce(t.Context(), &claim.Study{Out: dir}, sayRows("two", "M2"), theirs("second"))
	if want := dir + " cannot keep its row M1 (report: claim M1: figures/M1-a.svg: no such file or directory); test this row again, too"; fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	wantTree(t, dir, before)
	mustReproduce(t, dir, "second", sayRows("two", "M1"))
	wantRows(t, dir, "M1=two M2=one@first")
}

// A link in the place of a figure is nothing that a report has made.
func TestReproduceRefusesLinks(t *testing.T) {
	for _, name := range []string{"figures/M1-a.svg", "data/M1-b.txt", "figures/M2-a.svg", "data/M2-b.txt"} {
		dir := t.TempDir()
		mustReproduce(t, dir, "first", sayRows("one", "M1"))
		path := filepath.Join(dir, filepath.FromSlash(name))
		elsewhere := filepath.Join(t.TempDir(), "file")
		if err := errors.Join(os.RemoveAll(path), os.WriteFile(elsewhere, []byte("mine"), 0o666), os.Symlink(elsewhere, path)); err != nil {
			needs.Machine(t, "a link", err)
		}
		_, _, err := Reproduce(t.Context(), &claim.Study{Out: dir}, sayRows("two", "M1", "M2"), theirs("second"))
		if err == nil || !strings.Contains(err.Error(), "regular file") {
			t.Errorf("%s: error %v", name, err)
		}
		if read(t, elsewhere) != "mine" {
			t.Errorf("%s was written through", name)
		}
	}
}

// Write keeps the rows that a report lacks as Reproduce does.
func TestWriteKeepsOtherRows(t *testing.T) {
	dir := t.TempDir()
	finding := func(ids ...string) (claims []claim.Claim) {
		for _, id := range ids {
			claims = append(claims, claim.Claim{ID: id, Verdict: claim.Open, Obtained: "nothing"})
		}
		return claims
	}
	for _, c := range []struct {
		command string
		claims  []claim.Claim
		pending []string
		want    string
	}{
		{"first", finding("M3"), []string{"M4"}, "M3=nothing M4?"},
		{"second", finding("M1"), []string{"M3", "M5"}, "M1=nothing M3=nothing@first M5?"},
		{"third", nil, nil, "M1=nothing@second M3=nothing@first"},
	} {
		r := theirs(c.command)
		r.Claims, r.Pending = c.claims, c.pending
		if _, err := Write(dir, r); err != nil {
			t.Fatal(err)
		}
		wantRows(t, dir, c.want)
	}
}

// Without the document's order rows of before are first.
func TestMergeOrder(t *testing.T) {
	before := []claim.Claim{{ID: "B"}, {ID: "A"}}
	r := Report{Claims: []claim.Claim{{ID: "C"}, {ID: "A"}}, Pending: []string{"E", "B", "D"}}
	for want, order := range map[string][]string{"B A C E D": nil, "A B C D E": {"A", "B", "C", "D", "E"}, "C B A E D": {"C"}} {
		r.Order = order
		got := merge(r, before)
		if ids := strings.Join(append(claimIDs(got.Claims), got.Pending...), " "); ids != want {
			t.Errorf("order %v gives %s, want %s", order, ids, want)
		}
	}
}
