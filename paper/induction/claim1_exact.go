package induction

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/numerals"
)

// exactError is a bound on the error of an exactly computed expectation. A margin nearer
// to 0 than this decides nothing.
const exactError = 1e-9

// exactClaim returns row I17, which goes beyond the claims of D'Angelo et al. 2025: it
// tests Claim 1 without sampling.
func (l *lab) exactClaim() claim.Row {
	return claim.Row{
		ID: "I17", Kind: claim.Beyond, Source: cite + "Claim 1, App. B and F; beyond: exact margins and a search",
		Quote: "“While specific cases (e.g., two lags, no normalization, or independent lags) are proven in App. B, " +
			"we leave the complete proof of Claim 1 for future work.” (Sec. 4.3; Claim 1: for every set of lags, r ∈ " +
			"K and i ≥ k̂)",
		Statement: "For every P, every set of lags and every position after k̂, the true lag has the largest " +
			"expected normalised transition probability.",
		Expected: fmt.Sprintf("the expectations are computed as an integral over products of transfer matrices, with "+
			"an error below %s. This is done for the matrices of I13 and for matrices with peaked and with even "+
			"rows, for each of the 12 lags and every position. A search also optimises P to make the margin (the "+
			"true lag's expectation minus another lag's) small, for sets of three and four lags up to %d and "+
			"alphabets of 3 to 5 tokens. A condition fails if a margin is below −%s. The row is then corrected, if a "+
			"second computation confirms each such margin that the search finds; otherwise it is open, since there "+
			"is no proof",
			numerals.Scientific(exactError), searchLongest, numerals.Scientific(exactError)),
		RuleCommit: "c00b82b", ChangedAfterResult: true,
		Test: claim.Steps[exactly]{
			Measure: l.measureExactly, Judge: exactly.judge, Tabulate: exactly.tabulate, Draw: exactly.draw,
		}.Test,
	}
}

// rowsOf lists the alphabets and the concentrations for which expectations are computed.
// Row I13 uses the first two.
var rowsOf = []struct {
	tokens        int
	concentration float64
}{{10, flat}, {25, flat}, {10, 0.1}, {10, 10}}

// exactly holds the measurements of row I17.
type exactly struct {
	sets   []exactSet
	search found
}

// exactSet holds the margins for an alphabet and a concentration. A margin is the
// expectation for the true lag minus the largest expectation for another lag.
type exactSet struct {
	tokens        int
	concentration float64
	least         []float64 // smallest margin of each matrix, over lags and positions
	reducible     int       // number of matrices left out because they are reducible
	stationary    []float64 // margins in the stationary regime, for all lags of all matrices
	lag, position int       // true lag and position of the smallest margin of all
}

func (l *lab) measureExactly(ctx context.Context, s *claim.Study) (exactly, error) {
	var m exactly
	for i, of := range rowsOf {
		s.Tell(fmt.Sprintf("computing Claim 1 exactly: %d tokens, concentration %g", of.tokens, of.concentration))
		matrices := l.exact
		if i >= len(alphabets) {
			matrices = max(l.exact/10, 1) // these concentrations are our choice
		}
		set, err := measureSet(ctx, s.Workers, of.tokens, of.concentration, matrices)
		if err != nil {
			return m, err
		}
		m.sets = append(m.sets, set)
		s.Part(len(rowsOf) + 1)
	}
	s.Tell("searching for a counterexample to Claim 1")
	var err error
	m.search, err = searchClaim(ctx, s.Workers, l.starts)
	return m, err
}

// exactMatrix holds the margins of a matrix, like [exactSet].
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
		err = errors.New("every matrix is reducible")
	}
	return set, err
}

func measureMatrix(tokens int, concentration float64, matrix int) (exactMatrix, error) {
	p, err := claimed.interleaved(tokens, concentration, matrix)
	if err != nil {
		return exactMatrix{reducible: true}, nil // rows so peaked that P is reducible
	}
	m, exact := exactMatrix{least: math.Inf(1)}, newTransitionMeans(p)
	for k, lag := range p.Lags() {
		positions, err := exact.positions(lag)
		if err != nil {
			return m, err
		}
		margin := 0.0
		for _, position := range positions {
			means, err := exact.at(lag, position)
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

// condition returns the verdict on one alphabet and concentration.
func (s exactSet) condition() claim.Condition {
	least := slices.Min(s.least)
	c := claim.Condition{
		Name:    fmt.Sprintf("|S| = %d, concentration %g", s.tokens, s.concentration),
		Verdict: claim.Holds, Converged: true,
		Obtained: fmt.Sprintf("over %s matrices, 12 lags and all positions, the smallest margin is %.3g",
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
	table := document.Table{
		Title: "exact margin of the true lag",
		Columns: []string{
			"tokens", "concentration", "matrices", "reducible", "smallest", "at lag", "position",
			"median, stationary",
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
		"Lags that agree modulo k share a chain; other lags are independent. With 1/Σ = ∫ e^(−tΣ) dt, the "+
			"expectation is an integral over t of a product over chains, to which each chain contributes a product "+
			"of P^gap·diag(e^(−tP)). A token among the first k̂ is independent of the others unless a later token "+
			"descends from it, so the expectations at early positions differ.",
		"A bound that can be proved for every set of lags: E[p̃_k] ≥ (1 + E KL(P[x_(i−k)] ‖ mean over lags of "+
			"P[x_(i−l)]))/K. Proof: the expected log-likelihood L(α) of the mixture Σ α_l P[x_(i−l)] is concave in "+
			"α, its gradient at equal weights is K·E[p̃], and L(e_k) − L(1/K, …) is the divergence in the bound. For "+
			"two lags, the bound implies Claim 1 and is stronger than Lemma 1; for more lags, it does not exclude "+
			"that one other lag is above the true one.",
		"Claim 1 holds for two lags k and r wherever the tokens at k and at r have the same law given the tokens at "+
			"the other lags: for example where the other lags are independent of k and r, even if k and r share a "+
			"chain. Proof: for a, b, R ≥ 0, b(b−a)/(a+b+R) ≥ φ(b) − φ(a) with φ(x) = x/2 − R/4·ln(1 + 2x/R). Let b "+
			"and a be the entries of P after the two tokens, and R the sum of the entries after the others: the mean "+
			"of the right side is 0.",
		"With an alphabet of two tokens, Claim 1 holds for every set of lags, whatever their joint law. Where the "+
			"tokens at the lags have only two different rows, P (m times) and Q (n times), the margin is Σ P·g(Q/P) "+
			"with g(u) = (1−u)/(m+nu). The function g is convex and decreasing, so the margin is at least g(1) = 0. "+
			"A counterexample needs three different rows.",
		"The margin has no positive lower bound. Example: two tokens that alternate, true lag 2, all other lags odd, "+
			"and one of these out of step with the M others. Then E[p̃] is 1/4 + 1/(2(M+1)) for the true lag and 1/4 "+
			"for the lag that is out of step.")
}

func (m exactly) draw(out *claim.Output) {
	chart := histogram("stationary", "margin")
	var rows [][]float64
	for i, s := range m.sets {
		name := fmt.Sprintf("|S| = %d, concentration %g", s.tokens, s.concentration)
		chart.Series = append(chart.Series, binned(name, i+1, slices.Sorted(slices.Values(s.stationary))))
		for _, margin := range s.least {
			rows = append(rows, []float64{float64(s.tokens), s.concentration, margin})
		}
	}
	out.Captioned("margins", "Left: exact margins of the true lag over the other lag with the largest expectation, in "+
		"the stationary regime, for all lags of all matrices. Right: where the search for a counterexample ended. "+
		"Each value is the margin divided by ½ E Σ_s (P_k − P_r)²/Σ_l P_l, the margin between two exchangeable lags. "+
		"A value below 0 would be a counterexample.",
		figure.Row("Claim 1 exactly",
			"Histograms of margins, all right of zero, and the ends of a search, all above zero.",
			chart, m.search.chart()))
	out.CSV("margins", document.Numbers([]string{"tokens", "concentration", "smallest_margin_of_matrix"}, rows))
	out.CSV("search", document.Numbers(m.search.header(), m.search.rows()))
}
