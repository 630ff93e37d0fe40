package inspect

import (
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/model"
	"foretell/process"
)

// A folder of Hugging Face's is a MODEL: it predicts by itself, and says that there is
// nothing to compare it with.
func TestFolderOfHuggingFace(t *testing.T) {
	const dir = "../model/testdata/gpt2-tied"
	for _, path := range []string{dir, dir + "/", filepath.Join(dir, model.WeightsFile)} {
		m, err := Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Process(); err == nil || !strings.Contains(err.Error(), "names no process") {
			t.Errorf("%s: %v", path, err)
		}
		if err := m.Lacking(); err != nil {
			t.Errorf("%s lacks a process that it cannot name: %v", path, err)
		}
		if names := m.Names(); names != nil {
			t.Errorf("%s: tokens %q, %v", path, names, err)
		}
		found, err := m.Predict([]int32{1, 2, 3})
		if err != nil {
			t.Fatal(err)
		}
		logits, err := m.Float64().Logits([]int32{1, 2, 3})
		if err != nil {
			t.Fatal(err)
		}
		want := model.Probabilities(logits[len(logits)-29:])
		for z, p := range found.Model {
			if math.Abs(p-want[z]) > 1e-5 {
				t.Errorf("token %d: %v, want %v", z, p, want[z])
			}
		}
		if found.Optimality != nil || found.Checkpoint != nil {
			t.Errorf("%+v", found)
		}
		text, err := json.Marshal(found)
		if err != nil || !strings.HasPrefix(string(text), `{"model":[`) || strings.Contains(string(text), `"kl"`) {
			t.Errorf("%s, %v", text, err)
		}
		if _, err := m.Predict(slices.Repeat([]int32{1}, 13)); err == nil {
			t.Error("13 tokens are predicted from")
		}
	}
	var refused *ParamsError
	if _, err := Open(dir, process.Params{"a": 1.0}); !errors.As(err, &refused) {
		t.Errorf("with parameters: %v", err)
	}
}

// The likeliest tokens come first, of equals the lesser number.
func TestLikeliest(t *testing.T) {
	p := &Prediction{Model: []float64{0.1, 0.3, 0.1, 0.4, 0.1}}
	for most, want := range [][]int{{}, {3}, {3, 1}, {3, 1, 0}, {3, 1, 0, 2}, {3, 1, 0, 2, 4}, {3, 1, 0, 2, 4}} {
		if got := p.Likeliest(most); !slices.Equal(got, want) {
			t.Errorf("%d: %v, want %v", most, got, want)
		}
	}
}
