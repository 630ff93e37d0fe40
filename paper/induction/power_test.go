package induction

import (
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// drawnModels are three models of one kind with a number each around a common one, which
// may not have converged.
func drawnModels[M any](r claimtest.Stream, low, high float64, of func(x float64) M) claim.BySeed[M] {
	middle := r.Between(low, high)
	g := converged(of(r.Around(middle, 1.25)), of(r.Around(middle, 1.25)), of(r.Around(middle, 1.25)))
	if r.OneIn(5) {
		unfinished(g)
	}
	return g
}

// unfinished marks models as unconverged.
func unfinished[M any](g claim.BySeed[M]) {
	for i := range g.Models {
		g.Models[i].Unconverged = "still falls"
	}
}

// drawnConstruct is a construction and two printed formulas, each of which may be wrong.
func drawnConstruct(r claimtest.Stream) construct {
	m := construct{worst: r.Off(r.OneIn(10))}
	for range 2 {
		f := formula{left: r.Off(r.OneIn(10)), off: r.Off(r.OneIn(2)), counter: "lags {1, 2}"}
		m.formulas = append(m.formulas, f)
	}
	return m
}

// drawnShaped are models between the optimum and an observer that ignores all tokens.
func drawnShaped(r claimtest.Stream, heads string) shaped {
	m := shaped{heads: heads, BySeed: drawnModels(r, 0.001, 0.3, func(x float64) *subject {
		return &subject{above: x, atEnd: x}
	})}
	m.Name = "[" + heads + "]"
	return m
}

// drawnAttention is a head's attention to the tokens of two lags: from none to all, and
// by the true lag or not.
func drawnAttention(r claimtest.Stream, byLag bool) [][]float64 {
	x := r.Float64()
	if y := x * r.Float64(); byLag {
		return [][]float64{{x, y}, {y, x}}
	}
	return [][]float64{{x, 1 - x}, {x, 1 - x}}
}

var (
	all      = []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	forms    = []claim.Verdict{claim.Holds, claim.Corrected, claim.Fails}
	measured = []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
)

// No rule is bound to a verdict, whatever formulas, observers and models do.
func TestRulesHavePower(t *testing.T) {
	claimtest.Power(t, Paper.Rows(claim.Quick), map[string]claimtest.Drawn{
		"I1": claimtest.Draw(drawn.judge, func(r claimtest.Stream) drawn {
			p := func() float64 { return r.Between(1e-12, 1) }
			return drawn{stationary: r.Off(r.OneIn(10)), tests: []drawnTest{
				{lag: 1, sampler: "in bulk", pAlgorithm: p(), pPrinted: p()},
			}}
		}, forms...),
		"I2": claimtest.Draw(predicted.judge, func(r claimtest.Stream) predicted {
			bma := 1 + r.Off(r.OneIn(10))
			ml := bma + r.Off(r.OneIn(2))
			return predicted{tasks: []predictedTask{{
				task: example, entropy: []float64{1}, floor: []float64{1}, bma: []float64{bma}, ml: []float64{ml},
				left: []float64{r.Between(1e-9, 1)},
			}}}
		}, claim.Holds, claim.Fails),
		"I3": claimtest.Draw(contiguousForms.judge, func(r claimtest.Stream) contiguousForms {
			return contiguousForms{construct: drawnConstruct(r)}
		}, forms...),
		"I4": claimtest.Draw(construct.judge, drawnConstruct, forms...),
		"I5": claimtest.Draw(anySets.judge, func(r claimtest.Stream) anySets {
			return anySets{construct: drawnConstruct(r), sets: []headCount{
				{lags: []int{1, 3}, fewest: 2 + r.IntN(4)/3, hull: 3, proven: true},
				{lags: []int{1, 3, 4}, fewest: 4 - r.IntN(4)/3, hull: 4, proven: true},
			}}
		}, forms...),
		"I6":  claimtest.Draw(construct.judge, drawnConstruct, forms...),
		"I7":  inOwn(panels.judge, drawnPanels, claim.Holds, claim.Differs, claim.Open),
		"I8":  inOwn(mapped.judge, drawnMaps, all...),
		"I22": claimtest.Draw(consistent.judge, func(r claimtest.Stream) consistent { return consistent(drawnMaps(r)) }, all...),
		"I9":  claimtest.Draw(sweep.judge, drawnEstimated, measured...),
		"I10": inOwn(depths.judge, drawnDepths, all...),
		"I11": claimtest.Draw(headCounts.judge, drawnHeadCounts, all...),
		"I12": inOwn(selections.judge, drawnSelections, all...),
		"I13": claimtest.Draw(sampled.judge, drawnSampled, measured...),
		"I14": claimtest.Draw(cumulated.judge, func(r claimtest.Stream) cumulated {
			// The transition from which the true lag leads, in a sequence of 900.
			size := cumulatedSize{tokens: 10, leads: make([]float64, 900)}
			for typical := r.Between(1, 900); len(size.from) < 200; {
				size.from = append(size.from, min(901, math.Ceil(typical*r.ExpFloat64())))
			}
			return cumulated{size}
		}, measured...),
		"I15": claimtest.Draw(proven.judge, func(r claimtest.Stream) proven {
			least, left := r.Off(r.OneIn(2)), -r.Float64()
			if r.OneIn(10) {
				least = -least
			}
			printed := left
			switch r.IntN(3) {
			case 0:
				printed = -left
			case 1:
				printed = -r.Float64()
			}
			return proven{
				statements: []statement{{name: "a", slack: []float64{least}, equal: r.Off(r.OneIn(10))}},
				display:    []displayed{{left, printed}},
			}
		}, forms...),
		"I16": claimtest.Draw(adding.judge, func(r claimtest.Stream) adding {
			return addingOf(r.Off(r.OneIn(10)), r.Between(1e-5, 0.3))
		}, measured...),
		"I17": claimtest.Draw(exactly.judge, func(r claimtest.Stream) exactly {
			return exactlyOf(r.NormFloat64(), r.NormFloat64(), r.NormFloat64())
		}, claim.Corrected, claim.Open),
		"I18": claimtest.Draw(steps.judge, func(r claimtest.Stream) steps {
			// The observers are computed by the same code, right or wrong, at once.
			m, wrong := steps{{name: "nothing", mean: 1}}, r.OneIn(3)
			for range 4 {
				below := r.Between(1e-3, 0.3)
				if wrong && r.OneIn(2) {
					below = -below
				}
				m = append(m, step{name: "more", mean: 0.5, below: below, se: r.Between(1e-4, 1e-3)})
			}
			return m
		}, all[0], claim.Fails, claim.Open),
		"I19": claimtest.Draw(circuitry.judge, drawnCircuits, all...),
		"I20": claimtest.Draw(computed.judge, drawnComputed, claim.Holds, claim.Fails, claim.Open),
		"I21": claimtest.Draw(causes.judge, drawnCauses, all...),
	})
}

func drawnPanels(r claimtest.Stream) panels {
	stated := r.OneIn(2) // the paper is right on all counts, or each number is drawn by itself
	x := func(low, high float64) float64 {
		if stated {
			return low
		}
		return r.Between(low, high)
	}
	p := panelOf(x(0.001, 0.1), x(0.001, 0.1), 0.01)
	if !stated {
		p = panelOf(r.Between(0.001, 0.1), r.Between(0.001, 0.1), r.NormFloat64()*0.01)
	}
	two := twoLagsOf(x(0.001, 0.1), x(0.001, 0.02))
	if r.OneIn(3) { // no model has converged
		for _, of := range append(p.trained, two.trained...) {
			unfinished(of.BySeed)
		}
		unfinished(two.trained[0].early)
	}
	return panels{p, two}
}

// drawnOverlap is how much of the construction's attention a model has in each layer,
// around a level from nothing to all.
func drawnOverlap(r claimtest.Stream) (byLayer [3]float64, level float64) {
	level = r.Float64()
	for layer := range byLayer {
		byLayer[layer] = min(1, level*(0.5+r.Float64()))
	}
	return byLayer, level
}

func drawnMaps(r claimtest.Stream) mapped {
	wanted, like := logP(transition), r.OneIn(2)
	of := func(float64) mappedModel {
		overlap, level := drawnOverlap(r)
		// A model with less of the construction's attention predicts worse.
		m := mappedModel{overlap: overlap, scores: wanted.transposed(), behind: 0.3 * (1 - level)}
		if like {
			m = mappedModel{overlap: [3]float64{0.9, 0.9, 0.9}, scores: wanted}
		} else if r.OneIn(4) {
			m.scores = wanted
		}
		return m
	}
	one := of(0)
	return mapped{{
		cell: cell{spread, "1,3,1", false}, wanted: wanted, ignorant: [3]float64{0.5, 0.5, 0.5},
		BySeed: drawnModels(r, 1, 2, func(float64) mappedModel { return one }),
		untrained: claim.Seeded[mappedModel]{Found: mappedModel{
			overlap: [3]float64{0.2, 0.2, 0.2}, scores: wanted.transposed(),
		}},
	}}
}

// drawnEstimated is Eq. 3 above or below ML, by as much as knowing the lag is worth or
// less.
func drawnEstimated(r claimtest.Stream) sweep {
	above := r.Between(1e-4, 0.27)
	if r.OneIn(2) {
		above = -above
	}
	return estimated(r.Between(1e-3, 0.27), above)
}

func drawnDepths(r claimtest.Stream) depths {
	return depths{
		bare:  &subject{atEnd: r.Between(0.001, 0.3)},
		two:   []shaped{drawnShaped(r, "1,1")},
		three: []shaped{drawnShaped(r, "1,3,1")}, four: []shaped{drawnShaped(r, "1,3,1,1")},
	}
}

// drawnHeadCounts are divergences that fall, rise or stay with each head more.
func drawnHeadCounts(r claimtest.Stream) (m headCounts) {
	x, factor := 0.1, r.Between(0.5, 2)
	for i := range mostHeads {
		of := shapedAs(secondLayer(i+1), []float64{r.Around(x, 1.03), x, r.Around(x, 1.03)})
		m.list = append(m.list, of)
		if i+1 < len(five.lags()) || r.OneIn(2) {
			x *= factor
		}
	}
	if r.OneIn(5) {
		for _, of := range m.list {
			unfinished(of.BySeed)
		}
	}
	return m
}

func drawnSelections(r claimtest.Stream) (m selections) {
	none := r.OneIn(4)
	for _, disentangled := range []bool{true, false} {
		byLag := r.OneIn(2)
		of := selecting{
			cell: cell{twoNext, oneHead, disentangled}, uniform: 0.02, untrained: [][]float64{{0.02, 0.02}, {0.02, 0.02}},
			written: [][]float64{{0.9, 0}, {0, 0.9}},
		}
		attention := drawnAttention(r, byLag)
		of.BySeed = drawnModels(r, 1, 2, func(float64) [][]float64 { return attention })
		of.Name = of.String()
		maps := mappedCell{cell: of.cell, ignorant: [3]float64{0.5, 0.5, 0.5}}
		like := mappedModel{overlap: [3]float64{0.9, 0.9, 0.9}}
		if !byLag || r.OneIn(3) {
			like.overlap, _ = drawnOverlap(r)
		}
		maps.BySeed = drawnModels(r, 1, 2, func(float64) mappedModel { return like })
		of.maps = &maps
		if none {
			unfinished(of.BySeed)
			unfinished(maps.BySeed)
		}
		m = append(m, of)
	}
	return m
}

// drawnSampled are the margins of 200 matrices, which are all above 0 or scattered around
// a number near it.
func drawnSampled(r claimtest.Stream) (m sampled) {
	for range 2 {
		size, middle, scatter := sampledSize{tokens: 10}, r.NormFloat64()*0.05, r.Between(1e-4, 0.05)
		for range 200 {
			size.values = append(size.values, []float64{middle + scatter*r.NormFloat64()})
		}
		m = append(m, size)
	}
	return m
}

func drawnCircuits(r claimtest.Stream) circuitry {
	// The plateaus of several seeds are those of one observer, or have nothing to do with
	// observers.
	windows := rested(0).windows
	near := windows[r.IntN(len(windows))]
	printed := drawnModels(r, 1, 2, func(float64) followedModel {
		return rested(near * r.Between(0.99, 1.01))
	})
	if r.OneIn(2) {
		printed = drawnModels(r, 1, 2, func(float64) followedModel { return rested(r.Between(0.07, 0.18)) })
	}
	printed.Name = "the paper's setting"
	order := [][]float64{{0.1, 0.9, 0.9, 0.9}, {0, 0, 0.5, 0.5}, {0, 0, 0, 0.8}}
	r.Shuffle(len(order), func(i, j int) {
		if r.OneIn(2) {
			order[i], order[j] = order[j], order[i]
		}
	})
	heads := drawnModels(r, 1, 2, func(float64) followedModel { return risen(order[0], order[1], order[2]) })
	return circuitry{printed: printed, cells: []followedCell{{cell{example, oneHead, true}, heads}}}
}

// drawnComputed are models that are nearest to an observer that selects or to another
// one, and whose divergence falls by half every few tokens or like a power of T.
func drawnComputed(r claimtest.Stream) computed {
	near, power, constant := r.OneIn(2), r.Between(0.5, 2), r.Between(4, 200)
	exponential, final := r.OneIn(2), !r.OneIn(10)
	models := make([]computing, 3+r.IntN(3))
	for i := range models {
		first, other := r.Between(0.01, 0.2), r.Between(0.2, 0.7)
		if near == r.OneIn(10) {
			first, other = other, first
		}
		noise := 0.1 * r.Float64()
		models[i] = computes(first, r.Around(first, 2), other, r.Between(0.001, 0.03), func(t float64) float64 {
			if exponential {
				return math.Exp(-t/constant + noise*r.NormFloat64())
			}
			return math.Pow(t, -power) * math.Exp(noise*r.NormFloat64())
		})
		if !final {
			models[i].falls = "still falls"
		}
	}
	return computedOf(2, models...)
}

// drawnCauses are models in which most, some or few follow all wanted lags about as the
// construction does. The others follow them anywhere from never to always.
func drawnCauses(r claimtest.Stream) causes {
	like := r.Float64()
	models := make([]causing, 1+r.IntN(12))
	for i := range models {
		share := r.Float64
		if r.Float64() < like {
			share = func() float64 { return min(1, r.Around(0.8, 1.25)) }
		}
		models[i] = causingOf(share(), share(), share())
	}
	m := causesOf(models...)
	if r.OneIn(10) {
		unfinished(m.kinds[0].BySeed)
	}
	return m
}

// inOwn returns the rule of a row that is repeated in variants: it judges the profile's
// own setting.
func inOwn[M any](
	judge func(M) claim.Finding, draw func(claimtest.Stream) M, verdicts ...claim.Verdict,
) claimtest.Drawn {
	return claimtest.Draw(
		func(m repeated[M]) claim.Finding { return judge(m.own) },
		func(r claimtest.Stream) repeated[M] { return repeated[M]{own: draw(r)} },
		verdicts...,
	)
}
