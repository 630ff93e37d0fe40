package describe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"foretell/document/documenttest"
	"foretell/figure"
	"foretell/process"

	"gonum.org/v1/gonum/stat"
)

// die is a loaded die with a memory of one roll, a process of a Go type that no package
// knows: it shows the face before once more with probability stay, and else rolls anew.
type die struct {
	faces []float64 // probabilities
	stay  float64
}

func loadedDie() die { return die{faces: []float64{0.5, 0.3, 0.2}, stay: 0.6} }

func (d die) Name() string  { return "die" }
func (d die) Alphabet() int { return len(d.faces) }

func (d die) Tokens() []string {
	names := make([]string, len(d.faces))
	for z := range names {
		names[z] = fmt.Sprint(z + 1)
	}
	return names
}

// after is the distribution of the roll after a face; −1 stands for none.
func (d die) after(face int) []float64 {
	if face < 0 {
		return d.faces
	}
	next := make([]float64, len(d.faces))
	for z, p := range d.faces {
		next[z] = (1 - d.stay) * p
	}
	next[face] += d.stay
	return next
}

func (d die) Sample(dst []int32, src rand.Source) {
	last := -1
	for t := range dst {
		u, z := float64(src.Uint64()>>11)/(1<<53), 0
		for next := d.after(last); z < len(next)-1 && u >= next[z]; z++ {
			u -= next[z]
		}
		dst[t], last = int32(z), z
	}
}

func (d die) Predictor() process.Predictor { return &diePredictor{d, -1} }

type diePredictor struct {
	die
	last int
}

func (p *diePredictor) Next(dst []float64) { copy(dst, p.after(p.last)) }
func (p *diePredictor) Reset()             { p.last = -1 }

func (p *diePredictor) Observe(token int) error {
	if token < 0 || token >= p.Alphabet() {
		return fmt.Errorf("die: there is no face %d", token)
	}
	p.last = token
	return nil
}

func (d die) Floor(ctx context.Context, positions int) (process.Floor, error) {
	floor := process.Floor{ByPosition: make([]float64, positions), Chance: stat.Entropy(d.faces)}
	rate, _, err := d.EntropyRate(ctx)
	for t := range floor.ByPosition {
		floor.ByPosition[t] = rate
	}
	floor.ByPosition[0] = floor.Chance
	return floor, err
}

func (d die) EntropyRate(context.Context) (rate, halfWidth float64, err error) {
	for face, p := range d.faces {
		rate += p * stat.Entropy(d.after(face))
	}
	return rate, 1e-12, nil
}

// A process that only implements process.Process is described, sampled and solved; what
// it lacks is one line.
func TestAProcessOfAnotherTypeIsShown(t *testing.T) {
	p := loadedDie()
	d, err := Process(t.Context(), Subject{Process: p})
	if err != nil {
		t.Fatal(err)
	}
	if d.Name != "die" || len(d.Tokens) != 3 || d.States != nil || d.Spectrum != nil || d.Beliefs != nil ||
		d.BeliefsError != "die: not known for this process" || d.NoExcessEntropy == "" || d.ExcessEntropy != nil {
		t.Errorf("%+v", d)
	}
	if _, err := json.Marshal(d); err != nil {
		t.Error(err)
	}
	floor, err := Floor(t.Context(), Subject{Process: p}, 4)
	if err != nil || len(floor.Floor) != 4 || floor.Floor[3] != floor.EntropyRate || floor.Floor[0] != floor.Chance {
		t.Errorf("%+v, %v", floor, err)
	}
	var text strings.Builder
	if err := (Sample{Subject: Subject{Process: p}, Number: 2, Length: 3, Seed: 1}).writeJSON(t.Context(), &text); err != nil || strings.Count(text.String(), ",") != 7 {
		t.Errorf("%q, %v", text.String(), err)
	}
	for name, err := range map[string]error{
		"beliefs": failure(Beliefs(t.Context(), Subject{Process: p}, []int32{0})), "check": failure(Check(t.Context(), Subject{Process: p})), "states": failure(StateGraph(t.Context(), p)),
		"graph": failure(BeliefGraph(t.Context(), p)), "geometry": failure(Geometry(t.Context(), p)), "attention": failure(Attention(t.Context(), p)),
	} {
		if !errors.Is(err, ErrNoHMM) || err.Error() != "die is not a hidden Markov model" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func failure[T any](_ T, err error) error { return err }

// ceilingDie states its greatest accuracy, and a signal that does not is shown without.
type ceilingDie struct{ die }

func (ceilingDie) Ceiling(_ context.Context, positions int) (process.Ceiling, error) {
	c := process.Ceiling{ByPosition: make([]float64, positions), Retrieval: make([]float64, positions)}
	for t := range c.ByPosition {
		c.ByPosition[t] = 0.75
	}
	return c, nil
}

func TestTheCeilingOfASignal(t *testing.T) {
	for _, c := range []struct {
		p     process.Process
		wrong string
	}{
		{ceilingDie{loadedDie()}, ""},
		{loadedDie(), "die: the process does not state its greatest accuracy"},
	} {
		d, err := Process(t.Context(), Subject{Process: c.p, Entry: process.Entry{Kind: "signal"}})
		if err != nil || d.CeilingError != c.wrong || (d.Ceiling == nil) != (c.wrong != "") {
			t.Fatalf("%+v, %v", d, err)
		}
		if d.Ceiling != nil && (d.Ceiling.Accuracy != 0.75 || d.Ceiling.Context != 64 || *d.Ceiling.Retrieval != 0) {
			t.Errorf("%+v", d.Ceiling)
		}
	}
}

// hidden is an HMM under another Go type, which has what its methods say, and no theory.
type hidden struct{ *process.HMM }

func TestAnHMMOfAnotherTypeIsDrawn(t *testing.T) {
	even, err := process.Build("even", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, draw := range map[string]func(context.Context, process.Process) (*figure.Figure, error){
		"states": graphed(StateGraph), "beliefs": graphed(BeliefGraph),
	} {
		want, err := draw(t.Context(), even)
		if err != nil {
			t.Fatal(err)
		}
		got, err := draw(t.Context(), hidden{even.(*process.HMM)})
		if err != nil {
			t.Fatal(err)
		}
		if documenttest.SVG(t, got, nil) != documenttest.SVG(t, want, nil) {
			t.Errorf("%s: another picture of the same process", name)
		}
	}
	if _, err := Attention(t.Context(), hidden{even.(*process.HMM)}); !errors.Is(err, ErrNoHMM) {
		t.Errorf("attention: %v", err)
	}
}

func graphed(of func(context.Context, process.Process) (*Graph, error)) func(context.Context, process.Process) (*figure.Figure, error) {
	return func(ctx context.Context, p process.Process) (*figure.Figure, error) {
		g, err := of(ctx, p)
		if err != nil {
			return nil, err
		}
		return g.Figure()
	}
}
