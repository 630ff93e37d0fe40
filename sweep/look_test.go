package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"foretell/run"
)

const small = `process: {name: mess3}
model:   {d_model: 4, n_layers: 1, n_heads: 1, d_mlp: 8, n_ctx: 4}
train:   {seed: 1, batch_size: 8, num_steps: 20, lr: 0.01}
sweep:   {seeds: 2}
`

func smallStudy(t *testing.T) *Study {
	t.Helper()
	return studyOf(t, small)
}

// studyOf begins the study of a study file.
func studyOf(t testing.TB, text string) *Study {
	t.Helper()
	path := filepath.Join(t.TempDir(), "study.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	plan, err := Read(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	m, err := plan.Expand()
	if err != nil {
		t.Fatal(err)
	}
	s, err := Begin(filepath.Join(t.TempDir(), "study"), m, plan.Text())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The listing of a folder hides a complete run for some looks, as a network filesystem
// can. Hidden for three looks, the run is not trained again. Hidden for longer, it is
// trained again, to the same bits, and the first result stays.
func TestDelayedListing(t *testing.T) {
	s := smallStudy(t)
	if _, err := s.Train(t.Context(), Options{}); err != nil {
		t.Fatal(err)
	}
	dir := s.Run(s.Runs[0])
	want, err := run.Fingerprint(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, hidden := range []int{1, 3, 4, 100} {
		left := hidden
		s.look = func(folder string) ([]string, error) {
			names, err := readNames(folder)
			if filepath.Base(folder) == runsFolder && left > 0 {
				left--
				names = slices.DeleteFunc(names, func(name string) bool { return name == s.Runs[0].ID })
			}
			return names, err
		}
		var pauses []time.Duration
		steps := 0
		_, err := s.Train(t.Context(), Options{
			Attempt: "9_0.0", Advance: func(int, int) { steps++ },
			Wait: func(_ context.Context, d time.Duration) error {
				pauses = append(pauses, d)
				return nil
			},
		})
		if err != nil {
			t.Errorf("hidden for %d looks: %v", hidden, err)
		}
		if again := steps > 0; again != (hidden > 3) {
			t.Errorf("hidden for %d looks: trained for %d steps", hidden, steps)
		}
		if hidden > 3 && !slices.Equal(pauses, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}) {
			t.Errorf("pauses %v", pauses)
		}
		if got, err := run.Fingerprint(dir); got != want || err != nil {
			t.Errorf("hidden for %d looks: the run became %s, %v", hidden, got, err)
		}
		attempts, err := readNames(filepath.Join(s.Dir, attemptsFolder))
		if err != nil || len(attempts) > 0 {
			t.Errorf("hidden for %d looks: attempts %q remain, %v", hidden, attempts, err)
		}
	}
}

// Two programs that train the same study at once, without a lock that both see, end with
// the same runs, each of them complete and once.
func TestTwoProgramsAtOnce(t *testing.T) {
	s, alone := smallStudy(t), smallStudy(t)
	if _, err := alone.Train(t.Context(), Options{}); err != nil {
		t.Fatal(err)
	}
	errs := make(chan error)
	for _, attempt := range []string{"1_0.0", "2_0.0", "2_0.1"} {
		go func() {
			_, err := s.Train(t.Context(), Options{
				Attempt: attempt, Wait: func(context.Context, time.Duration) error { return nil },
			})
			errs <- err
		}()
	}
	for range 3 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	for _, planned := range s.Runs {
		got, err := run.Fingerprint(s.Run(planned))
		if want, _ := run.Fingerprint(alone.Run(planned)); got != want || err != nil {
			t.Errorf("run %s: %s, %v; want %s", planned.ID, got, err, want)
		}
	}
	states, err := s.States()
	if c := Count(states); err != nil || c.Complete != 2 || c.Failed > 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

// The times of files decide nothing: a study whose files are from the past and from the
// future continues at its checkpoints, to the same bits and after the same steps.
func TestTimesOfFilesDecideNothing(t *testing.T) {
	usual, strange := smallStudy(t), smallStudy(t)
	want := oftenInterrupted(t, usual, func() {})
	got := oftenInterrupted(t, strange, func() {
		n := 0
		err := filepath.WalkDir(strange.Dir, func(path string, _ os.DirEntry, err error) error {
			n++
			then := time.Date(1970+37*(n%3), 1, n, 0, 0, 0, 0, time.UTC)
			return errors.Join(err, os.Chtimes(path, then, then))
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	if got != want {
		t.Errorf("%d steps were taken, want %d", got, want)
	}
	for _, planned := range strange.Runs {
		want, _ := run.Fingerprint(usual.Run(planned))
		if got, err := run.Fingerprint(strange.Run(planned)); got != want || err != nil {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}

// oftenInterrupted trains a study by two attempts in turn, each for a few steps. It calls
// between after each, and returns the number of calls of Advance.
func oftenInterrupted(t *testing.T, s *Study, between func()) (steps int) {
	t.Helper()
	for round := range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := s.Train(ctx, Options{
			Workers: 1, Attempt: []string{"1_0.0", "1_0.1"}[round%2],
			Wait: func(context.Context, time.Duration) error { return nil },
			Advance: func(int, int) {
				if steps++; steps%7 == 0 {
					cancel()
				}
			},
		})
		cancel()
		if err == nil {
			return steps
		}
		if !errors.Is(err, run.ErrInterrupted) {
			t.Fatal(err)
		}
		between()
	}
	t.Error("the study does not end")
	return steps
}

// A reader can see the last row of a log in part, or zeros in its place, while another
// machine writes it. The status of the study has the rows before it.
func TestStatusOfWhatIsBeingWritten(t *testing.T) {
	s := smallStudy(t)
	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	_, err := s.Train(ctx, Options{Workers: 1, Advance: func(int, int) {
		if steps++; steps == 10 {
			cancel()
		}
	}})
	if !errors.Is(err, run.ErrInterrupted) {
		t.Fatal(err)
	}
	status := func() string {
		states, err := s.States()
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Results(t.Context(), states)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	want := status()
	logs, err := filepath.Glob(s.Dir + "/attempts/*/metrics.jsonl")
	if err != nil || len(logs) != 1 {
		t.Fatalf("%q, %v", logs, err)
	}
	log, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{`{"step":2`, strings.Repeat("\x00", 300), strings.Repeat("\x00", 300) + "\n"} {
		if err := os.WriteFile(logs[0], append(bytes.Clone(log), end...), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := status(); got != want || !strings.Contains(got, `"begun":1`) {
			t.Errorf("with %.9q at the end of the log:\n%s\nwant\n%s", end, got, want)
		}
	}
}
