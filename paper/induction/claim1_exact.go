package induction

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/figure"
	"foretell/paper/internal/numerals"
)

// exactError bounds the error of an exact expectation: a margin within it decides
// nothing.
const exactError = 1e-9

// exactClaim is I17, beyond D'Angelo et al. 2025: Claim 1 without sampling.
func (l *lab) exactClaim() claim.Row {
	return claim.Row{
		ID: "I17", Kind: claim.Beyond, Source: cite + "Claim 1, App. B and F; beyond: exactly, and a search",
		Quote: "“While specific cases (e.g., two lags, no normalization, or independent lags) are proven in App. B, " +
			"we leave the complete proof of Claim 1 for future work.” (Sec. 4.3; Claim 1: for every set of lags, r " +
			"∈ K and i ≥ k̂)",
		Statement: "For every P, every set of lags and every position after k̂, the true lag has the largest " +
			"expected normalised transition probability.",
		Expected: fmt.Sprintf("the expectations themselves, by an integral over products of transfer matrices, error below "+
			"%s, for the matrices of I13 and for peaked and even rows, each of the 12 lags, every position; and P optimised "+
			"against the margin for sets of three and four lags up to %d and 3 to 5 tokens. Corrected if a margin is below "+
			"−%s, that of the search by a second computation too; else open, since there is no proof. A condition fails on "+
			"such a margin",
			numerals.Scientific(exactError), searchLongest, numerals.Scientific(exactError)),
		RuleCommit: "c00b82b", ChangedAfterResult: true,
		Test: claim.Steps[exactly]{
			Measure: l.measureExactly, Judge: exactly.judge, Tabulate: exactly.tabulate, Draw: exactly.draw,
		}.Test,
	}
}

// rowsOf are the matrices whose expectations are computed: tokens, and the concentration
// of their rows. The first two are those of I13.
var rowsOf = []struct {
	tokens        int
	concentration float64
}{{10, flat}, {25, flat}, {10, 0.1}, {10, 10}}

// exactly is what I17 finds.
type exactly struct {
	sets   []exactSet
	search found
}

// exactSet are the margins of an alphabet and a concentration.
type exactSet struct {
	tokens        int
	concentration float64
	least         []float64 // of each matrix, over lags and positions
	reducible     int       // matrices that are left out
	stationary    []float64 // margins in the long run, all lags of all matrices
	lag, position int       // where the smallest of all is
}

func (l *lab) measureExactly(ctx context.Context, s *claim.Study) (exactly, error) {
	var m exactly
	for i, of := range rowsOf {
		s.Tell(fmt.Sprintf("Claim 1 exactly, %d tokens, concentration %g", of.tokens, of.concentration))
		matrices := l.exact
		if i >= len(alphabets) {
			matrices = max(l.exact/10, 1) // of our own choice
		}
		set, err := measureSet(ctx, s.Workers, of.tokens, of.concentration, matrices)
		if err != nil {
			return m, err
		}
		m.sets = append(m.sets, set)
		s.Part(len(rowsOf) + 1)
	}
	s.Tell("search for a counterexample to Claim 1")
	var err error
	m.search, err = searchClaim(ctx, s.Workers, l.starts)
	return m, err
}

// exactMatrix are the margins of a matrix.
type exactMatrix struct {
	reducible     bool
	least         float64
	lag, position int
	stationary    []float64
}

func measureSet(ctx context.Context, workers, tokens int, concentration float64, matrices int) (exactSet, error) {
	all := make([]exactMatrix, matrices)
	err := share(ctx, workers, matrices, func(i int) (err error) {
		all[i], err = measureMatrix(tokens, concentration, i)
		return err
	})
	set, least := exactSet{tokens: tokens, concentration: concentration}, math.Inf(1)
	for _, m := range all {
		if m.reducible {
			set.reducible++
			continue
		}
		if m.least < least {
			least, set.lag, set.position = m.least, m.lag, m.position
		}
		set.least = append(set.least, m.least)
		set.stationary = append(set.stationary, m.stationary...)
	}
	if err == nil && len(set.least) == 0 {
		err = errors.New("no matrix is irreducible")
	}
	return set, err
}

func measureMatrix(tokens int, concentration float64, matrix int) (exactMatrix, error) {
	p, err := claimed.interleaved(tokens, concentration, matrix)
	if err != nil {
		return exactMatrix{reducible: true}, nil // rows so peaked that P falls apart
	}
	m, exact := exactMatrix{least: math.Inf(1)}, p.TransitionMeans()
	for k, lag := range p.Lags() {
		positions, err := exact.Positions(lag)
		if err != nil {
			return m, err
		}
		margin := 0.0
		for _, position := range positions {
			means, err := exact.At(lag, position)
			if err != nil {
				return m, err
			}
			if margin = advantage(means, k); margin < m.least {
				m.least, m.lag, m.position = margin, lag, position
			}
		}
		m.stationary = append(m.stationary, margin)
	}
	return m, nil
}

// condition is the verdict on one alphabet and concentration.
func (s exactSet) condition() claim.Condition {
	least := slices.Min(s.least)
	c := claim.Condition{
		Name: fmt.Sprintf("|S| = %d, concentration %g", s.tokens, s.concentration), Verdict: claim.Holds, Converged: true,
		Obtained: fmt.Sprintf("the smallest margin of %s matrices, 12 lags and all positions is %.3g",
			numerals.Grouped(len(s.least)), least),
		Effect: claim.Exactly("smallest margin", "", least),
	}
	switch {
	case least < -exactError:
		c.Verdict = claim.Fails
	case !(least >= exactError):
		c.Verdict, c.Reason = claim.Open, claim.Power
	}
	return c
}

func (m exactly) judge() claim.Finding {
	f := claim.Finding{Verdict: claim.Open, Reason: claim.Power}
	var parts []string
	least := math.Inf(1)
	for _, s := range m.sets {
		c := s.condition()
		f.Conditions = append(f.Conditions, c)
		parts, least = append(parts, c.Name+": "+c.Obtained), min(least, slices.Min(s.least))
	}
	c := m.search.condition()
	f.Conditions, f.Asked = append(f.Conditions, c), m.search.asked()
	least = min(least, m.search.leastMargin)
	if least < -exactError && (m.search.leastMargin >= -exactError || m.search.confirmed < -exactError) {
		f.Verdict, f.Reason = claim.Corrected, ""
	}
	f.Obtained = strings.Join(append(parts, "search: "+c.Obtained), "; ")
	f.Effect = claim.Exactly("smallest margin", "", least)
	return f
}

func (m exactly) tabulate(c *claim.Claim) {
	table := claim.Table{
		Title: "margin of the true lag, exactly",
		Columns: []string{
			"tokens", "concentration", "matrices", "reducible", "smallest", "at lag", "position", "median in the long run",
		},
	}
	for _, s := range m.sets {
		sorted := slices.Sorted(slices.Values(s.stationary))
		table.Rows = append(table.Rows, []string{
			fmt.Sprint(s.tokens), fmt.Sprint(s.concentration), fmt.Sprint(len(s.least)), fmt.Sprint(s.reducible),
			fmt.Sprintf("%.3g", slices.Min(s.least)), fmt.Sprint(s.lag), fmt.Sprint(s.position),
			fmt.Sprintf("%.4f", sorted[len(sorted)/2]),
		})
	}
	c.Tables = append(c.Tables, table, m.search.table())
	c.Notes = append(c.Notes,
		"Lags that agree modulo k share a chain and others are independent; with 1/Σ = ∫ e^(−tΣ) dt the expectation is an "+
			"integral over t of a product over chains of products of P^gap·diag(e^(−tP)). Tokens among the first k̂ from "+
			"which no later one descends are independent, so that early positions have expectations of their own.",
		"What can be proved for every set of lags: E[p̃_k] ≥ (1 + E KL(P[x_(i−k)] ‖ mean over lags of P[x_(i−l)]))/K. For "+
			"the expected log-likelihood L(α) of the mixture Σ α_l P[x_(i−l)] is concave in α, its gradient at equal weights "+
			"is K·E[p̃], and L(e_k) − L(1/K, …) is that divergence. With two lags this is Claim 1, and more than Lemma 1 "+
			"says; with more it leaves room for one other lag above the true one.",
		"It holds for two lags k and r wherever the tokens there have one law given those at the other lags, as where "+
			"these are independent of the two, which may share a chain: for a, b, R ≥ 0 it is b(b−a)/(a+b+R) ≥ φ(b) − φ(a) "+
			"with φ(x) = x/2 − R/4·ln(1 + 2x/R); with b and a the entries of P after the two tokens and R the sum of the "+
			"others', the mean of the right side is 0.",
		"With two tokens Claim 1 holds for every set of lags, whatever their joint law: where the tokens at lags have only "+
			"two different rows P and Q, m and n times, the margin is Σ P·g(Q/P) with g(u) = (1−u)/(m+nu), which is convex "+
			"and falling, so that it is at least g(1) = 0. A counterexample needs three rows.",
		"The margin has no lower bound. Two tokens that alternate, true lag 2, the other lags odd, one of them out of step "+
			"with M others: E[p̃] is 1/4 + 1/(2(M+1)) for the true lag and 1/4 for that one.")
}

func (m exactly) draw(out *claim.Output) {
	chart := histogram("in the long run", "margin")
	var rows [][]float64
	for i, s := range m.sets {
		chart.Series = append(chart.Series, binned(fmt.Sprintf("|S| = %d, concentration %g", s.tokens, s.concentration), i+1,
			slices.Sorted(slices.Values(s.stationary))))
		for _, margin := range s.least {
			rows = append(rows, []float64{float64(s.tokens), s.concentration, margin})
		}
	}
	out.Figure("margins", "Left: exact margins of the true lag over its nearest rival, for all lags of all matrices. "+
		"Right: where the search for a counterexample ended, as the margin's share of what is left when two lags change "+
		"places; below 0 would be a counterexample.",
		figure.Row("Claim 1 exactly", "Histograms of margins, all right of zero, and the ends of a search, all above zero.",
			chart, m.search.chart()))
	out.CSV("margins", []string{"tokens", "concentration", "smallest_margin_of_matrix"}, rows)
	out.CSV("search", m.search.header(), m.search.rows())
}
