package beliefs

import (
	"fmt"
	"strings"

	"foretell/claim"
	"foretell/paper/internal/seeds"
	"foretell/probe"
)

// first is the rule of B1 as first committed: it compares means over all models.
func (m spread) first() claim.Finding {
	found := claim.Finding{Verdict: claim.Fails, Obtained: m.obtained()}
	switch bySequence, byWord := m.readings[0].first(), m.readings[1].first(); {
	case bySequence && byWord:
		found.Verdict = claim.Holds
	case bySequence:
		found.Verdict = claim.Differs
	}
	return found
}

// first reports whether all stages have a larger R² than the last one, and both have a
// larger one than their controls.
func (r reading) first() bool {
	last, all := r.means(ofTrained)
	lastRandom, allRandom := r.means(ofRandom)
	lastShuffled, allShuffled := r.means(ofShuffled)
	return all > last && all > max(allRandom, allShuffled) &&
		last > max(r.nextToken, r.lastTokens, lastRandom, lastShuffled)
}

// first is the rule of B2 as first committed: it compares means over all models.
func (m interventions) first() claim.Finding {
	found := claim.Finding{Verdict: claim.Holds}
	var shares []string
	for _, p := range m {
		mean := func(of func(probe.SteeredStage) float64) float64 { return seeds.Mean(p.last(of)) }
		ofUnchanged := mean(afterLikeliest) / mean(unchanged)
		ofRandom := mean(afterLikeliest) / mean(asLongAsLikeliest)
		switch {
		case ofUnchanged >= 1 || ofRandom >= 1:
			found.Verdict = claim.Fails
		case found.Verdict == claim.Holds && (ofUnchanged > 1./partOfUnchanged || ofRandom > 1./partOfRandom):
			found.Verdict = claim.Differs
		}
		shares = append(shares, fmt.Sprintf("%s: %.3f of the divergence without a change, and %.3f of the divergence "+
			"after a random one", p.Name, ofUnchanged, ofRandom))
	}
	found.Obtained = strings.Join(shares, "; ")
	return found
}
