package inspect

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/document/documenttest"
	"foretell/model"
	"foretell/process"
	"foretell/run/runtest"
	"foretell/train"
)

// After a word that cannot occur a model that was trained is shown alone, and JSON has
// null for the optimum; without a process there is none to be null.
func TestPredictWithoutAnOptimum(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Train(t, dir, func(c *train.Config) { c.Process = process.Spec{Name: "sine"} })
	m, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := m.Predict([]int32{5, 5})
	if err != nil || found.Optimality != nil || found.Impossible == nil || len(found.Model) != 32 || len(found.Values) != 32 {
		t.Fatalf("%+v, %v", found, err)
	}
	var read map[string]any
	text, err := json.Marshal(found)
	if err != nil || json.Unmarshal(text, &read) != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"optimal", "kl"} {
		if value, given := read[key]; !given || value != nil {
			t.Errorf("%s = %v in %s", key, value, text)
		}
	}
	var shown strings.Builder
	(&Predicted{Prediction: found, Names: m.Names(), Top: 1}).Forms("").Print(&shown)
	if lines := strings.Split(shown.String(), "\n"); lines[0] != "next token\tvalue\tmodel" || strings.Count(lines[1], "\t") != 2 {
		t.Errorf("%q", shown.String())
	}
	drawn := &Predicted{Prediction: found, Model: "run", Word: []int32{5, 5}, Names: m.Names()}
	if f := documenttest.SVG(t, drawn.figure(), nil); !strings.Contains(f, "Model: mean ") || !strings.Contains(f, "90 % of the probability: ") ||
		!strings.Contains(f, ">next sample, in the signal's unit<") {
		t.Error("not in the picture")
	}
	table, err := documenttest.Written(drawn.Forms(""), ".csv")
	if err != nil || !strings.HasPrefix(string(table), "token,name,model,optimal,value\n0,0,") || !strings.Contains(string(table), ",,-1\n") {
		t.Errorf("%s, %v", table, err)
	}
	c, err := m.Generate([]int32{5}, model.Generation{Most: 2})
	if err != nil || c.Steps()[0].Value == nil || *c.Steps()[0].Value != found.Values[5] {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err = m.Generate([]int32{5, 5}, model.Generation{Most: 2}); err != nil || c.Impossible == nil || len(c.Tokens) != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	if !slices.Equal(c.Values, found.Values) {
		t.Errorf("values %v, want %v", c.Values, found.Values)
	}
	if text, err := json.Marshal(c); err != nil || !strings.Contains(string(text), `"values":[-1,`) ||
		!strings.Contains(string(text), `"optimal":null`) || c.Steps()[3].Optimal != nil {
		t.Errorf("%s, %v", text, err)
	}
	if c, err := m.Generate([]int32{32}, model.Generation{Most: 2}); err == nil {
		t.Errorf("token 32 of 32 is no error: %+v", c)
	}
	alone, err := Predict(m.network.inFloat32(), nil, []int32{5, 5})
	if err != nil || alone.Impossible != nil || alone.Optimality != nil || alone.Model[0] != found.Model[0] {
		t.Errorf("%+v, %v", alone, err)
	}
	if text, err := json.Marshal(alone); err != nil || strings.Contains(string(text), "optimal") {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := m.Predict([]int32{32}); err == nil {
		t.Error("a token that the model has not")
	}
}
