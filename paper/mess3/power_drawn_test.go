package mess3

import (
	"math"
	"slices"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/paper/internal/trained"
)

// drawnLearnings are models whose errors fall to a thousandth by training, or rise
// tenfold, or anything between.
func drawnLearnings(r claimtest.Stream) learnings {
	left, scatter := r.Between(1e-3, 10), r.Between(1.05, 5)
	return learnings{conditions: []replicates[learning]{drawnModels(r, learning{leftOf(1), leftOf(1)}, func() learning {
		return learning{leftOf(r.Around(left, scatter)), leftOf(r.Around(left, scatter))}
	})}}
}

// drawnDeepModels are two models of four stages, each of which fits one of the geometries
// better: the one that the paper says, with any share of exceptions.
func drawnDeepModels(r claimtest.Stream) deepModels {
	exceptions, scale := r.Between(0.01, 1), r.Between(0.3, 1)
	return deepModels{models: twice(r, func(r claimtest.Stream) deepModel {
		m := deepModel{Source: figure2, scale: scale}
		for i := range 4 {
			better, worse := r.Between(0.1, 10), r.Between(1, 4)
			worse *= better
			if (i == 0) == (r.Float64() < exceptions) {
				better, worse = worse, better
			}
			m.stages = append(m.stages, errorsOf(better, r.Between(5, 50), worse, r.Between(5, 50)))
		}
		if r.OneIn(10) {
			m.unconverged = "early"
		}
		return m
	})}
}

// drawnGrid is a process with negative ζ, as in the quick profile, or two processes, of
// which the other has positive ζ. Relative to two heads, one head has any KL from a tenth
// to ten times as much, and a deeper model from half to ten times as much.
func drawnGrid(r claimtest.Stream) grid {
	one, deep := r.Between(0.1, 10), r.Between(0.5, 10)
	m := grid{processes: twice(r, func(r claimtest.Stream) gridProcess {
		p := gridProcess{cells: []gridCell{
			gridCellOf(1, 1, one, 0.01), gridCellOf(1, 2, 1, 0.01), gridCellOf(2, 2, deep, 0.01),
		}}
		scatter := r.Between(1.01, 2)
		for _, cell := range p.cells {
			for i := range cell.Models {
				cell.Models[i].Found.kl = r.Around(cell.Models[i].Found.kl, scatter)
				if cell.Heads == 2 && r.OneIn(10) {
					cell.Models[i].Unconverged = "early"
				}
			}
		}
		return p
	})}
	m.processes[0].Source, m.processes[1].Source = trained.Mess3(0.5, 0.6), trained.Mess3(0.15, 0.6)
	if r.OneIn(2) {
		m.processes, m.open = m.processes[:1], sources[:3]
	}
	return m
}

// drawnVariances are models in which three components explain half of the variance or all
// of it, or anything between, trained and at random initialisation.
func drawnVariances(r claimtest.Stream) variances {
	share := func() float64 { return 1 - r.Between(0.005, 0.5) }
	mid, final, scatter := share(), share(), r.Between(0.001, 0.05)
	if r.OneIn(2) {
		final = mid
	}
	g := drawnModels(r, varianceOf(share(), share()), func() variance {
		return varianceOf(mid+scatter*r.NormFloat64(), final+scatter*r.NormFloat64())
	})
	g.Source = sources[r.IntN(len(sources))]
	return variances{g}
}

// drawnAlphas are deviations that are as the paper says, or the other way round (a match
// outside of its range alone), or anything at each α.
func drawnAlphas(r claimtest.Stream) (m alphas) {
	kind, scatter := r.IntN(3), r.Between(1.01, 1.5)
	for i, a := range trainedAlphas {
		d := r.Between(0.005, 0.5)
		outward := max(0, 2-i, i-4) // steps from the range of α
		switch kind {
		case 0:
			d = 0.01 * math.Pow(2.5, float64(outward))
		case 1:
			d = 0.3 * math.Pow(0.5, float64(outward))
		}
		p := alphaPointOf(a, 0)
		for j := range p.Models {
			p.Models[j].Found[deviationConstrained] = r.Around(d, scatter)
			if r.OneIn(10) {
				p.Models[j].Unconverged = "early"
			}
		}
		m.points = append(m.points, p)
	}
	if r.OneIn(10) {
		for _, p := range m.points {
			for j := range p.Models {
				p.Models[j].Unconverged = "early"
			}
		}
	}
	return m
}

// drawnRivals are two processes in which attention decays as one of the rivals says, or
// by any factor.
func drawnRivals(r claimtest.Stream) rivalDecays {
	return twice(r, func(r claimtest.Stream) rivalDecay {
		decay, scatter := []float64{0.55, 0.4666, 0.42, r.Between(0.2, 1)}[r.IntN(4)], r.Between(1.002, 1.3)
		var found []float64
		for range drawnSeeds {
			found = append(found, r.Around(decay, scatter))
		}
		if r.OneIn(10) {
			return rivalDecayOf(found, "early")
		}
		return rivalDecayOf(found)
	})
}

// drawnBounds are the ten models of the full profile, with one head and with two, for
// each of two processes. Theory is right, or a prediction is wrong in a share of the
// models.
func drawnBounds(r claimtest.Stream) boundedHeads {
	bounds := []float64{0.3, 0.8, 1}
	wrong := func() float64 { // share of the models that are on the other side
		if r.OneIn(2) {
			return 0
		}
		return r.Float64()
	}
	beyond := func(share, low, high, beyondHigh float64) (list []float64) {
		for range fewestSeeds {
			x := low + (high-low)*r.Float64()
			if r.Float64() < share {
				x = high + (beyondHigh-high)*r.Float64()
			}
			list = append(list, x)
		}
		return list
	}
	above := 0.0 // P1 is a theorem, up to the search for the bound
	if r.OneIn(10) {
		above = r.Float64()
	}
	process := func(on trained.Source, asTrained float64) boundedProcess {
		return boundedProcess{Source: on, bounds: bounds, certain: bounds, cells: []boundedCell{
			boundedCellOf(1, beyond(above, 0.5, 0.8, 0.9), beyond(asTrained, 0.5, 0.8, 1)),
			boundedCellOf(2, beyond(1-wrong(), 0.5, 0.8, 1), beyond(1, 0.5, 0.8, 1)),
		}}
	}
	mess3 := 0.0
	if r.OneIn(4) {
		mess3 = r.Float64()
	}
	alternation := trained.Source{Name: trained.Alternation}
	return boundedHeads{process(trained.Mess3(0.5, 0.6), mess3), process(alternation, 1-wrong())}
}

// drawnShares are two processes for which Eq. 26 is the best sum or not. The filter is at
// least as good, unless its code is wrong.
func drawnShares(r claimtest.Stream) parallelShares {
	best, wrong := r.OneIn(2), r.OneIn(4)
	return twice(r, func(r claimtest.Stream) parallelShare {
		p := parallelShare{Source: figure2, filter: r.Float64()}
		p.eq26 = p.filter
		switch {
		case wrong && r.OneIn(2):
			p.eq26 += r.Between(1e-5, 0.1)
		case best:
			p.eq26 += r.Off(false)
		default:
			p.eq26 -= r.Between(1e-5, 0.1)
		}
		return p
	})
}

// drawnFirstSources are models whose first position is above the others in attention and
// below in length by any multiple of the range of the others, or the other way round.
func drawnFirstSources(r claimtest.Stream) firstSources {
	more, less, scatter := r.NormFloat64()*2, r.NormFloat64()*2, r.Between(0.05, 1)
	switch r.IntN(3) {
	case 0:
		more, less = math.Abs(more), math.Abs(less)
	case 1:
		less = more
	}
	model := func(more, less float64) nextAndLengths {
		return nextAndLengths{next: []float64{0.5 + 0.1*more, 0.5, 0.4}, lengths: []float64{1 - 0.1*less, 1, 1.1}}
	}
	// Uniform attention: the first is above the others, which do not cluster.
	random := model(1, r.NormFloat64())
	return firstSources{drawnModels(r, random, func() nextAndLengths {
		return model(more+scatter*r.NormFloat64(), less+scatter*r.NormFloat64())
	})}
}

// drawnCrowds are models whose worst head of many is fitted by Eq. 13 worse than a single
// head or better, and worse or better than at random initialisation.
func drawnCrowds(r claimtest.Stream) (m headCrowds) {
	m.Name, m.Fewest = "pairs", fewestConverged
	one, many, scatter := r.Between(0.05, 0.5), r.Between(0.05, 1), r.Between(1.01, 1.5)
	random := r.Between(0.3, 1)
	for i := range drawnSeeds {
		p := claim.Seeded[crowdPair]{
			Seed: i + 1, Found: crowdsOf(r.Around(one, scatter), r.Around(many, scatter)),
			Random: crowdsOf(r.Around(random, 1.1), r.Around(random, 1.1)),
		}
		if r.OneIn(10) {
			p.Unconverged = "early"
		}
		m.Models = append(m.Models, p)
	}
	return m
}

// drawnWarps are two processes of which neighbours in one geometry are neighbours in the
// other, or anywhere, each way. Sequences that share a point of the first may not share
// one of the second.
func drawnWarps(r claimtest.Stream) (m warps) {
	m.exact = twice(r, func(r claimtest.Stream) exactWarp {
		e := exactWarp{Source: figure2, warp: warp{torn: r.Between(1e-3, 1), folded: r.Between(1e-3, 1)}}
		if r.OneIn(10) {
			e.pairs = 1 + r.IntN(100)
		}
		return e
	})
	return m
}

// drawnLimits are models with one head and with two, which reach the same divergence or
// different ones, where ζ is negative and where it is positive.
func drawnLimits(r claimtest.Stream) limits {
	reached := func(ratio float64) (kl [2][]float64) {
		two, scatter := r.Between(1e-7, 1e-5), r.Between(1.01, 2)
		for range 2 {
			kl[0] = append(kl[0], ratio*r.Around(two, scatter))
			kl[1] = append(kl[1], r.Around(two, scatter))
		}
		return kl
	}
	same, apart := 1.0, r.Between(1, 100)
	if r.OneIn(2) {
		same, apart = r.Between(0.3, 30), r.Between(0.3, 30)
	}
	return limitsOf(reached(same), reached(apart), r.Between(1, 2))
}

// drawnNeeds are processes with ζ on both sides of 0, on which one head misses as much as
// two or up to a thousand times as much.
func drawnNeeds(r claimtest.Stream) headNeeds {
	need := func(x float64) headNeed {
		two, ratio := r.Between(1e-5, 1e-3), 1.0
		if r.OneIn(2) {
			ratio = r.Between(1, 1000)
		}
		around := func(share float64) [2]float64 { return [2]float64{r.Around(share, 1.2), r.Around(share, 1.2)} }
		return needOf(x, around(ratio*two), around(two), r.Between(1, 1.5))
	}
	return headNeeds{need(0.42), need(0.25)}
}

// drawnSettings are models of which settings turn none of eight verdicts, some, or all.
// Some settings prevent a model from learning.
func drawnSettings(r claimtest.Stream) settings {
	was := slices.Repeat([]claim.Verdict{claim.Holds}, 8)
	share := 0.0
	if r.OneIn(2) {
		share = r.Between(0.01, 1)
	}
	rests := r.OneIn(8)
	return twice(r, func(r claimtest.Stream) variedProcess {
		p := variedProcess{Source: figure2, models: []ruled{ruledOf("", was...)}}
		if rests {
			p.models[0].unconverged = "it rests"
		}
		for range variants {
			verdicts := slices.Clone(was)
			for i := range verdicts {
				if r.Float64() < share {
					verdicts[i] = all[r.IntN(len(all))]
				}
			}
			of := ruledOf("", verdicts...)
			if r.OneIn(10) {
				of.unconverged = "it rests"
			}
			p.models = append(p.models, of)
		}
		return p
	})
}
