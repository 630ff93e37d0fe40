package paper

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"foretell/figure"
	"foretell/probe"
)

// twoHeadConditions are those of Fig. 3, where ζ < 0.
func twoHeadConditions(p Profile) []condition {
	return slices.DeleteFunc(mess3Conditions(p), func(c condition) bool { return c.Heads == 1 })
}

// twoHeads is what the two heads of a layer do together.
type twoHeads struct {
	cosines   []float64   // of their OV vectors at each (position, token), ascending
	scale     [][]float64 // (head, position): v as a multiple of Pr(S|z) − π
	combined  []float64   // (T,T): Σ_h A_h(d, s)·scale_h(s) for d > s
	predicted []float64   // (T,T): ζ^(d−s) for d > s
	relative  float64     // root of Σ(combined − predicted)²/Σ predicted²
	evenShare [2]float64  // of each head's attention to earlier positions
	positive  int         // the head whose OV vectors point along Pr(S|z) − π
}

// testTwoHeads is M8: Fig. 3 and Eq. 16–20.
func testTwoHeads(s *Study, c *Claim) error {
	table := Table{
		Title: "two heads through f; OV vectors without the part that all tokens share",
		Columns: []string{
			"model", "median cosine of the two OV vectors", "largest", "combined against ζⁿ: relative error", "even lags, positive head", "even lags, negative head",
		},
	}
	f := &figure.Figure{
		Title: "Two heads share what one cannot do",
		Desc:  "For each process four heat maps: attention of the two heads, their sum signed and scaled by their OV vectors, and the predicted powers of ζ.",
		Cols:  []string{"positive head", "negative head", "signed and combined", "ζⁿ (Eq. 17)"},
	}
	worstCosine, worstError, leastEven, mostEven := -1.0, 0.0, 1.0, 0.0
	var rows [][]float64
	var obtained []string
	for _, m := range s.of(twoHeadConditions(s.Profile)) {
		h, err := m.twoHeads()
		if err != nil {
			return err
		}
		positive, negative := h.evenShare[h.positive], h.evenShare[1-h.positive]
		table.Rows = append(table.Rows, []string{
			m.label(), fmt.Sprintf("%.4f", median(h.cosines)), fmt.Sprintf("%.4f", h.cosines[len(h.cosines)-1]), fmt.Sprintf("%.1f %%", 100*h.relative),
			fmt.Sprintf("%.1f %%", 100*positive), fmt.Sprintf("%.1f %%", 100*negative),
		})
		if m.norm != s.Profile.Norms[0] {
			continue
		}
		obtained = append(obtained, fmt.Sprintf("%s: median cosine %.3f, combined within %.0f %% of ζⁿ, even lags %.0f %% and %.0f %%",
			m, median(h.cosines), 100*h.relative, 100*positive, 100*negative))
		if fit := m.mid().constrained.Trained.HeldOut.R2; fit < 0.95 {
			c.Notes = append(c.Notes, fmt.Sprintf("%s: the intermediate representation of this model has not reached the constrained geometry (R² = %.2f, claim M2), which this row is about.", m, fit))
		}
		worstCosine, worstError = max(worstCosine, median(h.cosines)), max(worstError, h.relative)
		leastEven, mostEven = min(leastEven, positive), max(mostEven, negative)
		f.Rows = append(f.Rows, m.String())
		limit := 0.0
		for at, x := range h.combined {
			limit = max(limit, math.Abs(x), math.Abs(h.predicted[at]))
		}
		f.Panels = append(f.Panels, []figure.Panel{
			heatMap(m.patterns[h.positive]), heatMap(m.patterns[1-h.positive]), signedMap(h.combined, limit), signedMap(h.predicted, limit),
		})
		T := m.patterns[0].T
		eachPair(T, func(d, src int) {
			at := d*T + src
			rows = append(rows, []float64{
				m.x, m.a, float64(d + 1), float64(src + 1), m.patterns[h.positive].Mean[at], m.patterns[1-h.positive].Mean[at],
				h.scale[h.positive][src], h.scale[1-h.positive][src], h.combined[at], h.predicted[at],
			})
		})
	}
	c.Tables, c.Setting = append(c.Tables, table), s.Profile.Setting
	c.Obtained = strings.Join(obtained, "; ")
	switch {
	case worstCosine <= -0.9 && worstError <= 0.2 && leastEven >= 0.75 && mostEven <= 0.25:
		c.Verdict = Holds
	case worstError <= 0.4:
		c.Verdict = Differs
	default:
		c.Verdict = Fails
	}
	c.Notes = append(c.Notes,
		"The combined pattern is Σ_h A_h(d, s)·μ_h(s) for d > s, with μ_h(s) the OV vectors of head h at position s as multiples of Pr(S|z) − π, by least squares over tokens. The diagonal is left out: there the embedding joins in.",
		"What theory forces is less than Eq. 18 and 19 say (“naturally accommodated”): the combination ζⁿ, which needs attention of both signs, so that the token-dependent parts of the two OV vectors are opposed. "+
			"The strict split into even and odd lags is one solution; |ζ|ⁿ may be added to both.")
	err := s.addFigure(c, "heads", "Left: the mean attention of the two heads, the one first whose OV vectors point to the token's own corner. Third: attention times the (signed) length of OV vectors, summed over both heads. "+
		"Right: ζ^(d−s) with ζ = −½, what the constrained belief asks for.", f)
	if err != nil {
		return err
	}
	return s.addCSV(c, "heads", []string{"x", "alpha", "destination", "source", "attention_positive", "attention_negative", "scale_positive", "scale_negative", "combined", "zeta_power"}, rows)
}

func (s *subject) twoHeads() (*twoHeads, error) {
	T := s.prefixes.Length
	first, err := probe.ReadFirstLayer(s.model, T-1, s.hmm.Alphabet())
	if err != nil {
		return nil, err
	}
	h := &twoHeads{combined: make([]float64, T*T), predicted: make([]float64, T*T)}
	var vectors [2][][2]float64
	for head := range 2 {
		vectors[head], _ = s.split(first.OV(s.model, head), first.Tokens)
		scale, err := s.scales(vectors[head])
		if err != nil {
			return nil, err
		}
		h.scale = append(h.scale, scale)
	}
	for i, v := range vectors[0] {
		h.cosines = append(h.cosines, cosine(v, vectors[1][i]))
	}
	slices.Sort(h.cosines)
	if mean(h.scale[1]) > mean(h.scale[0]) {
		h.positive = 1
	}
	var even, all [2]float64
	difference, size := 0.0, 0.0
	eachPair(T, func(d, src int) {
		at := d*T + src
		for head := range 2 {
			weight := s.patterns[head].Mean[at]
			h.combined[at] += weight * h.scale[head][src]
			all[head] += weight
			if (d-src)%2 == 0 {
				even[head] += weight
			}
		}
		h.predicted[at] = math.Pow(s.zeta(), float64(d-src))
		difference += math.Pow(h.combined[at]-h.predicted[at], 2)
		size += math.Pow(h.predicted[at], 2)
	})
	h.relative = math.Sqrt(difference / size)
	for head := range 2 {
		h.evenShare[head] = even[head] / all[head]
	}
	return h, nil
}

// scales returns the vectors of each position, (positions, tokens), as a multiple
// of Pr(S|z) − π, by least squares over tokens.
func (s *subject) scales(vectors [][2]float64) ([]float64, error) {
	tokens := s.hmm.Alphabet()
	scales := make([]float64, len(vectors)/tokens)
	square := 0.0
	for z := range tokens {
		source, err := s.hmm.Constrained([]int{z})
		if err != nil {
			return nil, err
		}
		x, y := project(source) // relative to the centre, which is π
		square += x*x + y*y
		for p := range scales {
			v := vectors[p*tokens+z]
			scales[p] += v[0]*x + v[1]*y
		}
	}
	for p := range scales {
		scales[p] /= square
	}
	return scales, nil
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// signedMap draws a (T,T) pattern with entries from −limit to limit.
func signedMap(pattern []float64, limit float64) figure.Panel {
	T := int(math.Sqrt(float64(len(pattern))))
	h := figure.HeatMap{X: "source", Y: "destination", Label: "signed", Lower: true, Diverging: true, Range: [2]float64{-limit, limit}}
	for d := range T {
		h.Z = append(h.Z, pattern[d*T:(d+1)*T])
		h.Rows = append(h.Rows, strconv.Itoa(d+1))
	}
	h.Cols = h.Rows
	return h
}
