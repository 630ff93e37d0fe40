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
	return texts.Fill(claim.Row{
		ID: "I17", Kind: claim.Beyond, Severity: claim.Consequential,
		RuleCommit: "c00b82b", ChangedAfterResult: true,
		First: claim.FirstBy("c00b82b", exactly.judge),
		Test: claim.Steps[exactly]{
			Measure: l.measureExactly, Judge: exactly.judge, Tabulate: exactly.tabulate, Draw: exactly.draw,
		}.Test,
	}, map[string]any{"error": numerals.Scientific(exactError), "longest": searchLongest})
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
		set, err := measureSet(ctx, s, of.tokens, of.concentration, matrices)
		if err != nil {
			return m, err
		}
		m.sets = append(m.sets, set)
		s.Part(len(rowsOf) + 1)
	}
	s.Tell("searching for a counterexample to Claim 1")
	var err error
	m.search, err = searchClaim(ctx, s, l.starts)
	return m, err
}

// exactMatrix holds the margins of a matrix, like [exactSet].
type exactMatrix struct {
	reducible     bool
	least         float64
	lag, position int
	stationary    []float64
}

func measureSet(
	ctx context.Context, s *claim.Study, tokens int, concentration float64, matrices int,
) (exactSet, error) {
	all := make([]exactMatrix, matrices)
	err := s.Each(ctx, matrices, func(_ context.Context, i int) (err error) {
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
	f := claim.Finding{Verdict: claim.Open, Reason: claim.Unproved}
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
	f.Effect = c.Effect
	if f.Verdict == claim.Corrected {
		f.Effect = claim.Exactly("smallest margin", "", least)
	}
	return f
}

func (m exactly) tabulate(c *claim.Claim) {
	table := document.Frame{Title: "exact margin of the true lag", Columns: slices.Concat(
		document.Headed("", "tokens", "concentration", "matrices", "reducible"), document.Headed("%.3g", "smallest"),
		document.Headed("", "at lag", "position"), document.Headed("%.4f", "median, stationary"),
	)}
	for _, s := range m.sets {
		table.Row(s.tokens, s.concentration, len(s.least), s.reducible, slices.Min(s.least), s.lag, s.position,
			sorted(s.stationary)[len(s.stationary)/2])
	}
	c.Tables = append(c.Tables, table.Table(), m.search.table())
}

func (m exactly) draw(out *claim.Output) {
	chart := histogram("stationary", "margin")
	margins := document.Frame{Columns: document.Named("tokens", "concentration", "smallest_margin_of_matrix")}
	for i, s := range m.sets {
		name := fmt.Sprintf("|S| = %d, concentration %g", s.tokens, s.concentration)
		chart.Series = append(chart.Series, binned(name, i+1, sorted(s.stationary)))
		for _, margin := range s.least {
			margins.Row(s.tokens, s.concentration, margin)
		}
	}
	out.Figure("margins", figure.Row("Claim 1 exactly",
		"Histograms of margins, all right of zero, and the ends of a search, all above zero.",
		chart, m.search.chart()))
	out.CSV("margins", margins)
	out.CSV("search", m.search.frame())
}
