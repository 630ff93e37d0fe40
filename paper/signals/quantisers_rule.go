package signals

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/claim"
)

// knownLloydMax holds the distortions of the best quantisers of the standard normal
// density with 1, 2 and 3 bits (Max 1960, Table I), each with the unit of its last
// printed digit.
var knownLloydMax = []struct{ value, unit float64 }{{0.3634, 1e-4}, {0.1175, 1e-4}, {0.03454, 1e-5}}

func (m quantised) judge() claim.Finding {
	found := claim.NewFinding([]claim.Condition{m.asDefined(), m.fewChanges()})
	found.Asked = []claim.Question{
		m.comesBack(), m.aboveBounds(), m.known(), m.highRate(), m.coded(), m.keeps(), m.shared(), m.beatsMeans(),
		m.splitKnown(),
	}
	return found
}

// asDefined judges the condition that uniform quantisation does what the lecture's
// definition says.
func (m quantised) asDefined() claim.Condition {
	holds, furthest, outside := true, 0.0, 0
	for _, d := range m.uniform {
		holds = holds && d.outside == 0 && d.ends && d.furthest <= 1+exact
		furthest, outside = max(furthest, d.furthest), outside+d.outside
	}
	return stated("uniform", holds,
		"%d tokens outside 0 … B−1; no sample in the range is further than %.4f·Δ/2 from its decoded value",
		outside, furthest)
}

// fewChanges judges the condition on event-based tokens: they are useful if a signal
// changes at only a few time points.
func (m quantised) fewChanges() claim.Condition {
	few, steps := m.eventMatch(stepSource)
	many, _ := m.eventMatch(gaussianSource)
	if !steps {
		return stated("events", false, "on the step signal, every event code has more bits than every quantiser")
	}
	c := stated("events", few.gain() > 1 && many.gain() <= 1,
		"on the step signal, events at %.2f bits a sample have a distortion of %.3g of the variance; the best "+
			"quantiser with at least that number of bits (%s, %g bits) has %.3g, which is %.2g times the distortion "+
			"of events; Lloyd–Max at %g bits has %.3g; on independent samples, %s",
		few.event.rate, few.event.distortion, few.rival, few.best.rate, few.best.distortion, few.gain(),
		few.scalar.rate, few.scalar.distortion, many.against())
	c.Effect = claim.Exactly(fmt.Sprintf("distortion/σ² of events on the step signal, %.2f bits a sample",
		few.event.rate), "",
		few.event.distortion).
		Against(fmt.Sprintf("the best quantiser with at least that number of bits: %s, %g bits",
			few.rival, few.best.rate),
			few.best.distortion)
	return c
}

// eventMatch compares an event code with quantisers that have at least its number of bits
// a sample. Each quantiser is taken at the lowest such rate at which it was measured.
type eventMatch struct {
	event  ratePoint
	rival  string    // the quantiser with the least distortion, "" if there is no such quantiser
	best   ratePoint // measurements of the rival
	scalar ratePoint // measurements of Lloyd–Max
}

// gain returns the rival's distortion divided by the event code's distortion, or 0 if
// there is no rival.
func (e eventMatch) gain() float64 {
	if e.rival == "" {
		return 0
	}
	return e.best.distortion / e.event.distortion
}

// against describes the comparison for a signal on which event-based tokens should not be
// useful.
func (e eventMatch) against() string {
	if e.rival == "" {
		return "every event code has more bits than every quantiser"
	}
	return fmt.Sprintf("the best quantiser has at most %.3g times the distortion of events (%s)", e.gain(), e.rival)
}

// eventMatch returns the comparison for the event code of a source that has the largest
// gain. The second result is false if every event code has more bits than any quantiser.
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

// rivals compares an event code with the quantisers that were measured on a source.
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

// at returns the measurements of a coder on a source at a rate. The second result is
// false if the coder was not measured at that rate.
func (m quantised) at(source, coder string, rate float64) (ratePoint, bool) {
	for _, p := range m.curve(source, coder) {
		if math.Abs(p.rate-rate) < exact {
			return p, true
		}
	}
	return ratePoint{}, false
}

// curve returns the measurements of a coder on a source, by rate.
func (m quantised) curve(source, coder string) []ratePoint {
	for _, c := range m.curves {
		if c.source == source && c.coder == coder {
			return c.points
		}
	}
	return nil
}

// ratio returns the distortion of one coder divided by the distortion of another at the
// same rate, or NaN if one of them was not measured at that rate.
func (m quantised) ratio(source, coder, other string, rate float64) float64 {
	a, hasA := m.at(source, coder, rate)
	b, hasB := m.at(source, other, rate)
	if !hasA || !hasB {
		return math.NaN()
	}
	return a.distortion / b.distortion
}

// comesBack answers the question of whether tokens are unchanged after decoding and
// encoding.
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
		Question: "Does encoding the decoded value of a token always give the same token, except for learned " +
			"quantisers? (The laboratory's own question)",
		Answer: claim.AnswerIf(least >= 1-exact),
		Obtained: fmt.Sprintf("for a share of at least %.4f of the tokens, and for learned quantisers of at least %.4f",
			least, learnedLeast),
	}
}

// aboveBounds answers the question of whether distortions are at least Shannon's bound.
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
		Question: fmt.Sprintf("Is the distortion of every quantiser of a Gaussian source at least Shannon's bound, "+
			"within %g %%? (The laboratory's own question: less would be a defect)", 100*belowBound),
		Answer:   claim.AnswerIf(least >= 1-belowBound),
		Obtained: fmt.Sprintf("the lowest distortion is %.3f times the bound (%s)", least, where),
	}
}

// sharedRate is the rate at which [quantised.shared] compares coders.
const sharedRate = 2

// shared answers the question of whether transforms gain from correlation between samples
// and from nothing else.
func (m quantised) shared() claim.Question {
	on := m.ratio(arSource, dctCoder, lloydMaxCoder, sharedRate)
	off := m.ratio(gaussianSource, dctCoder, lloydMaxCoder, sharedRate)
	return claim.Question{
		Question: fmt.Sprintf("Does a transform gain from correlation between samples, and from nothing else: at %d "+
			"bits, does the DCT have at most half the distortion of Lloyd–Max on AR(1), and at least 0.98 of it on "+
			"independent samples? (The laboratory's own question)",
			sharedRate),
		Answer:   claim.AnswerIf(on <= 0.5 && off >= 0.98),
		Obtained: fmt.Sprintf("%.3f of it on AR(1) and %.3f of it on independent samples", on, off),
	}
}

// beatsMeans answers the question of whether learning improves on k-means.
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
		Question: "Does the learned quantiser have less distortion than two k-means quantisers of the same rate, on " +
			"each source at each rate: a product quantiser with the same blocks and alphabets, and one codebook of " +
			"the longest vectors that 256 codewords allow? (The laboratory's own question; the slide states no " +
			"distortion)",
		Answer: claim.AnswerIf(least == compared && compared > 0),
		Obtained: fmt.Sprintf("it has less distortion than the product quantiser in %d of %d cases, and less than "+
			"both in %d%s",
			better, compared, least, listed(places)),
	}
}

// listed formats a list, with a colon before it; an empty list gives "".
func listed(items []string) string {
	if len(items) == 0 {
		return ""
	}
	return ": " + strings.Join(items, ", ")
}

// splitKnown answers the question of whether the errors of forecasts agree with theory.
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
		Question: fmt.Sprintf("Is the squared error of a forecast from tokens equal to the sum of the quantisation "+
			"error, the prediction error and their cross term (to 1e-12)? And is it, on AR(1), equal to the "+
			"variance of the innovation plus ρ² times the distortion (within %d standard errors)? (The laboratory's "+
			"own question)", slack),
		Answer: claim.AnswerIf(gap <= exact && worst <= slack && len(m.splits) > 0),
		Obtained: fmt.Sprintf("the sum is off by %.0e; on AR(1) the total is off by at most %.1f standard errors",
			gap, worst),
	}
}

// split returns the errors of forecasts from a coder's tokens on a source, one for each
// number of levels.
func (m quantised) split(source, coder string) []predictionError {
	at := slices.IndexFunc(m.splits, func(c splitCurve) bool { return c.source == source && c.coder == coder })
	return m.splits[at].errors
}
