package inspect

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"foretell/document/documenttest"
	"foretell/intervene"
	"foretell/process"
)

// A model written by hand is optimal on its own process and not on another.
func TestEvaluate(t *testing.T) {
	m, err := Open("craft:coin", process.Params{"n_ctx": 12.0})
	if err != nil {
		t.Fatal(err)
	}
	own, err := m.Evaluate(t.Context(), EvaluateRequest{Sequences: 32, Seed: 1})
	if err != nil || math.Abs(own.KL) > 1e-11 || own.Length != 12 {
		t.Fatalf("KL %v over %d tokens (%v)", own.KL, own.Length, err)
	}
	even, err := Find("even", nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := m.Evaluate(t.Context(), EvaluateRequest{Subject: &even, Sequences: 32, Length: 5, Seed: 1})
	if err != nil || other.KL < 0.01 || other.Length != 5 || math.Abs(other.LossEval-other.Floor-other.KL) > 1e-12 {
		t.Errorf("KL %v, loss %v, floor %v (%v)", other.KL, other.LossEval, other.Floor, err)
	}
	var wrong *intervene.ArgumentError
	if _, err := m.Evaluate(t.Context(), EvaluateRequest{Sequences: 1, Length: 13}); !errors.As(err, &wrong) {
		t.Errorf("13 tokens: %v", err)
	}
	text, err := json.Marshal(other)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Process string
		Params  map[string]float64
		Loss    float64
	}
	if err := json.Unmarshal(text, &got); err != nil || got.Process != "even" || got.Params["p"] != 0.5 || got.Loss != other.LossEval {
		t.Errorf("%s (%v)", text, err)
	}
	drawn, err := other.figure()
	documenttest.SVG(t, drawn, err)
	page, err := documenttest.Written(other.Forms("foretell evaluate"), ".html")
	if err != nil {
		t.Fatal(err)
	}
	documenttest.Offline(t, page)
}
