package induction

import (
	"context"
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/craft"
	"foretell/paper/internal/numerals"
)

// skipping is a pair of lags without lag 1; for such pairs, the construction printed in
// App. J fails.
const skipping task = "2,5"

// pairs returns row I6, which tests D'Angelo et al. 2025, App. J.
func (l *lab) pairs() claim.Row {
	return texts.Fill(claim.Row{
		ID: "I6", Kind: claim.Formula, Severity: claim.Consequential, Setting: l.constructedSetting(),
		RuleCommit: "c216138", ChangedAfterResult: true,
		First: claim.FirstBy("c216138", construct.judge),
		Test: claim.Steps[construct]{
			Measure: l.measurePairs, Judge: construct.judge, Tabulate: construct.tabulate, Draw: construct.draw,
		}.Test,
	}, map[string]any{"equal": numerals.Scientific(equal), "mostLag": mostLag})
}

func (l *lab) measurePairs(ctx context.Context, s *claim.Study) (construct, error) {
	var m construct
	trials := trialsOf(pairsUpTo(mostLag))
	m.compare(trials, func(c craft.Induction) []craft.Induction {
		c.Heads = 1
		return []craft.Induction{c}
	})
	m.formulas = try(
		attempt{formula{
			place: "Eq. 27: A⁽²⁾", printed: "0 where i < k̂ or j < k̂",
			right: "where j ≤ k̂ (and −λ for 0, which is the same in the limit): token k̂ holds no transition. In " +
				"the text, row 8 of {1, 3} has 8, 7, 4 with ⅓; by Eq. 27 it has 8, 7, 4, 3 with ¼",
		}, trials, tokenRows},
		attempt{formula{
			place: "App. J: B⁽³⁾", printed: "β where (i−j−1) mod 2(k̂−k̄) < k̂−k̄, −β elsewhere, k̄ = min K",
			right: "β where (i−j−2k̄+1) mod 2(k̂−k̄) < k̂−k̄: the same if k̄−1 is a multiple of k̂−k̄, as for k̄ = " +
				"1; the opposite for {2, 4}, so the wrong lag is chosen",
		}, trials, signRows},
		attempt{formula{
			place: "Sec. 4.4, App. J: transitions", printed: "one head “attains the optimal sample complexity”: like " +
				"two heads, it uses all transitions up to i",
			right: "it uses the transitions up to i−k̄+1, which are all transitions for k̄ = 1: lag k's key is token " +
				"i−k+1, which does not see later tokens",
		}, trials, reachRows},
		attempt{formula{
			place: "App. J, last display", printed: "… − β/4 Σ p̃_{i,1} + Σ_{i∈{10,9,6,5}} p̃_{i,3}",
			right: "the last sum has the factor β/4, too; and the first product subtracts lag 1, not “all the " +
				"transitions of lag 3”",
		}, trials, displayRows},
	)
	m.printed, m.right = "1 head as printed", "1 head (App. J), corrected"
	var err error
	m.along, err = l.constructedAlong(ctx, s, skipping, func(c craft.Induction) []asked {
		one := c
		one.Heads = 1
		return []asked{
			{name: "2 heads (App. I)", Induction: c},
			{name: m.right, Induction: one},
			{name: m.printed, Induction: one, change: printedSigns(one, skipping.lags())},
		}
	})
	return m, err
}

// single returns the results of the construction of App. J on a trial's tokens in three
// ways: with its blocks modified by the function change (printed; nil if there is no such
// function), unmodified (right), and by its closed form (want).
func (t trial) single(change func(*craft.InductionMatrices)) (printed, right, want *craft.InductionForm) {
	c := t.tried()
	c.Heads = 1
	if change != nil {
		printed = passWith(c, t.tokens, change)
	}
	return printed, passOf(c, t.tokens), must(c.ClosedForm(t.tokens))
}

// complete returns the position, counted from 0, from which the keys of both lags hold
// transitions.
func (t trial) complete() int { return 2*t.longest() - 1 }

// tokenRows checks Eq. 27, with −λ for 0.
func tokenRows(t trial) (off float64, where string, left float64) {
	d := t.longest() - t.lags[0]
	printed, right, want := t.single(func(b *craft.InductionMatrices) {
		b.Gather[0] = craft.FillInduction(len(t.tokens), func(i, j int) float64 {
			if i+1 >= t.longest() && j+1 >= t.longest() && j <= i && (i-j)%(2*d) < d {
				return paperLambda
			}
			return -paperLambda
		})
	})
	off, where = firstOff(printed.Gather[0], right.Gather[0], t.longest())
	return off, where, apart(right, want)
}

// printedSigns returns a change that replaces B⁽³⁾ by the one printed in App. J.
func printedSigns(c craft.Induction, lags []int) func(*craft.InductionMatrices) {
	d := lags[1] - lags[0]
	return func(b *craft.InductionMatrices) {
		b.Sum[0] = craft.FillInduction(c.NCtx, func(i, j int) float64 {
			switch {
			case j >= i:
				return 0
			case (i-j-1)%(2*d) < d:
				return c.Beta
			}
			return -c.Beta
		})
	}
}

// signRows checks B⁽³⁾ as printed. The corrected B⁽³⁾ gives the same attention as two
// heads that use only the transitions that the one head sees.
func signRows(t trial) (off float64, where string, left float64) {
	printed, right, _ := t.single(printedSigns(craft.Induction{NCtx: len(t.tokens), Beta: triedBeta}, t.lags))
	off, where = firstOff(printed.Select, right.Select, t.complete())
	return off, where, gap(t.complementary(right.Extract), right.Select, t.complete())
}

// complementary returns the third layer's attention for a query at i, computed from the
// two classes of transitions up to i−k̄+1, where k̄ is the smaller lag (the classes
// alternate every k̂−k̄ transitions). In each class, the advantage of one lag over the
// other is averaged; the two averages are added up.
func (t trial) complementary(p [][]float64) [][]float64 {
	all := craft.FillInduction(len(t.tokens), func(int, int) float64 { return 0 })
	d := t.longest() - t.lags[0]
	for i := t.complete(); i < len(t.tokens); i++ {
		last, more := i-t.lags[0]+1, 0.0
		for class := range 2 {
			sum, count := 0.0, 0.0
			for m := t.longest(); m <= last; m++ {
				if ((last-m)/d)%2 == class {
					sum += p[m][m-t.lags[0]] - p[m][m-t.lags[1]]
					count++
				}
			}
			more += sum / count
		}
		weights := softmax([]float64{triedBeta * more, 0})
		all[i][last], all[i][i-t.lags[1]+1] = weights[0], weights[1]
	}
	return all
}

// reachRows counts the transitions that affect the third layer's attention: the
// transitions held by the keys of the two lags.
func reachRows(t trial) (off float64, where string, left float64) {
	_, right, _ := t.single(nil)
	last := len(t.tokens) - 1
	seen := map[int]bool{}
	for _, k := range t.lags {
		for j, a := range right.Gather[0][last-k+1] {
			if a > 0 {
				seen[j+1] = true
			}
		}
	}
	all, held := last+1-t.longest(), len(seen)
	where = fmt.Sprintf(", T = %d: %d transitions, not %d", last+1, held, all)
	return float64(all - held), where, float64(all-held) - float64(t.lags[0]-1)
}

// displayRows checks the last display of App. J, for {1, 3} at position 10.
func displayRows(t trial) (off float64, where string, left float64) {
	if !slices.Equal(t.lags, []int{1, 3}) {
		return 0, "", 0
	}
	_, right, _ := t.single(nil)
	p := func(lag int, tokens ...int) float64 {
		sum := 0.0
		for _, i := range tokens {
			sum += right.Extract[i-1][i-1-lag]
		}
		return sum
	}
	const third, fourth = triedBeta / 3., triedBeta / 4.
	common := third*p(3, 8, 7, 4) - third*p(1, 8, 7, 4) - fourth*p(1, 10, 9, 6, 5)
	attention := func(exponent float64) float64 { return softmax([]float64{0, exponent})[0] }
	got := right.Select[9][9]
	off = attention(common+p(3, 10, 9, 6, 5)) - got
	left = attention(common+fourth*p(3, 10, 9, 6, 5)) - got
	where = fmt.Sprintf(", position 10 attends to 10 with %.3f, not %.3f", got, got+off)
	return max(off, -off), where, max(left, -left)
}
