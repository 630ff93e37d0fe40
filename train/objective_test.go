package train

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/internal/kernel"
	"foretell/internal/random"
	"foretell/model"
	"foretell/process"
)

// smallBrackets are a signal whose retrieval steps come early.
var smallBrackets = ProcessConfig{Name: "brackets", Params: process.Params{"tags": 3.0, "depth": 2.0, "open": 0.3, "close": 0.3}}

// objectives are configurations that between them ask in every way.
var objectives = map[string]func(*Config){
	"every position":     func(*Config) {},
	"weights":            func(c *Config) { c.Train.LossPositions, c.Train.LossWeights = []int{6, 2}, []float64{3, 1} },
	"the last":           func(c *Config) { c.Train.LossPositions = []int{6} },
	"interleaved":        func(c *Config) { c.Process.Name = "interleaved" },
	"coin":               func(c *Config) { c.Process.Name = "coin" },
	"more vocabulary":    func(c *Config) { c.Model.DVocab = 5 },
	"events":             func(c *Config) { c.Process, c.Train.EventWeight = smallBrackets, 10 },
	"events of keys":     func(c *Config) { c.Process, c.Train.EventWeight = smallSwitching, 10 },
	"events at the last": func(c *Config) { c.Process, c.Train.EventWeight, c.Train.LossPositions = smallBrackets, 0.5, []int{5} },
}

// smallSwitching is a signal in which a retrieval step is not certain to come.
var smallSwitching = ProcessConfig{Name: "switching_delay", Params: process.Params{"delays": []float64{2, 3}, "values": 4.0, "key": 0.2}}

// asked returns a configuration of objectives and a batch of it at a step.
func asked(t *testing.T, change func(*Config), targets string) (c Config, p process.Process, b *batch, inputs []int32) {
	t.Helper()
	c = smallConfig()
	change(&c)
	c.Train.Objective = targets
	plan := mustPlan(t, c)
	b = newBatch(plan, 8, plan.objective.LastOnly())
	return plan.config, plan.process.(process.Process), b, b.draw(3, 5, 8)
}

// weightOf is w_t·r_t(z) over the sequences of a step, from the definition: z comes
// after some tokens.
func weightOf(t *testing.T, c Config, p process.Sampler, tokens []int32, z int) float64 {
	t.Helper()
	weight := c.Objective().Weights[len(tokens)-1] / float64(c.Train.BatchSize)
	marks, ok := p.(process.Retriever)
	if !ok {
		return weight
	}
	steps, err := marks.Retrievals(append(slices.Clone(tokens), int32(z)))
	if err != nil {
		t.Fatal(err)
	}
	if steps[len(tokens)] {
		weight *= c.Objective().EventWeight
	}
	return weight
}

// The weights of sampled targets are those of the definition, and sampled targets are
// the tokens that come next.
func TestSampledTargets(t *testing.T) {
	for name, change := range objectives {
		c, p, b, inputs := asked(t, change, objectiveSampled)
		events := 0
		for row := range b.n * b.R {
			sequence := inputs[row/b.R*b.T : (row/b.R+1)*b.T]
			tokens := sequence[:row%b.R+1+b.T-b.R]
			want := weightOf(t, c, p, tokens, int(b.targets[row]))
			if got := b.weights[row]; got != float32(want) {
				t.Errorf("%s: the weight of %d after %v is %v, want %v", name, b.targets[row], tokens, got, want)
			}
			if len(tokens) < b.T && b.targets[row] != sequence[len(tokens)] {
				t.Errorf("%s: the target after %v of %v is %d", name, tokens, sequence, b.targets[row])
			}
			if want > c.Objective().Weights[len(tokens)-1]/float64(c.Train.BatchSize) {
				events++
			}
		}
		if strings.HasPrefix(name, "events") && c.Train.EventWeight > 1 && (events == 0 || events == b.n*b.R) {
			t.Errorf("%s: %d of %d targets are retrieval steps", name, events, b.n*b.R)
		}
	}
}

// Against the optimal predictor's distributions the loss and its gradient are those
// against the sampled token, in expectation over what comes after the same tokens.
func TestOptimalTargetsAreTheExpectation(t *testing.T) {
	for name, change := range objectives {
		c, p, b, inputs := asked(t, change, objectiveOptimal)
		V, s := b.V, random.New(1, "test/logits")
		logits, grad := make([]float32, b.n*b.R*V), make([]float32, b.n*b.R*V)
		for i := range logits {
			logits[i] = float32(s.Normal())
		}
		loss := kernel.SoftCrossEntropy(0, grad, logits, b.n*b.R, V, b.soft)
		wantLoss, next, one := 0.0, make([]float64, p.Alphabet()), make([]float64, V)
		for row := range b.n * b.R {
			tokens := inputs[row/b.R*b.T:][:row%b.R+1+b.T-b.R]
			predictor := p.Predictor()
			for _, z := range tokens {
				observe(predictor, z)
			}
			predictor.Next(next)
			x, want := make([]float64, V), make([]float64, V)
			for z := range x {
				x[z] = float64(logits[row*V+z])
			}
			for z, q := range next {
				if q == 0 {
					continue
				}
				weight := q * weightOf(t, c, p, tokens, z)
				wantLoss += kernel.CrossEntropy(0, one, x, 1, V, []int32{int32(z)}, []float64{weight})
				for j := range want {
					want[j] += one[j]
				}
			}
			for j, g := range grad[row*V : (row+1)*V] {
				if math.Abs(float64(g)-want[j]) > 1e-7 {
					t.Fatalf("%s: gradient %v after %v, want %v", name, grad[row*V:(row+1)*V], tokens, want)
				}
			}
		}
		if math.Abs(loss-wantLoss) > 1e-6*wantLoss {
			t.Errorf("%s: loss %v, want %v", name, loss, wantLoss)
		}
	}
}

// A step's loss with weighed events is the definition's, over the whole batch.
func TestLossOfEvents(t *testing.T) {
	c := smallConfig()
	c.Process, c.Train.EventWeight = smallBrackets, 10
	trainer := newTrainer(t, c, 2)
	c = trainer.Config
	batch, n, V := c.Train.BatchSize, c.Model.NCtx, c.Model.DVocab
	inputs, targets := make([]int32, batch*n), make([]int32, batch*n)
	newDrawer(trainer.Process, c.Train.Seed, "train/batch", n).draw(inputs, targets, 1, 0, batch)
	m := model.Convert[float64](trainer.Model)
	logits := m.Forward(model.NewWorkspace[float64](c.Model, batch), inputs, batch)
	want := 0.0
	for row, z := range targets {
		tokens := inputs[row/n*n : row+1]
		p := model.Probabilities(logits[row*V : (row+1)*V])
		want -= weightOf(t, c, trainer.Process, tokens, int(z)) * math.Log(p[z])
	}
	if got := step(t, trainer); math.Abs(got-want) > 1e-5*want {
		t.Errorf("loss %v, want %v", got, want)
	}
}

// Without the noise of the sampled tokens the same steps come nearer to the floor.
func TestOptimalTargetsLearnMore(t *testing.T) {
	kl := map[string]float64{}
	for _, targets := range []string{objectiveSampled, objectiveOptimal} {
		c := smallConfig()
		c.Train.Objective, c.Train.NumSteps, c.Train.LRSchedule = targets, 300, "cosine"
		trainer := newTrainer(t, c, 2)
		for range c.Train.NumSteps {
			step(t, trainer)
		}
		kl[targets] = evaluate(t, trainer).KL
	}
	if kl[objectiveOptimal] > kl[objectiveSampled]/2 {
		t.Errorf("KL %v", kl)
	}
}

// What is the default is not written: a configuration that names it is the same run.
func TestDefaultObjectiveIsLeftOut(t *testing.T) {
	plain, err := Parse("c.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	named, err := Parse("c.yaml", []byte(good+"  objective: sampled\n  event_weight: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	want, _ := plain.YAML()
	if got, _ := named.YAML(); string(got) != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if o := named.Objective(); o.EventWeight != 1 || o.Optimal || o.Length() != 6 || o.LastOnly() {
		t.Errorf("%+v", o)
	}
	other, err := Parse("c.yaml", []byte(good+"  objective: optimal_targets\n"))
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := other.YAML(); !strings.Contains(string(text), "  objective: \"optimal_targets\"\n") {
		t.Errorf("the objective is lost:\n%s", text)
	}
	if got := fmt.Sprint(other.Objective().Optimal); got != "true" {
		t.Error("the objective has other targets")
	}
}
