package coin

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/craft"
	"foretell/figure"
	"foretell/model"
	"foretell/process"
)

// made is what C5 measures, of small numbers that none has twice.
func made() exact {
	m := exact{}
	for i, p := range priors {
		k := 1000 * (i + 1)
		m.models = append(m.models, counter{
			prior: p, neurons: k + 1, parameters: k + 2, worst: craft.Worst{Heads: k + 3, Tails: k + 4, Error: exactError / float64(2+i)},
			moved: exactOrderError / float64(3+i),
		})
		for j, e := range []float64{1e-1, 1e-3} {
			n := k + 10*j
			m.costs = append(m.costs, cost{p, e, n + 5, n + 6, n + 7, n + 8})
		}
	}
	return m
}

// The row of C5 comes out with all texts and files of what is measured.
func TestExactCoinIsWritten(t *testing.T) {
	row := exactCoin()
	row.Test = claim.Steps[exact]{
		Measure: func(context.Context, *claim.Study) (exact, error) { return made(), nil },
		Judge:   exact.judge, Tabulate: exact.tabulate, Draw: exact.draw,
	}.Test
	claimtest.Verdicts(t, []claim.Row{row}, map[string]claim.Verdict{"C5": claim.Holds})
}

// The table has a row for each prior with its own numbers, the figure both costs of each
// prior, in one colour, and the effect is the worst of all.
func TestExactCoinTabulates(t *testing.T) {
	m, c := made(), &claim.Claim{}
	m.tabulate(c)
	if len(c.Tables) != 1 || len(c.Tables[0].Rows) != len(priors) {
		t.Fatalf("%d tables", len(c.Tables))
	}
	for i, row := range c.Tables[0].Rows {
		of := m.models[i]
		if len(row) != len(c.Tables[0].Columns) || row[0] != priors[i].String() || row[1] != strconv.Itoa(of.neurons) ||
			row[2] != strconv.Itoa(of.parameters) {
			t.Errorf("row %d: %q of %q", i, row, c.Tables[0].Columns)
		}
		if worst, err := strconv.ParseFloat(row[3], 64); err != nil || math.Abs(worst/of.worst.Error-1) > 1e-3 {
			t.Errorf("row %d: error %s, want %v", i, row[3], of.worst.Error)
		}
		var heads, tails int
		if n, err := fmt.Sscanf(row[4], "%d heads, %d tails", &heads, &tails); n != 2 || heads != of.worst.Heads || tails != of.worst.Tails {
			t.Errorf("row %d: at %s (%v)", i, row[4], err)
		}
	}
	found := m.judge()
	if len(found.Conditions) != len(priors) {
		t.Errorf("%d conditions", len(found.Conditions))
	}
	for i, condition := range found.Conditions {
		if condition.Verdict != claim.Holds || condition.Name != priors[i].String() {
			t.Errorf("condition %d: %+v", i, condition)
		}
		m.models[i].moved = 1.01 * exactOrderError
		for j, other := range m.judge().Conditions {
			if want := map[bool]claim.Verdict{true: claim.Fails, false: claim.Holds}[i == j]; other.Verdict != want {
				t.Errorf("with shuffles of prior %d condition %d is %s", i, j, other.Verdict)
			}
		}
		m.models[i].moved = 0
	}
	chart := m.figure().Panels[0][0].(figure.Chart)
	if _, err := m.figure().SVG(); err != nil || len(chart.Series) != 2*len(priors) {
		t.Fatalf("%d series (%v)", len(chart.Series), err)
	}
	colors := map[int]bool{}
	for i, p := range priors {
		mlp, alone := chart.Series[2*i], chart.Series[2*i+1]
		if mlp.Color != alone.Color || colors[mlp.Color] || mlp.Open || !alone.Open || mlp.Name != p.String() {
			t.Errorf("the series of %s: %+v and %+v", p, mlp, alone)
		}
		colors[mlp.Color] = true
		for j, c := range m.costs[2*i : 2*i+2] {
			if mlp.X[j] != c.asked || alone.X[j] != c.asked || mlp.Y[j] != float64(c.mlpParameters) || alone.Y[j] != float64(c.headsParameters) {
				t.Errorf("point %d of %s: %+v and %+v, want %+v", j, p, mlp, alone, c)
			}
		}
	}
}

// A hundredth of the error takes ten times the neurons of an MLP and hardly more heads,
// and parameters are those of the models themselves.
func TestCostsOfAnExactCoin(t *testing.T) {
	for _, p := range priors {
		var before cost
		for i, e := range []float64{1e-2, 1e-4} {
			c, err := measureCost(p, e)
			if err != nil {
				t.Fatal(err)
			}
			if c.prior != p || c.asked != e {
				t.Errorf("asked for %v and %g, got %v and %g", p, e, c.prior, c.asked)
			}
			coin := craft.Coin{A: p.a, B: p.b, NCtx: exactContext, Error: e}
			for what, of := range map[string]struct {
				build      func() (*model.Transformer[float64], error)
				parameters int
				shape      func(c model.Config) int
				size       int
			}{
				"MLP":   {coin.Transformer, c.mlpParameters, func(c model.Config) int { return c.DMLP }, c.neurons},
				"heads": {coin.AttentionOnly, c.headsParameters, func(c model.Config) int { return c.NHeads[0] }, c.heads},
			} {
				m, err := of.build()
				if err != nil {
					t.Fatal(err)
				}
				if len(m.Weights.Data) != of.parameters || of.shape(m.Config) != of.size {
					t.Errorf("%v to %g, %s: %d parameters, %d of them wide; the model has %d", p, e, what, of.parameters, of.size, len(m.Weights.Data))
				}
			}
			if ratio := float64(c.neurons) / float64(before.neurons); i > 0 && (ratio < 7 || ratio > 13) {
				t.Errorf("%v: %d neurons, then %d", p, before.neurons, c.neurons)
			}
			if i > 0 && (c.heads <= before.heads || c.heads > 6*before.heads) {
				t.Errorf("%v: %d heads, then %d", p, before.heads, c.heads)
			}
			before = c
		}
	}
	for _, bad := range []prior{{0, 1}, {1, -1}} {
		if _, err := measureCost(bad, 1e-2); err == nil {
			t.Errorf("%v has a cost", bad)
		}
		if _, err := measureCounter(bad); err == nil {
			t.Errorf("%v is measured", bad)
		}
	}
	if _, err := measureCost(priors[0], 0); err == nil {
		t.Error("no error has a cost")
	}
}

// Every sequence of n flips comes once, after BOS, and as few as are taken.
func TestSequencesOfFlips(t *testing.T) {
	for n := range 6 {
		seen := map[string]bool{}
		for tokens := range everySequence(n) {
			if len(tokens) != n+1 || tokens[0] != process.BOS || slices.ContainsFunc(tokens[1:], func(z int32) bool { return z != 0 && z != 1 }) {
				t.Errorf("%v is no sequence of %d flips", tokens, n)
			}
			seen[fmt.Sprint(tokens)] = true
		}
		if len(seen) != 1<<n {
			t.Errorf("%d sequences of %d flips", len(seen), n)
		}
	}
	for taken := 1; taken <= 4; taken++ {
		for what, sequences := range map[string]func(yield func([]int32) bool){
			"all": everySequence(4), "sampled": sampledSequences(4, 9),
		} {
			n := 0
			for range sequences {
				if n++; n == taken {
					break
				}
			}
			if n != taken {
				t.Errorf("%s: %d taken of %d", what, n, taken)
			}
		}
	}
	ones, total := 0, 0
	for tokens := range sampledSequences(50, 400) {
		if len(tokens) != 51 || tokens[0] != process.BOS {
			t.Fatalf("%v", tokens)
		}
		for _, z := range tokens[1:] {
			ones, total = ones+int(z), total+1
		}
	}
	if total != 20_000 || math.Abs(float64(ones)-10_000) > 5*math.Sqrt(5000) {
		t.Errorf("%d heads of %d flips", ones, total)
	}
}

// The distance from uniform attention is half the sum of differences, by position, the
// mean over sequences.
func TestDistancesFromUniform(t *testing.T) {
	pattern := model.Tensor[float32]{Shape: []int{2, 1, 3, 3}, Data: []float32{
		1, 0, 0, 0.5, 0.5, 0, 1, 0, 0,
		1, 0, 0, 0.75, 0.25, 0, 0, 0.5, 0.5,
	}}
	to := make([]float64, 3)
	addDistances(to, pattern, 2)
	for i, want := range []float64{0, 0.125, 0.5} {
		if math.Abs(to[i]-want) > 1e-7 {
			t.Errorf("position %d is %v from uniform, want %v", i, to[i], want)
		}
	}
}

// The divergence of a coin's predictions is that of two Bernoullis, each sequence from
// its start, and one that cannot occur is an error.
func TestDivergencesOfACoin(t *testing.T) {
	p, err := process.NewCoin(2, 3)
	if err != nil {
		t.Fatal(err)
	}
	tokens := []int32{process.BOS, 1, 0, process.BOS, 0, 0}
	logits := make([]float32, 3*len(tokens)) // with heads half as likely as tails, and no BOS
	for i := range tokens {
		logits[3*i], logits[3*i+1], logits[3*i+process.BOS] = float32(math.Log(2)), 0, -1000
	}
	got, err := diverge(logits, p.WithBOS(), tokens, 3)
	if err != nil {
		t.Fatal(err)
	}
	heads, flips := 0.0, 0.0
	for i, z := range tokens {
		if i%3 == 0 {
			heads, flips = 0, 0
		} else {
			heads, flips = heads+float64(z), flips+1
		}
		q := (2 + heads) / (5 + flips)
		want := q*math.Log(3*q) + (1-q)*math.Log(1.5*(1-q))
		if math.Abs(got[i]-want) > 1e-7 {
			t.Errorf("token %d: %v nats, want %v", i, got[i], want)
		}
	}
	if _, err := diverge(logits, p.WithBOS(), []int32{1, 1, 1, 1, 1, 1}, 3); err == nil {
		t.Error("a sequence without BOS has predictions")
	}
}
