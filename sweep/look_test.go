package sweep

import (
	"context"
	"os"
	"path/filepath"
	"slices"
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
	path := filepath.Join(t.TempDir(), "study.yaml")
	if err := os.WriteFile(path, []byte(small), 0o600); err != nil {
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
