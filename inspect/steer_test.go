package inspect

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"foretell/document/documenttest"
	"foretell/process"
	"foretell/run/runtest"
)

// steered moves a tiny run to a belief.
func steered(t *testing.T, m *Model, word, belief string) (*Steered, error) {
	t.Helper()
	tokens, err := m.ParseWord(word)
	if err != nil {
		t.Fatal(err)
	}
	to, err := m.ParseBelief(belief)
	if err != nil {
		return nil, err
	}
	return m.Steer(t.Context(), SteerRequest{Word: tokens, Belief: to})
}

// Without a move the answer is that of Predict, and the optimum is the process's for the
// belief. A move to what the regression reads is no move.
func TestSteerAgreesWithPredict(t *testing.T) {
	t.Chdir(t.TempDir())
	runtest.Train(t, filepath.Join("runs", "first"))
	m, err := Open(filepath.Join("runs", "first"), nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := steered(t, m, "0,1,1", "0.2,0.3,0.5")
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Predict(s.Tokens)
	if err != nil {
		t.Fatal(err)
	}
	source, err := m.Process()
	if err != nil {
		t.Fatal(err)
	}
	if !near(s.Moves[0].Model, p.Model) || !near(s.Optimal, source.(process.Observer).Next([]float64{0.2, 0.3, 0.5})) {
		t.Errorf("the answer is %+v, and Predict has %v", s, p.Model)
	}
	for _, move := range s.Moves[1:] {
		kl := 0.0
		for z, q := range s.Optimal {
			kl += q * math.Log(q/move.Model[z])
		}
		if math.Abs(kl-move.KL) > 1e-6 || move.Distance <= 0 {
			t.Errorf("%s: KL %g, and the predictions have %g; distance %g", move.Name, move.KL, kl, move.Distance)
		}
		for i, x := range move.Read {
			if math.Abs(x-s.Belief[i]) > 1e-3 {
				t.Errorf("%s: the regression reads %v", move.Name, move.Read)
			}
		}
	}
	same, err := m.Steer(t.Context(), SteerRequest{Word: s.Tokens, Belief: settled(s.Moves[0].Read)})
	if err != nil {
		t.Fatal(err)
	}
	if d := same.Moves[2].Distance; d > 1e-3*s.Moves[2].Distance {
		t.Errorf("a move to what is read is %g long", d)
	}
	shown := &SteeredModel{Steered: s, Model: "runs/first"}
	text, err := documenttest.Written(shown.Forms("foretell steer runs/first"), ".html")
	if err != nil {
		t.Fatal(err)
	}
	documenttest.Offline(t, text)
	if !strings.Contains(string(text), "likeliest") || !strings.Contains(string(text), "foretell steer runs/first") {
		t.Error("the page lacks the likeliest move or the command")
	}
}

// settled returns a belief whose sum is 1.
func settled(belief []float64) []float64 {
	sum := 0.0
	for _, x := range belief {
		sum += x
	}
	out := make([]float64, len(belief))
	for i, x := range belief {
		out[i] = x / sum
	}
	return out
}

// What is wrong with a belief is said in one line.
func TestSteerRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	runtest.Train(t, filepath.Join("runs", "first"))
	m, err := Open(filepath.Join("runs", "first"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for belief, want := range map[string]string{
		"0.5,0.5": "2 numbers given; want one for each of the states", "0.5,0.5,0.5": "sum 1.5; want 1",
		"1.5,-0.5,0": "-0.5; want a probability", "a,0,1": `"a" is not a number`, "NaN,0,1": "want a probability",
		"": "no belief is given",
	} {
		if _, err := steered(t, m, "0", belief); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", belief, err, want)
		}
	}
	coin, err := Open("craft:coin", process.Params{"n_ctx": 4.0})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := coin.Steer(t.Context(), SteerRequest{Word: []int32{2}, Belief: []float64{1}}); err == nil {
		t.Error("a process without hidden states has a belief")
	}
}
