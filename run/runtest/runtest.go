// Package runtest trains small models. The tests of packages that read runs use it.
package runtest

import (
	"testing"

	"foretell/model"
	"foretell/run"
	"foretell/train"
)

// Train trains a run of six steps on Mess3 in a folder, with an evaluation every three
// steps and a watched number that is always 2. A change is applied to its configuration
// first.
func Train(t *testing.T, dir string, changes ...func(*train.Config)) {
	t.Helper()
	c := train.Config{
		Process: train.ProcessConfig{Name: "mess3"},
		Model:   model.Config{DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: 4},
		Train:   train.Options{Seed: 1, BatchSize: 8, NumSteps: 6, LR: 1e-2, EvaluateEvery: 3, EvaluateSequences: 16},
	}
	for _, change := range changes {
		change(&c)
	}
	c, err := c.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	watch := run.Watch{"norm of W_U": func(m *model.Transformer[float32]) (float64, error) { return 2, nil }}
	if _, err := run.Ensure(t.Context(), dir, c, run.Options{Workers: 1, Watch: watch}); err != nil {
		t.Fatal(err)
	}
}
