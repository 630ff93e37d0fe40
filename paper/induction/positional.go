package induction

import (
	"context"

	"foretell/claim"
	"foretell/craft"
	"foretell/paper/internal/numerals"
)

// positional returns row I4, which tests D'Angelo et al. 2025, App. H.
func (l *lab) positional() claim.Row {
	return texts.Fill(claim.Row{
		ID: "I4", Kind: claim.Formula, Severity: claim.Consequential, Setting: l.constructedSetting(),
		RuleCommit: "c216138", ChangedAfterResult: true,
		First: claim.FirstBy("c216138", construct.judge),
		Test: claim.Steps[construct]{
			Measure: l.measurePositional, Judge: construct.judge, Tabulate: construct.tabulate, Draw: construct.draw,
		}.Test,
	}, map[string]any{"equal": numerals.Scientific(equal), "mostLag": mostLag})
}

func (l *lab) measurePositional(ctx context.Context, s *claim.Study) (construct, error) {
	var m construct
	trials := trialsOf(contiguousUpTo(mostLag))
	m.compare(trials, func(c craft.Induction) []craft.Induction {
		c.Third = craft.Positional
		one := c
		one.Heads = 1
		return []craft.Induction{c, one}
	})
	several := trialsOf(atLeast(2, contiguousUpTo(mostLag)))
	m.formulas = try(
		attempt{formula{
			place: "App. H: equivalence", printed: "the same predictor as in Sec. 4.1",
			right: "for i ≥ 2k̂+K−1; from i = k̂+K up to that position, where Sec. 4.1 lacks masks, only this " +
				"construction is right",
		}, several, sameRows},
		attempt{formula{
			place: "App. H, J: A⁽³⁾", printed: "+λ where j−i+1 ∈ K",
			right: "where i−j+1 ∈ K, as in Sec. 4.1: sources do not come after the query, so j−i+1 ∈ K allows only " +
				"lag 1",
		}, several, sourceRows},
		attempt{formula{
			place: "App. H: B⁽³'ʰ⁾", printed: "β where (i−j−h+1) mod K = 0",
			right: "β where (i−j+h) mod K = 0: head h at q has p̃ of lag k in i ≡ q−h+1−k, and j = q−k+1. As " +
				"printed, the sum for lag k is over lag k−2h+1 modulo K; and the columns of head h are shifted by " +
				"h−1, not by h",
		}, several, shiftRows},
	)
	m.printed, m.right = "App. H as printed", "App. H, corrected"
	var err error
	m.along, err = l.constructedAlong(ctx, s, example, func(c craft.Induction) []asked {
		third := c
		third.Third = craft.Positional
		return []asked{
			{name: "Sec. 4.1", Induction: c},
			{name: m.right, Induction: third},
			{name: m.printed, Induction: third, change: printedShift(third, len(example.lags()))},
		}
	})
	return m, err
}

// sameRows compares the third layers of Sec. 4.1 and App. H where every head has a token
// to attend to.
func sameRows(t trial) (off float64, where string, left float64) {
	c, got, _ := t.closed()
	c.Third = craft.Positional
	other := passOf(c, t.tokens)
	from := 2*t.longest() + len(t.lags) - 2
	off, where = firstOff(other.Select, got.Select, from)
	right := gap(t.scores(other), other.Select, t.longest()+len(t.lags)-1)
	return off, where, worse(right, gap(other.Select, got.Select, from))
}

// scores returns the third layer's attention according to the formula for its scores,
// where the formula is defined.
func (t trial) scores(f *craft.InductionForm) [][]float64 {
	all := craft.FillInduction(len(t.tokens), func(int, int) float64 { return 0 })
	for i := t.longest() + len(t.lags) - 1; i < len(t.tokens); i++ {
		weights := t.weights(func(k int) float64 { return triedBeta * t.perHead(f.Extract, i, k) })
		for n, k := range t.lags {
			all[i][i-k+1] = weights[n]
		}
	}
	return all
}

// positionalPass runs the construction of App. H on a trial's tokens, twice: with its
// blocks modified by the given function, if it is not nil, and unmodified.
func (t trial) positionalPass(change func(*craft.InductionMatrices)) (printed, right *craft.InductionForm) {
	c := t.tried()
	c.Third = craft.Positional
	return passWith(c, t.tokens, change), passOf(c, t.tokens)
}

// sourceRows checks A⁽³⁾ as printed, with source and destination exchanged.
func sourceRows(t trial) (off float64, where string, left float64) {
	printed, right := t.positionalPass(func(b *craft.InductionMatrices) {
		transpose(b.Select)
	})
	off, where = firstOff(printed.Select, right.Select, t.longest()+len(t.lags)-1)
	return off, where, gap(t.scores(right), right.Select, t.longest()+len(t.lags)-1)
}

// transpose transposes a square matrix in place.
func transpose(z [][]float64) {
	for i := range z {
		for j := range i {
			z[i][j], z[j][i] = z[j][i], z[i][j]
		}
	}
}

// printedShift returns a change that replaces B⁽³'ʰ⁾ by the one printed in App. H, with
// the given period, K in the paper.
func printedShift(c craft.Induction, period int) func(*craft.InductionMatrices) {
	return func(b *craft.InductionMatrices) {
		for h := range b.Sum {
			b.Sum[h] = craft.FillInduction(len(b.Sum[h]), func(i, j int) float64 {
				if (i-j-h)%period == 0 {
					return c.Beta
				}
				return 0
			})
		}
	}
}

// shiftRows checks B⁽³'ʰ⁾ as printed.
func shiftRows(t trial) (off float64, where string, left float64) {
	c := craft.Induction{Beta: triedBeta}
	printed, right := t.positionalPass(printedShift(c, len(t.lags)))
	from := t.longest() + len(t.lags) - 1
	off, where = firstOff(printed.Select, right.Select, from)
	return off, where, gap(t.scores(right), right.Select, from)
}
