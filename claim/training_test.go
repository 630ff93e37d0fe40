package claim

import "testing"

// Each round of models shares all workers, as equally as whole workers can be shared.
func TestWorkersFor(t *testing.T) {
	for workers := 1; workers <= 9; workers++ {
		for n := 1; n <= 20; n++ {
			atOnce := min(n, workers)
			for i := range n {
				round := min(atOnce, n-i/atOnce*atOnce)
				if got, want := workersFor(i, n, atOnce, workers), workers/round; got != want {
					t.Errorf("model %d of %d has %d of %d workers, want %d", i, n, got, workers, want)
				}
			}
		}
	}
}
