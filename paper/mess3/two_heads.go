package mess3

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/figure"
	"foretell/paper/internal/seeds"
	"foretell/paper/internal/trained"
	"foretell/probe"
)

// The rule of M8.
const (
	headsOpposed   = 0.9  // the median cosine of their OV vectors is at most minus this
	combinedOff    = 0.2  // the combined pattern from ζⁿ
	combinedFarOff = 0.4  // differs up to here
	evenPositive   = 0.75 // least share of the positive head's attention at even lags
	evenNegative   = 0.25 // largest of the negative head's
)

// twoHeads is M8: Piotrowski et al. 2025, Fig. 3 and Eq. 16–20.
func (l *lab) twoHeads() claim.Row {
	return claim.Row{
		ID: "M8", Source: cite + "Fig. 3, Eq. 16–20",
		Statement: "For x > 1/3 two heads share the even and the odd lags, with opposed OV vectors, and together " +
			"make ζⁿ.",
		Expected: fmt.Sprintf("x = 0.5: median cosine of the two heads' OV vectors ≤ −%g; the signed combined "+
			"pattern within %s of ζⁿ (root of summed squares over d > s); at least %s of the positive head's "+
			"attention to earlier positions at even lags, at most %s of the negative head's; differs if the combined "+
			"pattern is within %s",
			headsOpposed, percent(combinedOff), percent(evenPositive), percent(evenNegative), percent(combinedFarOff)),
		Trainings: trained.Trainings(l.withHeads(2)),
		Test: claim.Steps[headPairs]{
			Measure: l.measureTwoHeads, Judge: headPairs.judge, Tabulate: headPairs.tabulate, Draw: headPairs.draw,
		}.Test,
	}
}

// headPairs are the heads of several models.
type headPairs struct {
	setting string
	models  []headPair
}

// headPair is what the two heads of a layer do together.
type headPair struct {
	trained.Condition
	main      bool    // with the normalisation that the rule is about
	mid       float64 // held-out R² of the constrained beliefs after attention
	heads     [2]ovHead
	cosines   []float64 // of their OV vectors at each (position, token), ascending
	combined  []float64 // (T,T): Σ_h A_h(d, s)·scale_h(s) for d > s
	predicted []float64 // (T,T): ζ^(d−s) for d > s
	relative  float64   // root of Σ(combined − predicted)²/Σ predicted²
}

// ovHead is one of them. The positive one, whose OV vectors point along Pr(S|z) − π, is
// the first.
type ovHead struct {
	pattern probe.Pattern
	scale   []float64 // (position): its OV vectors as multiples of Pr(S|z) − π
	even    float64   // the share of even lags in its attention to earlier positions
}

func (l *lab) measureTwoHeads(ctx context.Context, s *claim.Study) (headPairs, error) {
	found := headPairs{setting: l.setting}
	subjects, err := l.of(ctx, s, l.withHeads(2))
	for _, m := range subjects {
		pair, err := m.headPair()
		if err != nil {
			return found, err
		}
		pair.main = l.isMain(m.Condition)
		found.models = append(found.models, pair)
	}
	return found, err
}

// headPair measures the two heads of the first layer.
func (s *subject) headPair() (headPair, error) {
	pair := headPair{Condition: s.Condition, mid: s.midR2()}
	first, err := s.readFirstLayer()
	if err != nil {
		return pair, err
	}
	var vectors [2][]point
	for i := range pair.heads {
		vectors[i], _ = s.split(first.OV(s.Model, i), first.Tokens)
		scale, err := s.scales(vectors[i])
		if err != nil {
			return pair, err
		}
		pair.heads[i] = ovHead{s.patterns[i], scale, evenShare(s.patterns[i])}
	}
	for i, v := range vectors[0] {
		pair.cosines = append(pair.cosines, cosine(v, vectors[1][i]))
	}
	slices.Sort(pair.cosines)
	pair.combine()
	if seeds.Mean(pair.heads[1].scale) > seeds.Mean(pair.heads[0].scale) {
		slices.Reverse(pair.heads[:])
	}
	return pair, nil
}

// scales returns the vectors of each position, (positions, tokens), as a multiple
// of Pr(S|z) − π, by least squares over tokens.
func (s *subject) scales(vectors []point) ([]float64, error) {
	tokens := s.HMM.Alphabet()
	scales := make([]float64, len(vectors)/tokens)
	square := 0.0
	for z := range tokens {
		source, err := s.HMM.Constrained([]int32{int32(z)})
		if err != nil {
			return nil, err
		}
		to := project(source) // relative to the centre, which is π
		square += to[0]*to[0] + to[1]*to[1]
		for p := range scales {
			v := vectors[p*tokens+z]
			scales[p] += v[0]*to[0] + v[1]*to[1]
		}
	}
	for p := range scales {
		scales[p] /= square
	}
	return scales, nil
}

// evenShare is the share of even lags in the attention to earlier positions.
func evenShare(p probe.Pattern) float64 {
	even, all := 0.0, 0.0
	eachPair(p.T, func(d, src int) {
		weight := p.Mean[d*p.T+src]
		all += weight
		if (d-src)%2 == 0 {
			even += weight
		}
	})
	return even / all
}

// combine adds up what the heads do, beside ζⁿ.
func (h *headPair) combine() {
	T, zeta := h.heads[0].pattern.T, h.Zeta()
	h.combined, h.predicted = make([]float64, T*T), make([]float64, T*T)
	difference, size := 0.0, 0.0
	eachPair(T, func(d, src int) {
		at := d*T + src
		for _, head := range h.heads {
			h.combined[at] += head.pattern.Mean[at] * head.scale[src]
		}
		h.predicted[at] = math.Pow(zeta, float64(d-src))
		difference += math.Pow(h.combined[at]-h.predicted[at], 2)
		size += math.Pow(h.predicted[at], 2)
	})
	h.relative = math.Sqrt(difference / size)
}

// main are the models that the rule is about.
func (m headPairs) main() []headPair {
	return slices.DeleteFunc(slices.Clone(m.models), func(h headPair) bool { return !h.main })
}

func (m headPairs) judge() claim.Finding {
	opposed, off, leastEven, mostEven := -1.0, 0.0, 1.0, 0.0
	var obtained []string
	for _, h := range m.main() {
		opposed, off = max(opposed, median(h.cosines)), max(off, h.relative)
		leastEven, mostEven = min(leastEven, h.heads[0].even), max(mostEven, h.heads[1].even)
		obtained = append(obtained, fmt.Sprintf("%s: median cosine %.3f, combined within %.0f %% of ζⁿ, even lags "+
			"%.0f %% and %.0f %%",
			h, median(h.cosines), 100*h.relative, 100*h.heads[0].even, 100*h.heads[1].even))
	}
	found := claim.Finding{Verdict: claim.Fails, Obtained: strings.Join(obtained, "; ")}
	switch {
	case opposed <= -headsOpposed && off <= combinedOff && leastEven >= evenPositive && mostEven <= evenNegative:
		found.Verdict = claim.Holds
	case off <= combinedFarOff:
		found.Verdict = claim.Differs
	}
	return found
}

func (m headPairs) tabulate(c *claim.Claim) {
	table := claim.Table{
		Title: "two heads through f; OV vectors without the part that all tokens share",
		Columns: []string{
			"model", "median cosine of the two OV vectors", "largest", "combined against ζⁿ: relative error",
			"even lags, positive head", "even lags, negative head",
		},
	}
	for _, h := range m.models {
		table.Rows = append(table.Rows, []string{
			h.Label(), fmt.Sprintf("%.4f", median(h.cosines)), fmt.Sprintf("%.4f", h.cosines[len(h.cosines)-1]),
			fmt.Sprintf("%.1f %%", 100*h.relative),
			fmt.Sprintf("%.1f %%", 100*h.heads[0].even), fmt.Sprintf("%.1f %%", 100*h.heads[1].even),
		})
		if h.main && h.mid < fractalMid {
			c.Notes = append(c.Notes, fmt.Sprintf("%s: the intermediate representation of this model has not reached "+
				"the constrained geometry (R² = %.2f, claim M2), which this row is about.", h, h.mid))
		}
	}
	c.Tables, c.Setting = append(c.Tables, table), m.setting
	c.Notes = append(c.Notes, twoHeadsNotes...)
}

var twoHeadsNotes = []string{
	"The combined pattern is Σ_h A_h(d, s)·μ_h(s) for d > s, with μ_h(s) the OV vectors of head h at position s as " +
		"multiples of Pr(S|z) − π, by least squares over tokens. The diagonal is left out: there the embedding joins " +
		"in.",
	"What theory forces is less than Eq. 18 and 19 say (“naturally accommodated”): the combination ζⁿ, which needs " +
		"attention of both signs, so that the token-dependent parts of the two OV vectors are opposed. The strict " +
		"split into even and odd lags is one solution; |ζ|ⁿ may be added to both.",
}

func (m headPairs) draw(out *claim.Output) {
	f := &figure.Figure{
		Title: "Two heads share what one cannot do",
		Desc: "For each process four heat maps: attention of the two heads, their sum signed and scaled by their OV " +
			"vectors, and the predicted powers of ζ.",
		Cols: []string{"positive head", "negative head", "signed and combined", "ζⁿ (Eq. 17)"},
	}
	var rows [][]float64
	for _, h := range m.main() {
		f.Rows = append(f.Rows, h.String())
		f.Panels = append(f.Panels, h.panels())
		rows = append(rows, h.rows()...)
	}
	out.Figure("heads", "Left: the mean attention of the two heads, the one first whose OV vectors point to the "+
		"token's own corner. Third: attention times the (signed) length of OV vectors, summed over both heads. "+
		"Right: ζ^(d−s) with ζ = −½, what the constrained belief asks for.", f)
	out.CSV("heads", []string{
		"x", "alpha", "destination", "source", "attention_positive", "attention_negative",
		"scale_positive", "scale_negative", "combined", "zeta_power",
	}, rows)
}

// panels are the attention of both heads and, in one scale of colours, what they make
// and what they should.
func (h headPair) panels() []figure.Panel {
	limit := 0.0
	for at, x := range h.combined {
		limit = max(limit, math.Abs(x), math.Abs(h.predicted[at]))
	}
	T := h.heads[0].pattern.T
	return []figure.Panel{
		heatMap(h.heads[0].pattern), heatMap(h.heads[1].pattern),
		signedMap(h.combined, T, limit), signedMap(h.predicted, T, limit),
	}
}

// rows are the pairs d > s, for the file of data.
func (h headPair) rows() (rows [][]float64) {
	T, positive, negative := h.heads[0].pattern.T, h.heads[0], h.heads[1]
	eachPair(T, func(d, src int) {
		at := d*T + src
		rows = append(rows, []float64{
			h.X, h.A, float64(d + 1), float64(src + 1), positive.pattern.Mean[at], negative.pattern.Mean[at],
			positive.scale[src], negative.scale[src], h.combined[at], h.predicted[at],
		})
	})
	return rows
}

// signedMap draws a (T,T) pattern with entries from −limit to limit.
func signedMap(pattern []float64, T int, limit float64) figure.Panel {
	h := lowerTriangle(pattern, T)
	h.Label, h.Diverging, h.Range = "signed", true, [2]float64{-limit, limit}
	return h
}
