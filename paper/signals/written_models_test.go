package signals

import (
	"strings"
	"testing"

	"foretell/model"
	"foretell/process"
)

// A model that cannot read the sequences has no score but an error.
func TestScoredReturnsTheModelsError(t *testing.T) {
	signal, err := process.Routing(0.1, 0.2, 4)
	if err != nil {
		t.Fatal(err)
	}
	c := model.Config{DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: writtenContext / 2, DVocab: signal.Alphabet()}
	if c, err = c.Resolve(); err != nil {
		t.Fatal(err)
	}
	m, err := model.New[float64](c, 1)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := scored(m, newSubject(m, signal)); err == nil || !strings.Contains(err.Error(), "n_ctx") {
		t.Errorf("%+v, %v", found, err)
	}
}
