package train

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/model"
)

// A training that begins with weights says by their checksum which they are, is the same
// whether they are read or given, and takes no others.
func TestInit(t *testing.T) {
	c := paperConfig(1)
	c.Train.NumSteps = 2
	m, err := model.New[float32](mustResolve(t, c).Model, 77)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "first")
	if err := m.Save(dir); err != nil {
		t.Fatal(err)
	}
	c.Train.Init = dir
	c = mustResolve(t, c)
	if c.Train.InitSHA256 != m.Checksum() {
		t.Errorf("%s, want %s", c.Train.InitSHA256, m.Checksum())
	}
	read, err := NewTrainer(t.Context(), c, Setup{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	given, err := NewTrainer(t.Context(), c, Setup{First: m, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer given.Close()
	if !slices.Equal(read.Model.Weights.Data, m.Weights.Data) {
		t.Error("it begins with other weights")
	}
	for _, trainer := range []*Trainer{read, given} {
		if err := trainer.Train(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if read.Model.Checksum() != given.Model.Checksum() || read.Model.Checksum() == m.Checksum() {
		t.Error("other weights, or none learned")
	}
	if _, err := NewTrainer(t.Context(), c, Setup{First: read.Model, Workers: 1}); err == nil {
		t.Error("other weights are taken")
	}
	if err := read.Model.Save(dir); err != nil {
		t.Fatal(err)
	}
	_, err = NewTrainer(t.Context(), c, Setup{Workers: 1})
	if want := fmt.Sprintf("train.init = %q has changed since this configuration was written: ", dir); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s…", err, want)
	}
}

// Weights of another model do not fit, which is one line.
func TestInitDoesNotFit(t *testing.T) {
	c := paperConfig(1)
	other := mustResolve(t, c).Model
	other.NCtx++
	for _, test := range []struct {
		config model.Config
		want   string
	}{
		{other, "does not fit: it has "},
		{model.Config{DModel: 1, NLayers: 1, NHeads: model.Heads{1}, NCtx: 1, DVocab: 1, AttnOnly: true}, "does not fit: it has "},
	} {
		m, err := model.New[float32](test.config, 1)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := m.Save(dir); err != nil {
			t.Fatal(err)
		}
		c.Train.Init, c.Train.InitSHA256 = dir, ""
		_, read := c.Resolve()
		c.Train.InitSHA256 = m.Checksum()
		_, given := NewTrainer(t.Context(), c, Setup{First: m, Workers: 1})
		for _, err := range []error{read, given} {
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want … %s …", err, test.want)
			}
		}
	}
}

func mustResolve(t *testing.T, c Config) Config {
	t.Helper()
	c, err := c.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return c
}
