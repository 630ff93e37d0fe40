package claim_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/document"
	"foretell/figure"
	"foretell/internal/panics"
	"foretell/model"
	"foretell/process"
	"foretell/run"
	"foretell/train"
)

// tinySteps are those of each model of the tests.
const tinySteps = 20

// tiny is a training of next to nothing.
func tiny(seed uint64) claim.Training {
	return claim.Training{
		Name: fmt.Sprintf("tiny-seed%d", seed), Label: fmt.Sprintf("seed %d", seed),
		Config: train.Config{
			Process: process.Spec{Name: "periodic", Params: process.Params{"pattern": "AB"}},
			Model:   model.Config{DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: 3},
			Train: train.Options{
				Seed: seed, BatchSize: 4, NumSteps: tinySteps, LR: 0.01, EvaluateEvery: 10, CheckpointEvery: 5,
			},
		},
	}
}

// lossRow is a row that shows the losses of models: something that training decides.
func lossRow(id string, trainings ...claim.Training) claim.Row {
	steps := claim.Steps[[][]float64]{
		Measure: func(_ context.Context, s *claim.Study) (losses [][]float64, err error) {
			for _, t := range trainings {
				if s.Trained(t).Step != tinySteps {
					return nil, errors.New("is not trained")
				}
				rows, err := s.Metrics(t)
				if err != nil {
					return nil, err
				}
				for _, row := range rows {
					losses = append(losses, []float64{float64(row.Step), row.LossEval})
				}
			}
			return losses, nil
		},
		Judge: func(losses [][]float64) claim.Finding {
			return claim.Finding{Verdict: claim.Differs, Obtained: fmt.Sprint(losses)}
		},
		Tabulate: func(losses [][]float64, c *claim.Claim) {
			table := document.Frame{Title: "losses", Columns: document.Headed("", "step", "loss")}
			for _, x := range losses {
				table.Row(x[0], x[1])
			}
			c.Tables = append(c.Tables, table.Table())
		},
		Draw: func(losses [][]float64, out *claim.Output) {
			series := figure.Series{X: []float64{0, 1}, Y: []float64{0, losses[0][1]}}
			out.Captioned("losses", "Losses, in nats a token, of a few models that hardly learn anything.",
				figure.Single("Losses", "A line.", figure.Chart{Series: []figure.Series{series}}))
			f := document.Frame{Columns: document.Named("step", "loss")}
			for _, row := range losses {
				f.Row(row[0], row[1])
			}
			out.CSV("losses", f)
		},
	}
	return claim.Row{
		ID: id, Source: "p. " + id, Statement: "Models learn.", Expected: "losses fall",
		Trainings: trainings, Test: steps.Test,
	}
}

// plain is a row that rests on nothing.
func plain(id string, test func(s *claim.Study, c *claim.Claim) error) claim.Row {
	return claim.Row{ID: id, Test: func(_ context.Context, s *claim.Study, c *claim.Claim) error { return test(s, c) }}
}

func nothing(*claim.Study, *claim.Claim) error { return nil }

// watched is a study that writes down what it reports.
type watched struct {
	*claim.Study
	trained  int        // reports of a step of training
	done     []int      // steps done, at each report
	total    int        // the last total
	finished [][]string // for each call of Finished: the rows done, then the pending ones
}

func newWatched(dir string) *watched {
	w := &watched{Study: &claim.Study{Out: dir, Workers: 2}}
	w.Progress = func(at claim.Progress) {
		if strings.HasPrefix(at.Label, "training ") {
			w.trained++
		}
		w.done, w.total = append(w.done, at.Steps), at.AllSteps
	}
	w.Finished = func(claims []claim.Claim, pending []string) error {
		var ids []string
		for _, c := range claims {
			ids = append(ids, c.ID)
		}
		w.finished = append(w.finished, append(append(ids, "|"), pending...))
		return nil
	}
	return w
}

// sharing are rows of which two share a model, and one has none.
func sharing() []claim.Row {
	return []claim.Row{
		lossRow("A", tiny(1), tiny(2)), lossRow("B", tiny(2), tiny(3)), plain("C", nothing),
	}
}

// A whole study: each row ends with its texts and the files that it names; a
// second study in the same folder takes the models as they are and finds the
// same; one of other settings refuses the folder.
func TestReproduce(t *testing.T) {
	dir, rows := t.TempDir(), sharing()
	first := newWatched(dir)
	claims, err := first.Reproduce(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range claims[:2] {
		claimtest.Claim(t, dir, rows[i], c)
	}
	if claims[2].Verdict != claim.Open {
		t.Errorf("a row that decides nothing is %q", claims[2].Verdict)
	}
	first.checkReports(t)
	if first.trained != 3*tinySteps {
		t.Errorf("%d reports of training steps, want %d", first.trained, 3*tinySteps)
	}

	files := claimtest.Contents(t, dir)
	second := newWatched(dir)
	again, err := second.Reproduce(t.Context(), rows)
	if err != nil || second.trained != 0 {
		t.Errorf("the second study trained %d steps, %v", second.trained, err)
	}
	second.checkReports(t)
	if got, want := claimtest.Timeless(t, again), claimtest.Timeless(t, claims); got != want {
		t.Errorf("the second study found\n%s\nwhere the first found\n%s", got, want)
	}
	for path, text := range claimtest.Contents(t, dir) {
		if text != files[path] {
			t.Errorf("the second study wrote another %s", path)
		}
	}

	other := tiny(2)
	other.Config.Train.LR /= 2
	_, err = newWatched(dir).Reproduce(t.Context(), []claim.Row{lossRow("A", other)})
	if want := "seed 2: " + first.Dir(other) + " holds a run of another configuration"; fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// checkReports checks of the rows of sharing that progress never falls and ends complete,
// and that Finished saw one row more each time, the others pending.
func (w *watched) checkReports(t *testing.T) {
	t.Helper()
	if !slices.IsSorted(w.done) || w.total != 3*tinySteps || w.done[len(w.done)-1] != w.total {
		t.Errorf("progress %v of %d", w.done, w.total)
	}
	if got, want := fmt.Sprint(w.finished), "[[A | B C] [A B | C] [A B C |]]"; got != want {
		t.Errorf("Finished saw %s, want %s", got, want)
	}
}

// An interrupted study goes on where it stopped, with what it kept of the
// training, and finds what it would have found.
func TestReproduceIsInterrupted(t *testing.T) {
	trainings := []claim.Training{tiny(1), tiny(2), tiny(3), tiny(4)}
	for i := range trainings {
		trainings[i].Snapshots = []int{1, 5, tinySteps}
	}
	rows := []claim.Row{lossRow("A", trainings...)}
	undisturbed := t.TempDir()
	whole, err := newWatched(undisturbed).Reproduce(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	const total = 4 * tinySteps
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	w := newWatched(dir)
	stopped := 0
	w.Progress = func(at claim.Progress) {
		if stopped = at.Steps; stopped == total/4+7 {
			cancel()
		}
	}
	if _, err := w.Reproduce(ctx, rows); !errors.Is(err, run.ErrInterrupted) {
		t.Fatalf("got %v, want %v", err, run.ErrInterrupted)
	}
	rest := newWatched(dir)
	claims, err := rest.Reproduce(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	if rest.trained != total-stopped {
		t.Errorf("%d steps were left to train, want %d", rest.trained, total-stopped)
	}
	if got, want := claimtest.Timeless(t, claims), claimtest.Timeless(t, whole); got != want {
		t.Errorf("the interrupted study found\n%s\nwhere the whole one found\n%s", got, want)
	}
	for _, of := range trainings {
		for path, text := range claimtest.Contents(t, filepath.Join(undisturbed, "runs", of.Name, "snapshots")) {
			got := claimtest.Contents(t, filepath.Join(rest.Dir(of), "snapshots"))
			if got[filepath.Join(rest.Dir(of), "snapshots", filepath.Base(path))] != text {
				t.Errorf("the interrupted study kept another %s", path)
			}
		}
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
	s := &claim.Study{Out: t.TempDir(), Workers: 1, Finished: func([]claim.Claim, []string) error { return full }}
	rows := []claim.Row{
		plain("A", nothing),
		plain("B", func(*claim.Study, *claim.Claim) error {
			t.Error("went on")
			return nil
		}),
	}
	if claims, err := s.Reproduce(t.Context(), rows); !errors.Is(err, full) || len(claims) != 1 {
		t.Errorf("%d claims, %v", len(claims), err)
	}
}

// An error names its row, and the claims before it are returned.
func TestReproduceNamesTheRow(t *testing.T) {
	draws := claim.Steps[int]{
		Measure: func(context.Context, *claim.Study) (int, error) { return 0, nil },
		Judge:   func(int) claim.Finding { return claim.Finding{} },
		Draw: func(_ int, out *claim.Output) {
			out.CSV("x", document.Frame{Columns: document.Named("a"), Rows: [][]any{{"text"}}})
		},
	}
	s := &claim.Study{Out: t.TempDir(), Workers: 1}
	rows := []claim.Row{
		plain("A", nothing),
		{ID: "B", Test: draws.Test},
	}
	claims, err := s.Reproduce(t.Context(), rows)
	want := "B: x: the column a has a text, and data files hold numbers alone"
	if fmt.Sprint(err) != want || len(claims) != 1 || claims[0].Verdict != claim.Open {
		t.Errorf("claims %+v, error %v, want %s", claims, err, want)
	}
}

// Documents whose rows list the same training share its run.
func TestDocumentsShareATraining(t *testing.T) {
	runs := map[string]*run.Trained{}
	keeping := func(id string) claim.Row {
		row := plain(id, func(s *claim.Study, _ *claim.Claim) error {
			runs[id] = s.Trained(tiny(1))
			return nil
		})
		row.Trainings = []claim.Training{tiny(1)}
		return row
	}
	document := func(name string) claim.Paper {
		return claim.Paper{Name: name, Rows: func(claim.Profile) []claim.Row { return []claim.Row{keeping(name)} }}
	}
	w := newWatched(t.TempDir())
	rows := claim.Join(document("A"), document("B")).Rows(claim.Quick)
	if _, err := w.Reproduce(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	if w.trained != tinySteps || w.total != tinySteps || runs["A"] == nil || runs["A"] != runs["B"] {
		t.Errorf("%d steps of %d, runs %v", w.trained, w.total, runs)
	}
}

// Two trainings of one name must be the same, and nothing is trained where they are not.
func TestTrainingsOfOneNameThatDiffer(t *testing.T) {
	for what, change := range map[string]func(*claim.Training){
		"configuration": func(o *claim.Training) { o.Config.Train.LR = 1 },
		"model":         func(o *claim.Training) { o.Config.Model.NHeads = model.Heads{2} },
		"snapshots":     func(o *claim.Training) { o.Snapshots = []int{5} },
		"watch":         func(o *claim.Training) { o.Watch = run.Watch{"norm": nil} },
	} {
		other := tiny(1)
		change(&other)
		w := newWatched(t.TempDir())
		_, err := w.Reproduce(t.Context(), []claim.Row{lossRow("A", tiny(1)), lossRow("B", other)})
		const want = "claim: B lists the run tiny-seed1 with other settings than an earlier row; give it another name"
		if fmt.Sprint(err) != want {
			t.Errorf("another %s: got %v, want %s", what, err, want)
		}
		if len(w.done) != 0 {
			t.Errorf("another %s: something was done", what)
		}
	}
}

// A training's name is that of a folder among the runs, and of nothing elsewhere.
func TestTrainingsHaveNames(t *testing.T) {
	for _, name := range []string{"", ".", "..", "a/b", "/tmp", "../a"} {
		training := tiny(1)
		training.Name = name
		w := newWatched(t.TempDir())
		_, err := w.Reproduce(t.Context(), []claim.Row{lossRow("A", training)})
		if want := fmt.Sprintf("claim: A lists a run named %q, want the name of a folder", name); fmt.Sprint(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A row that looks at a model which it does not list, or at its metrics, is wrong.
func TestRunOfAnUnlistedTraining(t *testing.T) {
	for what, look := range map[string]func(*claim.Study){
		"model":   func(s *claim.Study) { s.Trained(tiny(1)) },
		"metrics": func(s *claim.Study) { _, _ = s.Metrics(tiny(1)) },
	} {
		s := &claim.Study{Out: t.TempDir(), Workers: 1}
		got := panics.Text(func() {
			_, _ = s.Reproduce(t.Context(), []claim.Row{plain("A", func(s *claim.Study, _ *claim.Claim) error {
				look(s)
				return nil
			})})
		})
		if want := "claim: no row so far lists the run tiny-seed1"; got != want {
			t.Errorf("%s: got %s, want %s", what, got, want)
		}
	}
}

// What a row says of its work is reported, and so is what is wrong with a run's folder.
func TestRowAndRunsReport(t *testing.T) {
	dir, row := t.TempDir(), lossRow("A", tiny(1))
	if _, err := newWatched(dir).Reproduce(t.Context(), []claim.Row{row}); err != nil {
		t.Fatal(err)
	}
	again := newWatched(dir)
	if err := os.Truncate(filepath.Join(again.Dir(tiny(1)), "metrics.jsonl"), 100); err != nil {
		t.Fatal(err)
	}
	var labels, notices []string
	again.Progress = func(at claim.Progress) { labels = append(labels, at.Label) }
	again.Notice = func(text string) { notices = append(notices, text) }
	telling := plain("B", func(s *claim.Study, _ *claim.Claim) error {
		s.Tell("counting words")
		return nil
	})
	if _, err := again.Reproduce(t.Context(), []claim.Row{row, telling}); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(labels, "counting words") {
		t.Errorf("progress %q", labels)
	}
	if len(notices) == 0 || !strings.HasPrefix(notices[0], again.Dir(tiny(1))+": metrics.jsonl is damaged") {
		t.Errorf("notices %q", notices)
	}
}

// Only a corrected statement has the severity of its row.
func TestSeverityOfACorrectedRow(t *testing.T) {
	for verdict, want := range map[claim.Verdict]claim.Severity{claim.Corrected: claim.Local, claim.Holds: ""} {
		row := plain("A", func(_ *claim.Study, c *claim.Claim) error {
			c.Verdict = verdict
			return nil
		})
		row.Severity = claim.Local
		s := &claim.Study{Out: t.TempDir(), Workers: 1}
		claims, err := s.Reproduce(t.Context(), []claim.Row{row})
		if err != nil || claims[0].Severity != want {
			t.Errorf("%s: severity %q, %v, want %q", verdict, claims[0].Severity, err, want)
		}
	}
}

// Each returns the first error in the order of the work, not what its stopping the others
// made of them, and calls nothing once one has failed.
func TestEach(t *testing.T) {
	for _, workers := range []int{0, 1, 3} {
		s, bad := &claim.Study{Workers: workers}, errors.New("bad")
		var squares [40]int
		err := s.Each(t.Context(), len(squares), func(_ context.Context, i int) error {
			squares[i] = i * i
			return nil
		})
		if err != nil || squares[39] != 39*39 {
			t.Errorf("%d workers: %v, %v", workers, squares, err)
		}
		err = s.Each(t.Context(), 1000, func(ctx context.Context, i int) error {
			if i == 2 {
				return bad
			}
			if i > 2 {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		})
		if err != bad {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
	// Work that says by itself that it was stopped has not been done.
	stopped := func(_ context.Context, i int) error { return []error{nil, run.ErrInterrupted}[i] }
	if err := (&claim.Study{Workers: 1}).Each(t.Context(), 2, stopped); err != run.ErrInterrupted {
		t.Errorf("got %v, want %v", err, run.ErrInterrupted)
	}
	ended, cancel := context.WithCancel(t.Context())
	// What failed is said, though the study was stopped at the same time.
	bad := errors.New("bad")
	err := (&claim.Study{Workers: 2}).Each(ended, 2, func(ctx context.Context, i int) error {
		if i == 1 {
			cancel()
			return bad
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if err != bad {
		t.Errorf("got %v, want %v", err, bad)
	}
	err = (&claim.Study{Workers: 2}).Each(ended, 3, func(context.Context, int) error {
		t.Error("went on")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// sideBySide is a label of two or three models that train at once.
var sideBySide = regexp.MustCompile(`^training (2 models: seed \d|3 models: seed \d; seed \d); seed \d$`)

// Models that train side by side are reported together: what they are called changes
// only where one begins or ends, so at most twice a model, and once for the test.
func TestLabelsDoNotFlicker(t *testing.T) {
	var list []claim.Training
	for seed := range uint64(6) {
		list = append(list, tiny(seed+1))
	}
	var labels []string
	s := &claim.Study{Out: t.TempDir(), Workers: 3}
	s.Progress = func(at claim.Progress) { labels = append(labels, at.Label) }
	if _, err := s.Reproduce(t.Context(), []claim.Row{lossRow("A", list...)}); err != nil {
		t.Fatal(err)
	}
	if len(labels) < 6*tinySteps {
		t.Errorf("%d reports of %d steps", len(labels), 6*tinySteps)
	}
	labels = slices.Compact(labels)
	for _, label := range labels {
		many := strings.HasPrefix(label, "training ") && !strings.HasPrefix(label, "training seed ")
		if many && !sideBySide.MatchString(label) {
			t.Errorf("the label %q", label)
		}
	}
	if most := 2*len(list) + 1; len(labels) > most {
		t.Errorf("%d labels, want at most %d: %q", len(labels), most, labels)
	}
}

// Work that is not training counts, part by part, and what no part has told at the end of
// its row; it never falls, and ends complete with the training.
func TestWorkCounts(t *testing.T) {
	row := func(id string, work, told, parts int) claim.Row {
		row := plain(id, func(s *claim.Study, _ *claim.Claim) error {
			for range told {
				s.Part(parts)
			}
			return nil
		})
		row.Work = work
		return row
	}
	s := &claim.Study{Out: t.TempDir(), Workers: 1}
	var work []int
	var last claim.Progress
	s.Progress = func(at claim.Progress) {
		last = at
		id, testing := strings.CutPrefix(at.Label, "testing ")
		if testing {
			work = append(work, at.Work)
		}
		if testing && at.Row != id || !testing && at.Row != "" {
			t.Errorf("row %q is under test at %q", at.Row, at.Label)
		}
	}
	trained := row("D", 0, 1, 1) // a row of no work that tells some
	trained.Trainings = []claim.Training{tiny(1)}
	rows := []claim.Row{row("A", 30, 3, 3), row("B", 0, 0, 1), row("C", 10, 1, 2), row("E", 1, 7, 5), trained}
	if _, err := s.Reproduce(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(work), "[0 10 20 30 30 30 35 40 40 41 41]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if last.Steps != tinySteps || last.AllSteps != tinySteps || last.AllWork != 41 {
		t.Errorf("it ended at %+v", last)
	}
	if rest := last.AllProducts - last.Products; last.AllProducts <= 0 || math.Abs(rest) > 1e-9*last.AllProducts {
		t.Errorf("%v of %v multiply-adds are left", rest, last.AllProducts)
	}
}

// A table's work goes to the rows that it names, and an id that is no row's is a defect.
func TestWithWork(t *testing.T) {
	rows := []claim.Row{{ID: "A"}, {ID: "B"}}
	if first := claim.WithWork(rows, map[string]int{"A": 3}); first[0].Work != 3 || first[1].Work != 0 {
		t.Errorf("%+v", first)
	}
	weighed := claim.WithWork(rows, map[string]int{"B": 7})
	if weighed[0].Work != 0 || weighed[1].Work != 7 || rows[1].Work != 0 {
		t.Errorf("%+v of %+v", weighed, rows)
	}
	defer func() {
		if got, want := fmt.Sprint(recover()), "claim: work is given for C, which is not a row"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}()
	claim.WithWork(rows, map[string]int{"C": 1})
}
