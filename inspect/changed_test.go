package inspect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"foretell/model"
	"foretell/process"
)

// coinOf returns the hand-written model of a coin.
func coinOf(t *testing.T, nCtx float64) *Model {
	t.Helper()
	m, err := Open("craft:coin", process.Params{"n_ctx": nCtx})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// indicesOf returns the indices of the number at a place of a weight's data, as written.
func indicesOf(shape []int, at int) string {
	list := make([]string, len(shape))
	for axis, size := range slices.Backward(shape) {
		list[axis] = fmt.Sprint(at % size)
		at /= size
	}
	return strings.Join(list, ",")
}

// To set a weight by name is to change its number in the model; another weight keeps its
// own. The model that was opened is not changed.
func TestWithChangesTheModel(t *testing.T) {
	m := coinOf(t, 4)
	before := model.Convert[float64](m.Float64())
	word := []int32{2, 1, 0}
	for i, weight := range before.Weights.Tensors {
		at := len(weight.Data) / 2
		want := model.Convert[float64](before)
		want.Weights.Tensors[i].Data[at] += 0.25
		want.Pack()
		change := fmt.Sprintf("%s[%s]=%v", weight.Name, indicesOf(weight.Shape, at), want.Weights.Tensors[i].Data[at])
		got, err := m.With([]string{change})
		if err != nil {
			t.Fatalf("%s: %v", change, err)
		}
		for k, other := range got.Weights.Tensors {
			if !slices.Equal(other.Data, want.Weights.Tensors[k].Data) {
				t.Errorf("%s: %s differs", change, other.Name)
			}
			if !slices.Equal(m.Float64().Weights.Tensors[k].Data, before.Weights.Tensors[k].Data) {
				t.Errorf("%s has changed %s of the model that was opened", change, other.Name)
			}
		}
		if a, b := logitsOf(t, got, word), logitsOf(t, want, word); !slices.Equal(a, b) {
			t.Errorf("%s: logits %v, want %v", change, a, b)
		}
	}
}

// A weight that is set to its own value changes nothing, and of two changes of a weight
// the last one holds.
func TestWithItsOwnValue(t *testing.T) {
	m := coinOf(t, 4)
	word := []int32{2, 1, 0}
	want := logitsOf(t, m.Float64(), word)
	var own []string
	for _, weight := range m.Float64().Weights.Tensors {
		at := len(weight.Data) - 1
		place := fmt.Sprintf("%s[%s]", weight.Name, indicesOf(weight.Shape, at))
		own = append(own, place+"=7", fmt.Sprintf(" %s = %v", place, weight.Data[at]))
	}
	got, err := m.With(own)
	if err != nil {
		t.Fatal(err)
	}
	if logits := logitsOf(t, got, word); !slices.Equal(logits, want) {
		t.Errorf("logits %v, want %v", logits, want)
	}
	if same, err := m.With(nil); err != nil || same != m.Float64() {
		t.Errorf("without changes: another model, or %v", err)
	}
}

func logitsOf(t *testing.T, m *model.Transformer[float64], word []int32) []float64 {
	t.Helper()
	logits, err := m.Logits(word)
	if err != nil {
		t.Fatal(err)
	}
	return logits
}

// Bad input gets one line that says what would be right.
func TestWithRefuses(t *testing.T) {
	m := coinOf(t, 4)
	const form = "is not of the form NAME[i,j]=VALUE, such as unembed.W_U[0,1]=0.5"
	for change, want := range map[string]string{
		"":                           form,
		"embed.W_E":                  form,
		"embed.W_E[0,0]":             form,
		"embed.W_E=1":                form,
		"embed.W_E[0,0=1":            form,
		"embed.W_E0,0]=1":            form,
		"[0,0]=1":                    `the model has no weight ""`,
		"embed.W_B[0,0]=1":           "embed.W_E",
		"embed.W_E[0]=1":             "give 2 numbers, one for each axis of its shape",
		"embed.W_E[0,0,0]=1":         "give 2 numbers",
		"embed.W_E[]=1":              "give 2 numbers",
		"embed.W_E[-1,0]=1":          `index "-1" is outside [0, `,
		"embed.W_E[0,99999]=1":       `index "99999" is outside [0, `,
		"embed.W_E[0,a]=1":           `index "a" is outside [0, `,
		"embed.W_E[0,1.5]=1":         `index "1.5" is outside [0, `,
		"embed.W_E[0,]=1":            `index "" is outside [0, `,
		"embed.W_E[0,0]=":            "want a finite number, such as 0.5",
		"embed.W_E[0,0]=one":         "want a finite number, such as 0.5",
		"embed.W_E[0,0]=NaN":         "want a finite number, such as 0.5",
		"embed.W_E[0,0]=Inf":         "want a finite number, such as 0.5",
		"embed.W_E[0,0]=1e999":       "want a finite number, such as 0.5",
		"embed.W_E[0,0]=1=2":         "want a finite number, such as 0.5",
		"embed.W_E[0,\n0]=\n1\nmore": "want a finite number",
		"embed.W_E[0,\n]=1":          "is outside [0, ",
	} {
		_, err := m.With([]string{"embed.W_E[0,0]=1", change})
		if err == nil {
			t.Errorf("%q: no error", change)
			continue
		}
		if text := err.Error(); !strings.Contains(text, want) || strings.Contains(text, "\n") {
			t.Errorf("%q: %q, want one line with %q", change, text, want)
		}
	}
}
