package run

import (
	"path/filepath"
	"strings"
	"testing"

	"foretell/model"
	"foretell/train"
)

// Where no step of lbfgs lowers the loss any more, a line says so, once, and the end
// again.
func TestRestIsTold(t *testing.T) {
	c := smallConfig()
	c.Process.Name = "golden_mean"
	c.Model = model.Config{Architecture: "flat", DModel: 2, NCtx: 2}
	c.Train = train.Options{Seed: 1, Objective: "exact", Optimizer: "lbfgs", NumSteps: 1500, EvaluateEvery: 50}
	var told notes
	r, err := Create(t.Context(), filepath.Join(t.TempDir(), "run"), c, Options{Workers: 1, OnNote: told.add})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	const want = "no step has lowered the loss since step "
	if len(told) != 1 || !strings.HasPrefix(told[0], want) || !strings.HasSuffix(told[0], "will not change until step 1500") {
		t.Errorf("told %q", told)
	}
	if end := r.Ending(); !strings.HasPrefix(end, "at rest: no step has lowered the loss since step ") {
		t.Errorf("ends %q", end)
	}
}
