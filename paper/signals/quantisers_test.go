package signals

import (
	"math"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/internal/needs"
	"foretell/token"
)

// asListed are quantisers of which everything is as it should be.
func asListed() quantised {
	low := func(float64) float64 { return 0.3 }
	m := quantised{
		sources: []source{{name: gaussianSource, bound: low}, {name: arSource, bound: low}, {name: stepSource}},
		curves:  []rateCurve{flat(gaussianSource, "µ-law", 0.7)},
		uniform: []definition{{ends: true, furthest: 1}},
		exact: []exactPoint{
			{bits: 0.5, coded: 0.5},
			{bits: 1, lloydMax: 0.3634, highRate: 0.5, coded: 0.3},
			{bits: 2, lloydMax: 0.1175, highRate: 0.13, coded: 0.07},
			{bits: 3, lloydMax: 0.03454, highRate: 0.0376, coded: 0.02},
			{bits: 5, lloydMax: 1, highRate: 1.05, coded: codedLimit * shannonBound(5)},
		},
		levels: []levelCurves{{curves: []levelCurve{
			{law: uniformCoder, ratio: sweptLevels()}, {law: "µ-law", ratio: make([]float64, len(sweptLevels()))},
		}}},
		splits: []splitCurve{
			{source: arSource, coder: uniformCoder, errors: []predictionError{
				{total: 1, quantisation: 0.5, prediction: 0.25, cross: 0.25, known: 0.9, slack: 0.1},
			}},
			{source: glassSource, coder: uniformCoder},
		},
	}
	share := map[string]float64{dctCoder: 0.99, learnedCoder: 0.3, productCoder: 0.4, vectorCoder: 0.6}
	for _, s := range m.sources {
		for name, part := range share {
			if s.name == arSource && name == dctCoder {
				part = 0.5
			}
			m.curves = append(m.curves, flat(s.name, name, part))
		}
		m.curves = append(m.curves, flat(s.name, lloydMaxCoder, 1), flat(s.name, highRateCoder, 1.05))
	}
	m.events = []rateCurve{ // the learned quantiser has 0.3
		{stepSource, "events", []ratePoint{{rate: 0.5, distortion: 0.29}, {rate: 9, distortion: 1e-9}}},
		{gaussianSource, "events", []ratePoint{{rate: 0.5, distortion: 1}, {rate: 9, distortion: 1e-9}}},
	}
	return m
}

// flat is a curve of one distortion, whose tokens all come back.
func flat(source, coder string, distortion float64) rateCurve {
	c := rateCurve{source: source, coder: coder}
	for _, rate := range rates {
		c.points = append(c.points, ratePoint{rate: rate, entropy: rate, distortion: distortion, returned: 1})
	}
	return c
}

func TestQuantisersAreJudged(t *testing.T) {
	changed := func(change func(m *quantised)) quantised {
		m := asListed()
		change(&m)
		return m
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
	claimtest.Rule(t, quantised.judge, verdicts, []claimtest.Case[quantised]{
		{Name: "as listed", M: asListed(), Want: claim.Holds},
		{Name: "a token outside", M: changed(func(m *quantised) { m.uniform[0].outside = 1 }), Want: claim.Differs},
		{Name: "an end missing", M: changed(func(m *quantised) { m.uniform[0].ends = false }), Want: claim.Differs},
		{Name: "too far", M: changed(func(m *quantised) { m.uniform[0].furthest = 1.001 }), Want: claim.Differs},
		{Name: "no events for steps", M: changed(func(m *quantised) { m.events[0].points[0].distortion = 1 }), Want: claim.Differs},
		{Name: "events better than single samples alone", M: changed(func(m *quantised) { m.events[0].points[0].distortion = 0.3 }), Want: claim.Differs},
		{Name: "events have too many bits", M: changed(func(m *quantised) { m.events[0].points[0].rate = 6 }), Want: claim.Differs},
		{Name: "events for all", M: changed(func(m *quantised) { m.events[1].points[0].distortion = 0.29 }), Want: claim.Differs},
		{Name: "nothing as listed", M: changed(func(m *quantised) {
			m.uniform[0].outside, m.events[0].points[0].distortion = 1, 2
		}), Want: claim.Fails},
	})
}

// Events are compared with quantisers of as many bits or more, each at its next rate.
func TestRivalsOfEvents(t *testing.T) {
	m := asListed()
	m.events[0].points[0].rate = 0.6
	for i, c := range m.curves {
		if c.source == stepSource && c.coder == learnedCoder {
			m.curves[i].points[0].distortion, m.curves[i].points[1].distortion = 0.01, 0.31
		}
	}
	match, ok := m.eventMatch(stepSource)
	if !ok || match.rival != learnedCoder || match.best.rate != 1 || math.Abs(match.gain()-0.31/0.29) > exact || match.scalar.distortion != 1 {
		t.Errorf("%+v", match)
	}
	if _, ok := m.eventMatch(sineSource); ok {
		t.Error("a source without events has some")
	}
	e := m.judge().Effect
	if e.Estimate != 0.29 || e.Control.Value != 0.31 {
		t.Errorf("the effect is %v beside %v", e.Estimate, e.Control.Value)
	}
}

// What is asked beside the verdict has each of its answers, and decides nothing.
func TestQuantisersAreAsked(t *testing.T) {
	for i, change := range []func(m *quantised){
		func(m *quantised) { m.curves[0].points[0].returned = 0.9 },
		func(m *quantised) { m.curves = append(m.curves, flat(gaussianSource, "?", 1e-4)) },
		func(m *quantised) { m.exact[3].lloydMax = 0.0346 },
		func(m *quantised) { m.exact[4].highRate = 1.1 },
		func(m *quantised) { m.exact[4].coded *= 1.01 },
		func(m *quantised) { m.levels[0].curves[1].ratio = sweptLevels() },
		func(m *quantised) { m.set(arSource, dctCoder, 0.51) },
		func(m *quantised) { m.set(stepSource, learnedCoder, 0.41) },
		func(m *quantised) { m.splits[0].errors[0].known = 0.5 },
	} {
		m := asListed()
		// A learned quantiser's tokens need not come back.
		for c := range m.curves {
			if m.curves[c].coder == learnedCoder {
				m.curves[c].points[0].returned = 0.5
			}
		}
		if q := m.judge().Asked[i]; q.Answer != claim.Yes {
			t.Errorf("%s: %s (%s)", q.Question, q.Answer, q.Obtained)
		}
		m = asListed()
		change(&m)
		found := m.judge()
		if q := found.Asked[i]; q.Answer != claim.No || found.Verdict != claim.Holds {
			t.Errorf("%s: %s (%s), and the row %s", q.Question, q.Answer, q.Obtained, found.Verdict)
		}
	}
}

// A high-rate law that is better than the best, a code that is not at its limit, and a
// uniform quantiser that keeps its ratio are noticed, too.
func TestExactQuantisersAreAsked(t *testing.T) {
	for i, test := range []struct {
		question int
		change   func(m *quantised)
	}{
		{3, func(m *quantised) { m.exact[4].highRate = 0.99 }},
		{3, func(m *quantised) { m.exact = nil }},
		{4, func(m *quantised) { m.exact[4].coded *= 0.98 }},
		{4, func(m *quantised) { m.exact[0].coded = 0.8 }},
		{5, func(m *quantised) { m.levels[0].curves[0].ratio = make([]float64, len(sweptLevels())) }},
	} {
		m := asListed()
		test.change(&m)
		if q := m.judge().Asked[test.question]; q.Answer != claim.No {
			t.Errorf("%d: %s (%s)", i, q.Question, q.Obtained)
		}
	}
}

// Below the level of clipping, the distortion of a compander F with B levels is Bennett's
// integral, E[1/F′(x)²]/(3(B − 1)²), and that of equal steps is Δ²/12.
func TestLevels(t *testing.T) {
	found, err := measureLevels()
	if err != nil {
		t.Fatal(err)
	}
	const level, steps = -20, codecLevels - 1
	deviation := math.Pow(10, level/20.)
	slope := func(x float64) float64 { return 255 / (math.Log(256) * (1 + 255*math.Abs(x))) }
	bennett := 0.0
	for x := -8.; x < 8; x += 1e-3 {
		f := slope(x * deviation)
		bennett += math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) / (f * f) / (3 * steps * steps) * 1e-3
	}
	normal := found[0].curves
	for i, want := range []float64{1 / (3. * steps * steps), bennett} {
		if got := normal[i].at(level); math.Abs(got-decibel(deviation*deviation/want)) > 0.1 {
			t.Errorf("%s: %v dB, want %v", normal[i].law, got, decibel(deviation*deviation/want))
		}
	}
	if falls := normal[0].at(-20) - normal[0].at(-40); math.Abs(falls-20) > 0.1 {
		t.Errorf("the uniform quantiser loses %v dB in 20", falls)
	}
}

// More bits with more distortion are noted, with their blocks.
func TestWorseIsNoted(t *testing.T) {
	m := asListed()
	if note := m.worseNote(); note != "No quantiser has more distortion with more bits." {
		t.Error(note)
	}
	m.curves[0].points[1].distortion, m.curves[0].points[1].block = 0.9, 4
	if note := m.worseNote(); !strings.Contains(note, "0.5 and 1 bits, blocks of 0 and of 4: 0.7 and 0.9") {
		t.Error(note)
	}
}

// set changes a curve's distortions.
func (m *quantised) set(source, coder string, distortion float64) {
	for i, c := range m.curves {
		if c.source == source && c.coder == coder {
			m.curves[i] = flat(source, coder, distortion)
		}
	}
}

// The bound of the correlated source at rates where all of its spectrum is above the
// level is (1−ρ²)·2^(−2R), and it is that of independent samples for none.
func TestBounds(t *testing.T) {
	bound := arBound()
	for _, rate := range []float64{2, 3, 5} {
		if want := (1 - arCoefficient*arCoefficient) * math.Exp2(-2*rate); math.Abs(bound(rate)/want-1) > 1e-9 {
			t.Errorf("%g bits: %g, want %g", rate, bound(rate), want)
		}
	}
	if b := bound(0); math.Abs(b-1) > 1e-3 {
		t.Errorf("no bits: %g, want the variance", b)
	}
	if b := shannonBound(1); math.Abs(b-0.25) > 1e-15 {
		t.Errorf("one bit, independent: %g", b)
	}
}

// With fine levels the error of a forecast of Mackey–Glass is what its tokens' errors
// make of it, and nearly every token is foretold; the parts make the whole.
func TestForecastErrorsAreTakenApart(t *testing.T) {
	x, _ := recorded(lectureDelay, 4000)
	q, err := token.FitUniform(x, 4096)
	if err != nil {
		t.Fatal(err)
	}
	f := nextSamples[1]
	e, err := f.measure(q, x, meanSquare(x))
	if err != nil {
		t.Fatal(err)
	}
	if e.gap() > exact || math.Abs(e.total/e.known-1) > 0.1 || e.accuracy < 0.5 {
		t.Errorf("%+v, the parts off by %g", e, e.gap())
	}
	for n := lectureDelay; n+1 < len(x); n++ {
		if math.Abs(f.forecast(x, n)-x[n+1]) > 1e-14 {
			t.Fatalf("the forecast of x[%d] is %g, not %g", n+1, f.forecast(x, n), x[n+1])
		}
	}
}

// On few samples, and with hardly any training, everything is as listed.
func TestQuantisersOnFewSamples(t *testing.T) {
	needs.Time(t, "fits some hundreds of quantisers")
	few := profile{quantising: quantising{samples: 1 << 14, learnedSteps: 20}}
	claimtest.Verdicts(t, []claim.Row{few.quantisers()}, map[string]claim.Verdict{"S10": claim.Holds})
}
