package induction

import (
	"context"
	"fmt"
	"math"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/internal/random"
	"foretell/paper/internal/numerals"
	"foretell/process"
)

// Constants of row I2's rule.
const (
	wordsLength  = 7       // length up to which all sequences are enumerated
	longSequence = 100_000 // number of tokens in the long sequences
	concentrates = 1e-6    // largest posterior probability of the other lags after a long sequence
)

// predictors returns row I2, which tests D'Angelo et al. 2025, Sec. 3.
func (l *lab) predictors() claim.Row {
	return texts.Fill(claim.Row{
		ID: "I2", Kind: claim.Identity,
		RuleCommit: "c00b82b", ChangedAfterResult: true,
		First: claim.FirstBy("c00b82b", predicted.judge),
		Test: claim.Steps[predicted]{
			Measure: measurePredictors, Judge: predicted.judge, Tabulate: predicted.tabulate, Draw: predicted.draw,
		}.Test,
	}, map[string]any{
		"lags": example, "others": twoApart, "length": wordsLength, "equal": numerals.Scientific(equal),
		"long": numerals.Grouped(longSequence), "concentrated": numerals.Scientific(concentrates),
	})
}

// predictedRows is the P of row I2: small, so that there are few sequences, and without a
// zero, so that maximum likelihood gives no token probability 0.
var predictedRows = [][]float64{{0.5, 0.3, 0.2}, {0.1, 0.6, 0.3}, {0.7, 0.1, 0.2}}

// predicted holds the measurements of row I2.
type predicted struct{ tasks []predictedTask }

// predictedTask holds, for a set of lags and by position, the cross-entropies of
// predictors in nats, the entropy of the next token, and the floor (the smallest possible
// cross-entropy as [process.Interleaved.Floor] computes it).
type predictedTask struct {
	task
	entropy, floor, bma, ml []float64
	left                    []float64 // posterior probability of the other lags after a long sequence, by true lag
}

func measurePredictors(ctx context.Context, _ *claim.Study) (predicted, error) {
	var m predicted
	for _, of := range []task{example, twoApart} {
		p := must(process.NewInterleaved(predictedRows, of.lags()))
		floor, err := p.Floor(ctx, wordsLength)
		if err != nil {
			return m, err
		}
		t := predictedTask{task: of, floor: floor.ByPosition}
		t.overWords(p)
		t.longRun(p)
		m.tasks = append(m.tasks, t)
	}
	return m, nil
}

// overWords sets the entropies and cross-entropies from all sequences up to wordsLength.
func (t *predictedTask) overWords(p *process.Interleaved) {
	n := len(predictedRows)
	words := [][]int32{nil}
	bma, ml := p.Predictor(), p.ML()
	for range wordsLength {
		entropy, byBMA, byML := 0.0, 0.0, 0.0
		var longer [][]int32
		for _, word := range words {
			before := t.probability(p, word)
			next, best := make([]float64, n), make([]float64, n)
			after(bma, word, next)
			after(ml, word, best)
			for z := range n {
				long := append(word[:len(word):len(word)], int32(z))
				joint := t.probability(p, long)
				if joint == 0 {
					continue
				}
				longer = append(longer, long)
				entropy -= joint * math.Log(joint/before)
				byBMA, byML = byBMA-joint*math.Log(next[z]), byML-joint*math.Log(best[z])
			}
		}
		t.entropy = append(t.entropy, entropy)
		t.bma = append(t.bma, byBMA)
		t.ml = append(t.ml, byML)
		words = longer
	}
}

// probability returns the probability of a sequence under Algorithm 1: the likelihood of
// Sec. 3, averaged over lags.
func (t *predictedTask) probability(p *process.Interleaved, word []int32) float64 {
	total := 0.0
	for _, lag := range p.Lags() {
		total += likelihood(p, t.task, word, lag) / float64(len(p.Lags()))
	}
	return total
}

// after writes the prediction after a sequence to next.
func after(by process.Predictor, word []int32, next []float64) {
	by.Reset()
	for _, z := range word {
		mustObserve(by, z)
	}
	by.Next(next)
}

// longRun sets the posterior probability of the other lags after a long sequence of each
// lag.
func (t *predictedTask) longRun(p *process.Interleaved) {
	sampler := must(p.ChainSampler())
	tokens, word := make([]uint8, longSequence), make([]int32, longSequence)
	for k, lag := range p.Lags() {
		sampler.Fill(tokens, 1, lag, random.New(1, "paper/induction/long", uint64(t.longest()), uint64(k)))
		for i, z := range tokens {
			word[i] = int32(z)
		}
		others := 0.0
		for r, w := range must(p.Posterior(word)) {
			if r != k {
				others += w
			}
		}
		t.left = append(t.left, others)
	}
}

// errors returns the largest values that row I2 bounds: the difference of BMA from the
// entropy, the difference of the floor from it, how far ML is below it, and the posterior
// probability of the other lags.
func (t predictedTask) errors() (entropy, floor, below, left float64) {
	for i, h := range t.entropy {
		entropy, floor = max(entropy, math.Abs(t.bma[i]-h)), max(floor, math.Abs(t.floor[i]-h))
		below = max(below, h-t.ml[i])
	}
	for _, w := range t.left {
		left = max(left, w)
	}
	return entropy, floor, below, left
}

func (m predicted) judge() claim.Finding {
	f := claim.Finding{Verdict: claim.Holds}
	worst := 0.0
	for _, t := range m.tasks {
		entropy, floor, below, left := t.errors()
		c := claim.Condition{
			Name: "lags " + t.String(), Verdict: claim.Holds, Converged: true,
			Obtained: fmt.Sprintf("BMA differs from the entropy by %.1e nats, and the floor by %.1e; ML is up to "+
				"%.4f nats above it; the other lags have posterior probability %.1e", entropy, floor, t.most(), left),
			Effect: claim.Exactly("BMA's largest difference from the entropy", "nats", entropy),
		}
		if !(max(entropy, floor, below) <= equal && left <= concentrates) { // NaN fails, too
			c.Verdict, f.Verdict = claim.Fails, claim.Fails
		}
		worst = max(worst, entropy, floor)
		f.Conditions = append(f.Conditions, c)
	}
	f.Effect = claim.Exactly("largest difference of BMA or the floor from the entropy", "nats", worst)
	f.Obtained = f.Conditions[0].Name + ": " + f.Conditions[0].Obtained
	for _, c := range f.Conditions[1:] {
		f.Obtained += "; " + c.Name + ": " + c.Obtained
	}
	return f
}

// most returns the largest difference of ML's cross-entropy above the entropy.
func (t predictedTask) most() float64 {
	most := 0.0
	for i, h := range t.entropy {
		most = max(most, t.ml[i]-h)
	}
	return most
}

func (m predicted) tabulate(c *claim.Claim) {
	for i, t := range m.tasks {
		c.Tables = append(c.Tables, byPredictor(i, t).Table())
	}
}

// byPredictor returns the numbers of tasks by position. The first task has the given
// number.
func byPredictor(first int, tasks ...predictedTask) document.Frame {
	f := document.Frame{
		Title: fmt.Sprintf("lags %s: nats by position, over all sequences", tasks[0].task),
		Columns: []document.Column{
			{Name: "task"},
			{Name: "position", Heading: "position"},
			{Name: "entropy", Heading: "entropy", Format: "%.6f", Meaning: "entropy of the next token, nats"},
			{Name: "floor"},
			{Name: "bma", Heading: "BMA", Format: "%.6f"},
			{Name: "ml", Heading: "ML", Format: "%.6f"},
			{Heading: "ML minus entropy", Format: "%.6f"},
		},
	}
	for i, t := range tasks {
		for at, h := range t.entropy {
			f.Row(first+i, at+1, h, t.floor[at], t.bma[at], t.ml[at], t.ml[at]-h)
		}
	}
	return f
}

func (m predicted) draw(out *claim.Output) {
	var panels []figure.Panel
	for _, t := range m.tasks {
		chart := figure.Chart{
			Title: "lags " + t.String(),
			X:     figure.Axis{Label: "position"}, Y: figure.Axis{Label: "cross-entropy (nats)"},
		}
		for k, by := range [][]float64{t.entropy, t.bma, t.ml} {
			s := labelled{name: []string{"entropy", "BMA", "ML"}[k], color: k + 1, along: by}.from(1)
			s.Style = []figure.Style{figure.Line, figure.Scatter, figure.Line}[k]
			s.Open = k == 2
			chart.Series = append(chart.Series, s)
		}
		panels = append(panels, chart)
	}
	out.Figure("predictors", figure.Row("The optimal predictor",
		"Two charts: marks on a line that falls after the largest lag, and a dashed line above it.", panels...))
	out.CSV("predictors", byPredictor(0, m.tasks...))
}
