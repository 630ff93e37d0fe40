package paper

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"foretell/internal/npz"
	"foretell/run"
)

// Steps of each model of the tiny profile, and how many models its rows share.
const (
	tinySteps  = 20
	tinyModels = 5 + 4 + 10 + 7 + 6 // those of M2 and M12, of M10, M11, M14 and M15
)

// tiny trains next to nothing, on short words: what comes out is no claim about
// the paper but goes through the same rows.
func tiny() Profile {
	p := Quick
	p.Name, p.Setting = "tiny", "tiny profile"
	p.Mess3 = Training{DModel: 16, NCtx: 7, Steps: tinySteps, StepsWeak: tinySteps, LR: 1e-3, Schedule: "cosine", Init: 0.02, EvaluateAt: 10}
	p.Deep, p.Small = p.Mess3, p.Mess3
	p.Deep.DModel, p.Deep.NCtx = 8, 4
	p.Small.DModel, p.Small.NCtx = 12, 4
	p.Seeds = []uint64{1}
	return p
}

// watched is a study that writes down what it reports.
type watched struct {
	*Study
	trained  int        // reports of a step of training
	done     []int      // steps done, at each report
	total    int        // the last total
	finished [][]string // for each call of Finished: the rows done, then the pending ones
}

func newWatched(dir string, p Profile) *watched {
	w := &watched{Study: &Study{Out: dir, Profile: p, Workers: 2}}
	w.Progress = func(label string, done, total int) {
		if strings.HasPrefix(label, "training ") {
			w.trained++
		}
		w.done, w.total = append(w.done, done), total
	}
	w.Finished = func(claims []Claim, pending []string) error {
		var ids []string
		for _, c := range claims {
			ids = append(ids, c.ID)
		}
		w.finished = append(w.finished, append(append(ids, "|"), pending...))
		return nil
	}
	return w
}

func (w *watched) reproduce(t *testing.T) []Claim {
	t.Helper()
	claims, err := w.Reproduce(t.Context(), Mess3.Rows)
	if err != nil {
		t.Fatal(err)
	}
	return claims
}

// A whole study: each row ends in a verdict with the files that it names; a
// second study in the same folder takes the models as they are and finds the
// same; one of other settings refuses the folder.
func TestReproduce(t *testing.T) {
	dir := t.TempDir()
	first := newWatched(dir, tiny())
	claims := first.reproduce(t)
	for i, c := range claims {
		row := Mess3.Rows[i]
		if c.ID != row.ID || c.Source != row.Source || c.Statement != row.Statement || c.Expected != row.Expected {
			t.Errorf("row %s became claim %s", row.ID, c.ID)
		}
		if !slices.Contains(Verdicts, c.Verdict) || c.Verdict == Open || c.Obtained == "" {
			t.Errorf("%s: verdict %q, obtained %q", c.ID, c.Verdict, c.Obtained)
		}
		checkFiles(t, dir, c)
		checkTables(t, c)
	}
	// These two rest on no training.
	if claims[0].Verdict != Holds || claims[1].Verdict != Corrected {
		t.Errorf("M1 %s, M3 %s", claims[0].Verdict, claims[1].Verdict)
	}
	first.checkReports(t)
	if first.trained != tinyModels*tinySteps {
		t.Errorf("%d reports of training steps, want %d", first.trained, tinyModels*tinySteps)
	}

	files := contents(t, dir)
	second := newWatched(dir, tiny())
	again := second.reproduce(t)
	if second.trained != 0 {
		t.Errorf("the second study trained %d steps", second.trained)
	}
	second.checkReports(t)
	if got, want := timeless(t, again), timeless(t, claims); got != want {
		t.Errorf("the second study found\n%s\nwhere the first found\n%s", got, want)
	}
	for path, text := range contents(t, dir) {
		if text != files[path] {
			t.Errorf("the second study wrote another %s", path)
		}
	}

	other := tiny()
	other.Mess3.LR /= 2
	_, err := newWatched(dir, other).Reproduce(t.Context(), Mess3.Rows[2:3])
	folder := filepath.Join(dir, "runs", "mess3-x0.15-a0.2-l1-h1-d16-n7-LN-seed1")
	if want := "x = 0.15, α = 0.2, LN: " + folder + " holds a run of another configuration"; fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// checkReports checks that progress never falls and ends complete, and that
// Finished saw one row more each time, the others pending.
func (w *watched) checkReports(t *testing.T) {
	t.Helper()
	if !slices.IsSorted(w.done) || w.total != tinyModels*tinySteps || w.done[len(w.done)-1] != w.total {
		t.Errorf("progress %v of %d", w.done, w.total)
	}
	var want [][]string
	for i := range Mess3.Rows {
		var ids []string
		for j, r := range Mess3.Rows {
			if ids = append(ids, r.ID); j == i {
				ids = append(ids, "|")
			}
		}
		want = append(want, ids)
	}
	if fmt.Sprint(w.finished) != fmt.Sprint(want) {
		t.Errorf("Finished saw %v, want %v", w.finished, want)
	}
}

// timeless prints claims without the time that they took.
func timeless(t *testing.T, claims []Claim) string {
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

// contents reads every file below dir.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// checkFiles reads the figures and data of a claim.
func checkFiles(t *testing.T, dir string, c Claim) {
	t.Helper()
	if len(c.Figures) == 0 || len(c.Data) == 0 || len(c.Captions) != len(c.Figures) {
		t.Errorf("%s: figures %v with %d captions, data %v", c.ID, c.Figures, len(c.Captions), c.Data)
	}
	for i, path := range c.Figures {
		if len(c.Captions[i]) < 50 {
			t.Errorf("%s: the caption of %s is %q", c.ID, path, c.Captions[i])
		}
		checkSVG(t, filepath.Join(dir, path))
	}
	for _, path := range c.Data {
		switch filepath.Ext(path) {
		case ".npz":
			checkNPZ(t, filepath.Join(dir, path))
		case ".csv":
			checkCSV(t, filepath.Join(dir, path))
		case ".txt", ".md", ".tex", ".html": // a walk
			if len(read(t, filepath.Join(dir, path))) < 1000 {
				t.Errorf("%s: %s is hardly a walk", c.ID, path)
			}
		default:
			t.Errorf("%s: data file %s", c.ID, path)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func checkSVG(t *testing.T, path string) {
	t.Helper()
	data := read(t, path)
	decoder, root := xml.NewDecoder(bytes.NewReader(data)), ""
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
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
				t.Errorf("%s: <%s %s=%q>", path, start.Name.Local, a.Name.Local, a.Value)
			}
		}
	}
	if root != "svg" {
		t.Errorf("%s: a document <%s>", path, root)
	}
}

func checkNPZ(t *testing.T, path string) {
	t.Helper()
	arrays, err := npz.Read(read(t, path))
	if err != nil || len(arrays) == 0 {
		t.Fatalf("%s: %d arrays, %v", path, len(arrays), err)
	}
	for _, a := range arrays {
		for _, x := range a.Data.([]float32) {
			if math.IsNaN(float64(x)) {
				t.Fatalf("%s: %s holds NaN", path, a.Name)
			}
		}
	}
}

func checkCSV(t *testing.T, path string) {
	t.Helper()
	records, err := csv.NewReader(bytes.NewReader(read(t, path))).ReadAll()
	if err != nil || len(records) < 2 {
		t.Fatalf("%s: %d records, %v", path, len(records), err)
	}
	for _, record := range records[1:] {
		for i, field := range record {
			if x, err := strconv.ParseFloat(field, 64); err != nil || math.IsNaN(x) {
				t.Fatalf("%s: column %s holds %q", path, records[0][i], field)
			}
		}
	}
}

func checkTables(t *testing.T, c Claim) {
	t.Helper()
	for _, table := range c.Tables {
		if table.Title == "" || len(table.Rows) == 0 {
			t.Errorf("%s: table %q has %d rows", c.ID, table.Title, len(table.Rows))
		}
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) || slices.Contains(row, "NaN") {
				t.Errorf("%s: table %q has %d columns and the row %q", c.ID, table.Title, len(table.Columns), row)
			}
		}
	}
}

// An interrupted study goes on where it stopped, with what it kept of the
// training, and finds what it would have found.
func TestReproduceIsInterrupted(t *testing.T) {
	rows, err := Select(Mess3.Rows, []string{"M9"})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := newWatched(t.TempDir(), tiny()).Reproduce(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	const total = 4 * tinySteps
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	w := newWatched(dir, tiny())
	stopped := 0
	w.Progress = func(_ string, done, _ int) {
		if stopped = done; done == total/4+7 {
			cancel()
		}
	}
	if _, err := w.Reproduce(ctx, rows); !errors.Is(err, run.ErrInterrupted) {
		t.Fatalf("got %v, want %v", err, run.ErrInterrupted)
	}
	rest := newWatched(dir, tiny())
	claims, err := rest.Reproduce(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	if rest.trained != total-stopped {
		t.Errorf("%d steps were left to train, want %d", rest.trained, total-stopped)
	}
	if got, want := timeless(t, claims), timeless(t, whole); got != want {
		t.Errorf("the interrupted study found\n%s\nwhere the whole one found\n%s", got, want)
	}
	// A study can be used again; its progress begins anew.
	rest.done = nil
	if _, err := rest.Reproduce(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	if rest.total != total || slices.Max(rest.done) != total {
		t.Errorf("progress %v of %d", rest.done, rest.total)
	}
}

// What Finished returns ends the study.
func TestReproduceStopsWithFinished(t *testing.T) {
	full := errors.New("disk full")
	s := &Study{Out: t.TempDir(), Profile: tiny(), Workers: 1, Finished: func([]Claim, []string) error { return full }}
	rows := []Row{{ID: "A", test: func(*Study, *Claim) error { return nil }}, {ID: "B", test: func(*Study, *Claim) error {
		t.Error("went on")
		return nil
	}}}
	if claims, err := s.Reproduce(t.Context(), rows); !errors.Is(err, full) || len(claims) != 1 {
		t.Errorf("%d claims, %v", len(claims), err)
	}
}

// An error names its row, and the claims before it are returned.
func TestReproduceNamesTheRow(t *testing.T) {
	s := &Study{Out: t.TempDir(), Profile: tiny(), Workers: 1}
	rows := []Row{
		{ID: "A", test: func(*Study, *Claim) error { return nil }},
		{ID: "B", test: func(s *Study, c *Claim) error { return s.addCSV(c, "x", []string{"a", "b"}, [][]float64{{1}}) }},
	}
	claims, err := s.Reproduce(t.Context(), rows)
	if want := "B: a row of x does not fit its header"; fmt.Sprint(err) != want || len(claims) != 1 || claims[0].Verdict != Open {
		t.Errorf("claims %+v, error %v, want %s", claims, err, want)
	}
}

func TestSelect(t *testing.T) {
	ids := func(rows []Row) (list []string) {
		for _, r := range rows {
			list = append(list, r.ID)
		}
		return list
	}
	all := ids(Mess3.Rows)
	for _, test := range []struct{ ask, want []string }{
		{nil, all},
		{[]string{"M13", "M1"}, []string{"M1", "M13"}}, // in the paper's order
		{[]string{"M6", "M6"}, []string{"M6"}},
	} {
		rows, err := Select(Mess3.Rows, test.ask)
		if err != nil || !slices.Equal(ids(rows), test.want) {
			t.Errorf("%v: %v, %v", test.ask, ids(rows), err)
		}
	}
	if _, err := Select(Mess3.Rows, []string{"M1", "M99"}); fmt.Sprint(err) != `unknown claim "M99"; there are M1, M3, M2, M6, M4, M5, M7, M8, M12, M9, M10, M11, M13, M14, M15` {
		t.Errorf("got %v", err)
	}
	if !slices.Equal(ids(Mess3.Rows), all) {
		t.Error("Select changed the paper's rows")
	}
}
