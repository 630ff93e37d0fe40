package induction

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/internal/random"
	"foretell/paper/internal/numerals"
	"foretell/process"
)

// Constants of row I15's rule: the number of random instances of each statement, and the
// tolerance for numbers that agree up to rounding.
const (
	proofInstances = 1000
	proofError     = 1e-12
)

// proofs returns row I15, which tests D'Angelo et al. 2025, App. B.
func (l *lab) proofs() claim.Row {
	return texts.Fill(claim.Row{
		ID: "I15", Kind: claim.Identity, Severity: claim.Local,
		RuleCommit: "86b2785", ChangedAfterResult: true,
		First: claim.FirstBy("86b2785", proven.judge),
		Test: claim.Steps[proven]{
			Measure: measureProofs, Judge: proven.judge, Draw: proven.draw,
		}.Test,
	}, map[string]any{"instances": numerals.Grouped(proofInstances), "error": numerals.Scientific(proofError)})
}

// proven holds the measurements of row I15.
type proven struct {
	statements []statement
	// display is the last displayed formula of the proof for independent lags, in each
	// instance.
	display []displayed
	swap    float64 // for symmetric P, largest difference of a margin from its value for exchangeable tokens
	least   float64 // smallest margin of Claim 1 for symmetric P
}

type statement struct {
	name  string
	slack []float64 // right side minus left side, for random instances
	equal float64   // largest difference between the sides where they should be equal
}

// displayed holds the values of the two sides of a displayed formula, as printed.
type displayed struct{ left, printed float64 }

func measureProofs(ctx context.Context, s *claim.Study) (proven, error) {
	m := proven{statements: []statement{lemma1(), {name: "Lemma 2"}, {name: "Claim 1, independent lags"}}}
	for i := range proofInstances {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		q, P, pi, err := randomChains(i)
		if err != nil {
			return m, err
		}
		m.statements[1].slack = append(m.statements[1].slack, lemma2(q, P, pi))
		free := independent(q)
		a := free.ask(P, pi)
		m.statements[2].slack = append(m.statements[2].slack, a.ofTrue-a.ofRival)
		m.display = append(m.display, displayed{left: 2 * (a.ofRival - a.ofTrue), printed: 2 * a.both})
	}
	m.equalities()
	var err error
	m.swap, m.least, err = symmetric(ctx, s)
	return m, err
}

// randomChains returns a random instance: lags, P and π.
func randomChains(i int) (rival, [][]float64, []float64, error) {
	stream := random.New(1, "paper/induction/proofs", uint64(i))
	q := newRival(stream)
	P, err := process.DirichletRows(q.tokens, 0.5, 2, uint64(i))
	if err != nil {
		return q, nil, nil, err
	}
	p, err := process.NewInterleaved(P, q.lags)
	if err != nil {
		return q, nil, nil, err
	}
	return q, p.P(), p.Stationary(), nil
}

// independent returns the instance with independent tokens at all lags, as at position
// k̂+1 under Algorithm 1.
func independent(q rival) rival {
	q.independent = 0
	q.link()
	return q
}

// lemma1 tests Lemma 1 on random distributions, and on P = Q.
func lemma1() statement {
	m := statement{name: "Lemma 1"}
	for i := range proofInstances {
		stream := random.New(1, "paper/induction/lemma1", uint64(i))
		n := 2 + stream.IntN(6)
		rows := must(process.DirichletRows(n, 0.3, 3, uint64(i)))
		p, q := rows[0], rows[1]
		m.slack = append(m.slack, lemma1Slack(p, q))
		m.equal = max(m.equal, math.Abs(lemma1Slack(p, p)))
	}
	return m
}

// lemma1Slack returns the right side of Eq. 7 minus the left.
func lemma1Slack(p, q []float64) float64 {
	slack := 0.0
	for i, a := range p {
		if total := a + q[i]; total > 0 {
			slack += a * (a - q[i]) / total
		}
	}
	return slack
}

// lemma2 returns the right side of Eq. 8 minus the left. The tokens at the true lag and
// at the rival are independent, or the rival's token precedes the true lag's in the same
// chain.
func lemma2(q rival, P [][]float64, pi []float64) float64 {
	k, r := q.lags[q.trueAt], q.lags[q.rivalAt]
	joint := func(older, newer int) float64 { return pi[older] * pi[newer] }
	if r > k && (r-k)%k == 0 && r <= q.independent {
		power := powersOf(P, (r-k)/k)[(r-k)/k]
		joint = func(older, newer int) float64 { return pi[older] * power[older][newer] }
	}
	slack := 0.0
	for y := range P {
		for x := range P {
			for s := range P {
				slack += joint(y, x) * P[x][s] * (P[x][s] - P[y][s])
			}
		}
	}
	return slack
}

// equalities measures the statements where equality is due: if all rows of P are
// identical, or if tokens form a cycle and the rival lag is exactly one turn behind the
// true one.
func (m *proven) equalities() {
	alike := [][]float64{{0.2, 0.5, 0.3}, {0.2, 0.5, 0.3}, {0.2, 0.5, 0.3}}
	circle := [][]float64{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}
	q := rival{tokens: 3, lags: []int{1, 2, 4}, trueAt: 0, rivalAt: 2, independent: 2 * searchLongest}
	q.link()
	third := []float64{1. / 3, 1. / 3, 1. / 3}
	free := independent(q)
	a := free.ask(alike, alike[0])
	m.statements[1].equal = max(math.Abs(lemma2(q, alike, alike[0])), math.Abs(lemma2(q, circle, third)))
	m.statements[2].equal = math.Abs(a.ofTrue - a.ofRival)
}

// symmetric measures instances with symmetric matrices, for which App. B says that
// “similar techniques can be applied”. It returns the largest difference of a margin from
// its value for exchangeable tokens, and the smallest margin.
func symmetric(ctx context.Context, s *claim.Study) (swap, least float64, err error) {
	swaps, margins := make([]float64, proofInstances), make([]float64, proofInstances)
	err = s.Each(ctx, proofInstances, func(_ context.Context, i int) error {
		stream := random.New(1, "paper/induction/symmetric", uint64(i))
		q := newRival(stream)
		P := symmetricRows(stream, q.tokens)
		pi := make([]float64, q.tokens)
		for x := range pi {
			pi[x] = 1 / float64(q.tokens)
		}
		a := q.ask(P, pi)
		swaps[i], margins[i] = math.Abs(a.ofTrue-a.ofRival-a.both), a.ofTrue-a.ofRival
		return nil
	})
	return slices.Max(swaps), slices.Min(margins), err
}

// symmetricRows returns a random symmetric matrix whose rows sum to one, by Sinkhorn's
// scaling.
func symmetricRows(stream *random.Stream, n int) [][]float64 {
	P := square(n)
	for i := range P {
		for j := range i + 1 {
			P[i][j] = math.Exp(2 * stream.Normal())
			P[j][i] = P[i][j]
		}
	}
	for range 2000 {
		scale := make([]float64, n)
		for i, row := range P {
			for _, p := range row {
				scale[i] += p
			}
			scale[i] = math.Sqrt(scale[i])
		}
		for i, row := range P {
			for j := range row {
				row[j] /= scale[i] * scale[j]
			}
		}
	}
	return P
}

// least returns the smallest slack of the random instances.
func (s statement) least() float64 { return slices.Min(s.slack) }

// holds reports whether the statement holds in all instances, up to rounding.
func (s statement) holds() bool { return s.least() >= -proofError && s.equal <= proofError }

// displays reports whether the last displayed formula of the proof for independent lags
// is right as printed, and whether it is right with the opposite sign.
func (m proven) displays() (printed, negated bool) {
	printed, negated = true, true
	for _, d := range m.display {
		printed = printed && math.Abs(d.left-d.printed) <= proofError
		negated = negated && math.Abs(d.left+d.printed) <= proofError
	}
	return printed, negated
}

func (m proven) judge() claim.Finding {
	f := claim.Finding{Verdict: claim.Fails}
	all, least := true, math.Inf(1)
	for _, s := range m.statements {
		c := claim.Condition{
			Name: s.name, Verdict: claim.HoldsIf(s.holds()), Converged: true,
			Obtained: fmt.Sprintf("smallest difference %.2g; largest difference where equality is due %.1e",
				s.least(), s.equal),
			Effect: claim.Exactly("smallest difference", "", s.least()),
		}
		all, least = all && s.holds(), min(least, s.least())
		f.Conditions = append(f.Conditions, c)
	}
	f.Effect = claim.Exactly("smallest difference between the sides of a statement", "", least)
	switch printed, negated := m.displays(); {
	case !all:
		f.Obtained = "a statement does not hold"
	case printed:
		f.Verdict, f.Obtained = claim.Holds, "all statements hold, and the display is right"
	case negated:
		f.Verdict = claim.Corrected
		f.Effect = claim.Exactly("left side of the last display minus its printed right side", "",
			m.display[0].left-m.display[0].printed)
		f.Obtained = fmt.Sprintf("all statements hold; the last display for independent lags has the wrong sign: the "+
			"expression that it calls at least 0 equals −Σ μμ(a−b)²/Σ_l P, which is at most 0 because b(a−b) + "+
			"a(b−a) = −(a−b)². Claim 1 follows from this. In the first instance, the left side is %.4f and the "+
			"printed right side %.4f", m.display[0].left, m.display[0].printed)
	default:
		f.Obtained = "the display is wrong with either sign"
	}
	f.Asked = []claim.Question{{
		Question: "“similar techniques can be applied to prove Claim 1 in the case of a symmetric Markov kernel”: " +
			"for symmetric P, is the margin half the mean of (a−b)²/Σ_l P, as for independent lags?",
		Answer: claim.AnswerIf(m.swap <= proofError),
		Obtained: fmt.Sprintf("over %s symmetric matrices, the two differ by up to %.2g: where a third lag shares "+
			"the chain, the two tokens are not exchangeable. No margin is below 0 (the smallest is %.2g); a proof "+
			"for three lags is missing",
			numerals.Grouped(proofInstances), m.swap, m.least),
	}}
	return f
}

func (m proven) draw(out *claim.Output) {
	chart := figure.Chart{
		Title: "statements", X: figure.Axis{Label: "instance, sorted by difference"},
		Y: figure.Axis{Label: "right side minus left side", Include: []float64{0}},
	}
	for i, s := range m.statements {
		chart.Series = append(chart.Series, labelled{name: s.name, color: i + 1, along: sorted(s.slack)}.from(1))
	}
	instances := document.Frame{
		Columns: document.Named("lemma_1", "lemma_2", "independent", "display_left", "display_right_printed"),
	}
	printed := figure.Series{Name: "printed", Style: figure.Scatter, Open: true, Color: 2}
	negated := figure.Series{Name: "with the opposite sign", Style: figure.Scatter, Color: 1}
	for i, d := range m.display {
		printed.Add(d.left, d.printed)
		negated.Add(d.left, -d.printed)
		instances.Row(m.statements[0].slack[i], m.statements[1].slack[i], m.statements[2].slack[i], d.left, d.printed)
	}
	display := figure.Chart{
		Title: "last display", X: figure.Axis{Label: "left side"}, Y: figure.Axis{Label: "right side"},
		Series: []figure.Series{printed, negated},
	}
	out.Figure("proofs", figure.Row("App. B on random instances",
		"Three lines that start at zero and rise, and two sets of marks: those with the opposite sign are on the "+
			"diagonal, the printed ones are not.", chart, display))
	out.CSV("proofs", instances)
}

// sorted returns the list in ascending order.
func sorted(list []float64) []float64 { return slices.Sorted(slices.Values(list)) }
