package signals

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/claim"
)

// knownLloydMax are distortions of the best quantisers of a normal density, of variance
// 1, with 1, 2 and 3 bits (Max 1960, Table I), and a unit of their last digit.
var knownLloydMax = []struct{ value, unit float64 }{{0.3634, 1e-4}, {0.1175, 1e-4}, {0.03454, 1e-5}}

func (m quantised) judge() claim.Finding {
	found := claim.NewFinding([]claim.Condition{m.asDefined(), m.fewChanges()})
	found.Asked = []claim.Question{
		m.comesBack(), m.aboveBounds(), m.known(), m.highRate(), m.shared(), m.beatsMeans(), m.splitKnown(),
	}
	return found
}

// asDefined is about uniform quantisation.
func (m quantised) asDefined() claim.Condition {
	holds, furthest, outside := true, 0.0, 0
	for _, d := range m.uniform {
		holds = holds && d.outside == 0 && d.ends && d.furthest <= 1+exact
		furthest, outside = max(furthest, d.furthest), outside+d.outside
	}
	return stated("uniform", holds,
		"%d tokens outside 0 … B−1; no sample in the range further than %.4f·Δ/2 from its point", outside, furthest)
}

// fewChanges is about events: useful where a signal changes at few time points.
func (m quantised) fewChanges() claim.Condition {
	few, steps := m.eventMatch(stepSource)
	many, _ := m.eventMatch(gaussianSource)
	if !steps {
		return stated("events", false, "on steps no events have as few bits as any quantiser")
	}
	c := stated("events", few.gain() > 1 && many.gain() <= 1,
		"on steps events of %.2f bits a sample have %.3g of the variance as distortion, the best quantiser of as many bits "+
			"or more (%s, %g) %.3g, which is %.2g times as much; Lloyd–Max of %g %.3g; on independent samples %s",
		few.event.rate, few.event.distortion, few.rival, few.best.rate, few.best.distortion, few.gain(),
		few.scalar.rate, few.scalar.distortion, many.against())
	c.Effect = claim.Exactly(fmt.Sprintf("distortion/σ² of events on steps, %.2f bits a sample", few.event.rate), "",
		few.event.distortion).
		Against(fmt.Sprintf("the best quantiser of as many bits or more: %s, at %g", few.rival, few.best.rate),
			few.best.distortion)
	return c
}

// eventMatch is an event code beside quantisers of as many bits a sample or more, each at
// the next rate at which it was measured.
type eventMatch struct {
	event  ratePoint
	rival  string    // the quantiser with the least distortion
	best   ratePoint // of that
	scalar ratePoint // of Lloyd–Max
}

// gain is the distortion of the best quantiser as a share of that of events; 0 where
// there is no match.
func (e eventMatch) gain() float64 {
	if e.rival == "" {
		return 0
	}
	return e.best.distortion / e.event.distortion
}

// against says what became of events where they should not be useful.
func (e eventMatch) against() string {
	if e.rival == "" {
		return "no events have as few bits as any quantiser"
	}
	return fmt.Sprintf("the best has at most %.3g times the distortion of events (%s)", e.gain(), e.rival)
}

// eventMatch returns the event code of a source that gains the most; none where every
// code has more bits than any quantiser.
func (m quantised) eventMatch(source string) (most eventMatch, found bool) {
	for _, curve := range m.events {
		if curve.source != source {
			continue
		}
		for _, p := range curve.points {
			match := m.rivals(source, p)
			if match.gain() > most.gain() {
				most, found = match, true
			}
		}
	}
	return most, found
}

// rivals returns the quantisers of a source with as many bits as an event code or more.
func (m quantised) rivals(source string, event ratePoint) eventMatch {
	match := eventMatch{event: event}
	for _, c := range m.curves {
		next := slices.IndexFunc(c.points, func(p ratePoint) bool { return p.rate >= event.rate })
		if c.source != source || next < 0 {
			continue
		}
		p := c.points[next]
		if match.rival == "" || p.distortion < match.best.distortion {
			match.rival, match.best = c.coder, p
		}
		if c.coder == lloydMaxCoder {
			match.scalar = p
		}
	}
	return match
}

// at returns the point of a coder on a source at a rate that was asked for.
func (m quantised) at(source, coder string, rate float64) (ratePoint, bool) {
	for _, c := range m.curves {
		if c.source != source || c.coder != coder {
			continue
		}
		for _, p := range c.points {
			if math.Abs(p.rate-rate) < exact {
				return p, true
			}
		}
	}
	return ratePoint{}, false
}

// ratio returns the distortion of a coder as a share of another's, at a rate; NaN where
// one has none.
func (m quantised) ratio(source, coder, other string, rate float64) float64 {
	a, hasA := m.at(source, coder, rate)
	b, hasB := m.at(source, other, rate)
	if !hasA || !hasB {
		return math.NaN()
	}
	return a.distortion / b.distortion
}

// comesBack asks for the round trip.
func (m quantised) comesBack() claim.Question {
	least, learnedLeast := 1.0, 1.0
	for _, c := range m.curves {
		for _, p := range c.points {
			if c.coder == learnedCoder {
				learnedLeast = min(learnedLeast, p.returned)
			} else {
				least = min(least, p.returned)
			}
		}
	}
	return claim.Question{
		Question: "Does what every token stands for have that token, learned quantisers apart? (ours)",
		Answer:   claim.AnswerIf(least >= 1-exact),
		Obtained: fmt.Sprintf("at least %.4f of them; of learned quantisers at least %.4f", least, learnedLeast),
	}
}

// aboveBounds asks for Shannon's bound.
func (m quantised) aboveBounds() claim.Question {
	least, where := math.Inf(1), ""
	for _, s := range m.sources {
		for _, c := range m.curves {
			if s.bound == nil || c.source != s.name {
				continue
			}
			for _, p := range c.points {
				if over := p.distortion / s.bound(p.rate); over < least {
					least, where = over, fmt.Sprintf("%s, %s, %.3g bits", s.name, c.coder, p.rate)
				}
			}
		}
	}
	return claim.Question{
		Question: fmt.Sprintf("Does no quantiser of a Gaussian source have less distortion than Shannon's bound, by more "+
			"than %g %%? (ours: what would be a defect)", 100*belowBound),
		Answer:   claim.AnswerIf(least >= 1-belowBound),
		Obtained: fmt.Sprintf("the nearest has %.3f of the bound (%s)", least, where),
	}
}

// known asks for the numbers of Max.
func (m quantised) known() claim.Question {
	yes, found := len(m.lloydMax) == len(knownLloydMax), []string{}
	for i, d := range m.lloydMax {
		yes = yes && math.Abs(d-knownLloydMax[i].value) <= knownLloydMax[i].unit
		found = append(found, fmt.Sprintf("%.5f", d))
	}
	return claim.Question{
		Question: "Does Lloyd–Max have the distortions of Max (1960) for a normal density, 0.3634, 0.1175 and 0.03454 with " +
			"1, 2 and 3 bits?",
		Answer: claim.AnswerIf(yes), Obtained: strings.Join(found, ", "),
	}
}

// highRate asks for the law where it should hold.
func (m quantised) highRate() claim.Question {
	ratio := m.ratio(gaussianSource, highRateCoder, lloydMaxCoder, highestRate)
	return claim.Question{
		Question: fmt.Sprintf("Has the high-rate law at most %g times the distortion of Lloyd–Max on the Gaussian at %d "+
			"bits? (ours)", atHighRate, highestRate),
		Answer: claim.AnswerIf(ratio <= atHighRate), Obtained: fmt.Sprintf("%.3f times", ratio),
	}
}

// sharedRate is that at which coders are compared.
const sharedRate = 2

// shared asks what transforms gain, and from what.
func (m quantised) shared() claim.Question {
	on := m.ratio(arSource, dctCoder, lloydMaxCoder, sharedRate)
	off := m.ratio(gaussianSource, dctCoder, lloydMaxCoder, sharedRate)
	return claim.Question{
		Question: fmt.Sprintf("Does a transform gain by what samples share, and by nothing else: at %d bits, has the DCT "+
			"at most half of the distortion of Lloyd–Max on AR(1), and at least 0.98 of it on independent samples? (ours)",
			sharedRate),
		Answer:   claim.AnswerIf(on <= 0.5 && off >= 0.98),
		Obtained: fmt.Sprintf("%.3f and %.3f", on, off),
	}
}

// beatsMeans asks for what learning adds to k-means.
func (m quantised) beatsMeans() claim.Question {
	better, least := 0, 0
	var places []string
	compared := 0
	for _, s := range m.sources {
		for _, rate := range rates {
			product := m.ratio(s.name, learnedCoder, productCoder, rate)
			vectors := m.ratio(s.name, learnedCoder, vectorCoder, rate)
			if math.IsNaN(product) || math.IsNaN(vectors) {
				continue
			}
			compared++
			if product < 1 {
				better++
			}
			if product < 1 && vectors < 1 {
				least++
				places = append(places, fmt.Sprintf("%s at %g", s.name, rate))
			}
		}
	}
	return claim.Question{
		Question: "Has the learned quantiser less distortion than both k-means ones of the same rate, a product of the " +
			"same block and alphabets and one codebook of as long vectors as fit 256, on each source at each rate? (ours; the " +
			"slide promises no distortion)",
		Answer: claim.AnswerIf(least == compared && compared > 0),
		Obtained: fmt.Sprintf("less than the product in %d of %d, less than both in %d%s",
			better, compared, least, listed(places)),
	}
}

// listed is a list after a colon, nothing of none.
func listed(items []string) string {
	if len(items) == 0 {
		return ""
	}
	return ": " + strings.Join(items, ", ")
}

// splitKnown asks whether the error of forecasts is what is known of it.
func (m quantised) splitKnown() claim.Question {
	gap, worst := 0.0, 0.0
	for _, c := range m.splits {
		for _, e := range c.errors {
			gap = max(gap, e.gap())
			if c.source == arSource {
				worst = max(worst, math.Abs(e.total-e.known)/e.slack)
			}
		}
	}
	return claim.Question{
		Question: fmt.Sprintf("Is the squared error of a forecast from tokens the sum of quantisation, prediction and "+
			"their cross term, to 1e-12, and on AR(1) that of the innovation plus ρ²D, within %d standard errors? "+
			"(ours)", slack),
		Answer:   claim.AnswerIf(gap <= exact && worst <= slack && len(m.splits) > 0),
		Obtained: fmt.Sprintf("off by %.0e; at most %.1f standard errors", gap, worst),
	}
}

// split returns the errors of forecasts on a source from a coder's tokens.
func (m quantised) split(source, coder string) []predictionError {
	at := slices.IndexFunc(m.splits, func(c splitCurve) bool { return c.source == source && c.coder == coder })
	return m.splits[at].errors
}
