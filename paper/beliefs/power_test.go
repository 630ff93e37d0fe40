package beliefs

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/probe"
)

// drawnSeeds is the number of models of each process that are drawn.
const drawnSeeds = 3

// No rule is bound to a verdict, whatever is read from models and however they respond.
func TestRulesHavePower(t *testing.T) {
	all := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Power(t, Paper.Rows(claim.Quick), map[string]claimtest.Drawn{
		"B1": claimtest.Draw(spread.judge, drawnSpread, all...),
		"B2": claimtest.Draw(interventions.judge, func(r claimtest.Stream) interventions {
			// Both processes respond alike, or each in its own way.
			likely := r.Between(0.02, 2)
			if r.OneIn(2) {
				return interventions{drawnSteered(r, likely), drawnSteered(r, likely)}
			}
			return interventions{drawnSteered(r, likely), drawnSteered(r, r.Between(0.02, 2))}
		}, all...),
	})
}

// drawnSpread are the readings of models from whose last stage any share of the beliefs
// can be read, and from all stages the same share, more or less. In half of the cases the
// controls are anywhere, in the others they are low.
func drawnSpread(r claimtest.Stream) spread {
	last, controls := r.Float64(), 0.3
	all := last + (1-last)*r.Float64()
	switch r.IntN(4) {
	case 0:
		all = last * r.Float64()
	case 1:
		all = last
	}
	if r.OneIn(2) {
		controls = 1
	}
	untrained := controls * r.Float64()
	of := told{
		trained: [2]float64{last, all}, random: [2]float64{untrained, untrained + 0.2*r.Float64()},
		shuffled:  [2]float64{0.1 * r.Float64(), 0.1 * r.Float64()},
		nextToken: controls * r.Float64(), lastTokens: controls * r.Float64(),
	}
	m := of.reading([2]string{})
	scatter := r.Between(0.001, 0.05)
	for i := range m.Models {
		for j := range m.Models[i].Found {
			m.Models[i].Found[j].R2 += scatter * r.NormFloat64()
		}
		if r.OneIn(20) {
			m.Models[i].Unconverged = "it rests"
		}
	}
	return spread{readings: []reading{m, m}}
}

// drawnSteered is a process of whose divergence about a share remains after the likeliest
// change, whereas a random change is as good, makes nothing better, or makes it worse. An
// untrained model may respond as well.
func drawnSteered(r claimtest.Stream, share float64) steered {
	var along, unchanged, random []float64
	scatter, other := r.Between(1.01, 1.5), r.Between(0.2, 5)
	for range drawnSeeds {
		along = append(along, r.Around(share, scatter))
		unchanged, random = append(unchanged, 1), append(random, r.Around(other, scatter))
	}
	p := moveTo("a process", along, unchanged, random)
	untrained := 1.0
	if r.OneIn(10) {
		untrained = share
	}
	for i := range p.Models {
		p.Models[i].Random = []probe.SteeredStage{steeredTo(untrained, 1, 1)}
		if r.OneIn(20) {
			p.Models[i].Unconverged = "it rests"
		}
	}
	return p
}
