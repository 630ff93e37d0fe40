package train

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"foretell/model"
	"foretell/process"

	"pgregory.net/rapid"
)

// A forest has every distinct prefix with all that its sequences gave it, and no pass has
// more rows than there is room for.
func TestForestHasEachPrefixOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		T, V := rapid.IntRange(1, 6).Draw(t, "T"), rapid.IntRange(1, 3).Draw(t, "V")
		n, capacity := rapid.IntRange(1, 30).Draw(t, "n"), T+rapid.IntRange(1, 20).Draw(t, "room")
		inputs := rapid.SliceOfN(rapid.Int32Range(0, int32(V-1)), n*T, n*T).Draw(t, "inputs")
		f, want := newForest(capacity, V), map[string]float32{}
		for range 2 { // a cleared forest is as a new one
			f.clear()
			clear(want)
			order := make([]int32, n)
			sortSequences(order, inputs)
			for k, i := range order {
				word := sequence(inputs, i, T)
				f.add(word)
				for at := range T {
					f.at(at)[k%V]++
					want[fmt.Sprint(word[:at+1])]++
				}
			}
		}
		got, rows := map[string]float32{}, 0
		for i := range f.passes() {
			tokens, parents, targets := f.pass(i)
			if rows += len(tokens); len(tokens) > capacity || len(tokens) == 0 {
				t.Fatalf("pass %d has %d rows, room is for %d", i, len(tokens), capacity)
			}
			words := make([][]int32, len(tokens))
			for row, token := range tokens {
				if parent := parents[row]; parent >= 0 {
					words[row] = slices.Clone(words[parent])
				}
				words[row] = append(words[row], token)
				for _, x := range targets[row*V : (row+1)*V] {
					got[fmt.Sprint(words[row])] += x
				}
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("the rows hold %v, want %v", got, want)
		}
		if most := len(want) + (f.passes()-1)*2*T; rows > most {
			t.Fatalf("%d rows in %d passes for %d prefixes", rows, f.passes(), len(want))
		}
	})
}

// A step that shares prefixes has the loss and the gradient of one that does not, to
// rounding, whatever is asked.
func TestSharedPrefixesHaveTheGradientOfTheBatch(t *testing.T) {
	for name, change := range objectives {
		for _, objective := range []string{objectiveSampled, objectiveOptimal} {
			c := smallConfig()
			change(&c)
			c.Train.Objective = objective
			plain := newTrainer(t, c, 2)
			c.Train.SharePrefixes = shareOn
			shared := newTrainer(t, c, 2)
			want, got := step(t, plain), step(t, shared)
			if math.Abs(got-want) > 1e-6*want {
				t.Errorf("%s, %s: loss %v, want %v", name, objective, got, want)
			}
			gradientsAgree(t, name+", "+objective, toFloat64(shared.grads[0].Data), toFloat64(plain.grads[0].Data))
			tokens := 0
			for i := range shared.forest().passes() {
				rows, _, _ := shared.forest().pass(i)
				tokens += len(rows)
			}
			if positions := c.Train.BatchSize * plain.Plan.objective.Length(); tokens >= positions {
				t.Errorf("%s: %d rows for %d positions", name, tokens, positions)
			}
		}
	}
}

// The exact objective has the loss and the gradient of the sum over all words by their
// probabilities, which float64 adds up word by word.
func TestExactObjectiveIsTheExpectation(t *testing.T) {
	for name, change := range objectives {
		c := smallConfig()
		change(&c)
		c.Model.NCtx = min(c.Model.NCtx, 5)
		if c.Train.LossPositions != nil {
			c.Train.LossPositions = []int{5, 2}[:len(c.Train.LossPositions)]
		}
		c.Train.Objective, c.Train.BatchSize = objectiveExact, 0
		trainer := newTrainer(t, c, 2)
		m := model.Convert[float64](trainer.Model)
		m.Pack()
		want, grads := expectedLoss(t, m, trainer)
		got := step(t, trainer)
		if math.Abs(got-want) > 1e-6*want {
			t.Errorf("%s: loss %v, want %v", name, got, want)
		}
		gradientsAgree(t, name, toFloat64(trainer.grads[0].Data), grads.Data)
	}
}

// expectedLoss returns the objective's expectation over the words of its length, and its
// gradient.
func expectedLoss(t *testing.T, m *model.Transformer[float64], trainer *Trainer) (float64, *model.Weights[float64]) {
	t.Helper()
	c, p, grads, loss := trainer.Config, trainer.Process.(process.Process), model.NewWeights[float64](trainer.Config.Model), 0.0
	length, V := c.Objective().Length(), c.Model.DVocab
	words, err := process.Words(t.Context(), p, length)
	if err != nil {
		t.Fatal(err)
	}
	one := c // of which weightOf gives the weights of a single sequence
	one.Train.BatchSize = 1
	w := model.NewWorkspace[float64](c.Model, 1)
	from, to := words.Range(length)
	for leaf := from; leaf < to; leaf++ {
		if words.Prob[leaf] == 0 {
			continue
		}
		word, soft := words.Tokens(leaf), make([]float64, length*V)
		for at := range length {
			for z, q := range words.NextTokens(words.Row(word[:at+1])) {
				if q > 0 {
					soft[at*V+z] = words.Prob[leaf] * q * weightOf(t, one, p, word[:at+1], z)
				}
			}
		}
		m.Forward(w, word, 1)
		loss += m.SoftCrossEntropy(w, soft)
		m.Backward(w, word, grads)
	}
	return loss, grads
}

// gradientsAgree compares gradients by their distance over their length.
func gradientsAgree(t *testing.T, what string, got, want []float64) {
	t.Helper()
	off, norm := 0.0, 0.0
	for i, x := range want {
		off, norm = off+(got[i]-x)*(got[i]-x), norm+x*x
	}
	if off, norm = math.Sqrt(off), math.Sqrt(norm); !(off <= 3e-6*norm) {
		t.Errorf("%s: the gradient is off by %.2g of its norm %.3g", what, off, norm)
	}
}

func toFloat64(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// What the exact objective ends in, its evaluation says without an estimate: the expected
// divergence over all words.
func TestExactEvaluationIsExact(t *testing.T) {
	c := smallConfig()
	c.Train.Objective, c.Train.BatchSize = objectiveExact, 0
	trainer := newTrainer(t, c, 2)
	m := model.Convert[float64](trainer.Model)
	m.Pack()
	loss, _ := expectedLoss(t, m, trainer)
	e := evaluate(t, trainer)
	if !e.FloorIsExact || math.Abs(e.LossEval-loss) > 1e-6 {
		t.Errorf("loss %v, want %v", e.LossEval, loss)
	}
}

// Auto shares where few prefixes are distinct.
func TestAutoSharesWhereItPays(t *testing.T) {
	for _, test := range []struct {
		batch, nCtx int
		want        bool
	}{{512, 4, true}, {8, 40, false}} {
		c := smallConfig()
		c.Train.BatchSize, c.Model.NCtx, c.Train.SharePrefixes = test.batch, test.nCtx, shareAuto
		if got := newTrainer(t, c, 1).sharing != nil; got != test.want {
			t.Errorf("%d sequences of %d tokens: shared %v", test.batch, test.nCtx, got)
		}
	}
}
