package mess3

import (
	"math"
	"math/rand/v2"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/paper/internal/trained"
	"foretell/probe"
)

// drawnSeeds is the number of models of a condition.
const drawnSeeds = 5

// drawnModels are models of a condition, which in one of ten cases have not converged.
func drawnModels[M any](r claimtest.Stream, random M, of func() M) replicates[M] {
	found := make([]M, drawnSeeds)
	for i := range found {
		found[i] = of()
	}
	g := seedsOf(random, found...)
	if r.OneIn(10) {
		return g.unconverged(drawnSeeds)
	}
	return g
}

// twice draws the same of two processes, or something else of each.
func twice[M any](r claimtest.Stream, of func(like claimtest.Stream) M) []M {
	seeds := [2]uint64{r.Uint64(), r.Uint64()}
	if r.OneIn(2) {
		seeds[1] = seeds[0]
	}
	var list []M
	for _, seed := range seeds {
		list = append(list, of(claimtest.Stream{Rand: rand.New(rand.NewPCG(seed, 1))}))
	}
	return list
}

var (
	exactly  = []claim.Verdict{claim.Holds, claim.Corrected, claim.Differs, claim.Fails}
	all      = []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	identity = []claim.Verdict{claim.Holds, claim.Fails}
)

// No rule is bound to a verdict, whatever formulas and models do.
func TestRulesHavePower(t *testing.T) {
	// The full profile has two rows more.
	claimtest.Power(t, Paper.Rows(claim.Full), map[string]claimtest.Drawn{
		"M1": claimtest.Draw(geometries.judge, func(r claimtest.Stream) geometries {
			return geometries{{off: r.Off(r.OneIn(10))}}
		}, identity...),
		"M3": claimtest.Draw(constrainedForms.judge, func(r claimtest.Stream) constrainedForms {
			return constrainedForms{{spectral26: r.Off(r.OneIn(10)), apart: r.Off(r.OneIn(2))}}
		}, claim.Holds, claim.Corrected, claim.Fails),
		"M2": claimtest.Draw(fractals.judge, func(r claimtest.Stream) fractals {
			return fractals{conditions: twice(r, drawnFractals)}
		}, all...),
		"M6":   claimtest.Draw(decays.judge, drawnDecays, all...),
		"M4":   claimtest.Draw(movers.judge, drawnMovers, all...),
		"M5":   claimtest.Draw(embeddings.judge, drawnEmbeddings, all...),
		"M5b":  claimtest.Draw(anomalies.judge, drawnAnomalies, all...),
		"M21":  claimtest.Draw(singles.judge, drawnSingles, all...),
		"M7":   claimtest.Draw(sums.judge, drawnSums, identity...),
		"M8":   claimtest.Draw(headPairs.judge, drawnHeadPairs, all...),
		"M12":  claimtest.Draw(headCounts.judge, drawnHeadCounts, all...),
		"M9":   claimtest.Draw(learnings.judge, drawnLearnings, all...),
		"M10":  claimtest.Draw(deepModels.judge, drawnDeepModels, all...),
		"M11":  claimtest.Draw(grid.judge, drawnGrid, all...),
		"M13":  claimtest.Draw(variances.judge, drawnVariances, all...),
		"M14":  claimtest.Draw(alphas.judge, drawnAlphas, all...),
		"M6b":  claimtest.Draw(rivalDecays.judge, drawnRivals, append(exactly, claim.Open)...),
		"M15":  claimtest.Draw(boundedHeads.judge, drawnBounds, claim.Holds, claim.Fails, claim.Open),
		"M16":  claimtest.Draw(parallelShares.judge, drawnShares, exactly...),
		"M17a": claimtest.Draw(firstSources.judge, drawnFirstSources, all...),
		"M17b": claimtest.Draw(headCrowds.judge, drawnCrowds, claim.Holds, claim.Fails, claim.Open),
		"M17c": claimtest.Draw(warps.judge, drawnWarps, claim.Holds, claim.Differs, claim.Fails),
		"M19":  claimtest.Draw(limits.judge, drawnLimits, all[:3]...),
		"M20":  claimtest.Draw(headNeeds.judge, drawnNeeds, all...),
		"M18":  claimtest.Draw(settings.judge, drawnSettings, claim.Holds, claim.Differs, claim.Open),
	})
}

// drawnFractals are models from which the full beliefs can be read after attention with
// any R². The R² of the constrained beliefs, and of the full ones after the MLP, is
// larger or smaller.
func drawnFractals(r claimtest.Stream) replicates[fractal] {
	full, scatter := 0.5+0.5*r.Float64(), r.Between(0.001, 0.05)
	other := func() float64 {
		if r.OneIn(4) {
			return full * r.Float64()
		}
		return full + (1-full)*r.Float64()
	}
	mid, final := other(), other()
	random := fractal{midPlane: reads{r.Float64(), r.Float64()}, finalPlane: reads{0.5, r.Float64()}}
	g := drawnModels(r, random, func() fractal {
		near := func(x float64) float64 { return x + scatter*r.NormFloat64() }
		return fractal{midPlane: reads{near(mid), near(full)}, finalPlane: reads{0.5, near(final)}}
	})
	g.Name = "a process"
	return g
}

// drawnDecays are models whose attention falls by ζ per step, or by any factor, from
// attention to the last token alone to attention that rises. It depends on tokens more or
// less.
func drawnDecays(r claimtest.Stream) decays {
	lambda, scatter, positional := figure2.Zeta(), r.Between(1.005, 1.2), 1-r.Between(0.01, 1)
	if r.OneIn(2) {
		lambda = r.Between(0.2, 1.3)
	}
	random := decay{lambda: r.Between(0.4, 1.2), positional: 0.9}
	return decays{conditions: []replicates[decay]{drawnModels(r, random, func() decay {
		return decay{lambda: r.Around(lambda, scatter), positional: positional, spread: 0.1}
	})}}
}

// drawnMovers are models with OV vectors along Eq. 14 or anywhere, whose lengths fall
// with attention, do not depend on it, or rise.
func drawnMovers(r claimtest.Stream) movers {
	model := func(exponent, off float64) mover {
		middle := 1 - off*off
		return mover{
			exponent: exponent, cosines: summary{least: 1 - off, median: middle, most: 1}, lengths: summary{median: 1},
			vectors: []ovVector{
				{measured: point{middle, off}, predicted: point{1, 0}},
				{measured: point{-middle, -off}, predicted: point{-1, 0}},
			},
		}
	}
	exponent, scatter, off := 0.5+r.NormFloat64(), r.Between(0.02, 1), r.Between(1e-3, 1)
	if r.OneIn(2) {
		exponent = 1
	}
	random := model(r.NormFloat64(), r.Between(0.01, 1))
	return movers{drawnModels(r, random, func() mover { return model(exponent+scatter*r.NormFloat64(), off) })}
}

// drawnEmbeddings are models with embeddings along OV vectors or not, which are off Eq.
// 15 by a hundredth of a correction to twice a correction.
func drawnEmbeddings(r claimtest.Stream) embeddings {
	parallel, off, scatter := 1-r.Between(1e-3, 1), r.Between(0.01, 2), r.Between(1.02, 2)
	random := scaled(1-r.Between(1e-3, 1), r.Between(0.01, 2), 1, 1, 1)
	return embeddings{drawnModels(r, random, func() embedding {
		return scaled(parallel, r.Around(off, scatter), 1, 1, 1)
	})}
}

// drawnAnomalies are models whose first embeddings have scales of either sign, measured
// and by Eq. 15.
func drawnAnomalies(r claimtest.Stream) anomalies {
	centre := [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
	if r.OneIn(2) { // A(2, 1) and A(3, 2) are both below ζ, or neither is
		centre[2] = centre[1]
	}
	scatter := r.Between(0.01, 1)
	random := scaled(1, 0, r.NormFloat64(), r.NormFloat64(), r.NormFloat64())
	return anomalies{drawnModels(r, random, func() embedding {
		near := func(i int) float64 { return centre[i] + scatter*r.NormFloat64() }
		return scaled(1, 0, near(0), near(1), near(2))
	})}
}

// drawnSingles are models that are off Eq. 10 by a hundredth of a correction to several
// corrections, and whose attention to the first source falls by ζ or by any factor.
func drawnSingles(r claimtest.Stream) singles {
	off, lambda, scatter := r.Between(0.01, 4), figure2.Zeta(), r.Between(1.005, 1.3)
	switch r.IntN(4) {
	case 0:
		off, lambda = 2, 1.2
	case 1:
		off = 0.05
	case 2:
		lambda = r.Between(0.2, 1.3)
	}
	random := singleOf(r.Between(0.3, 4), r.Between(0.7, 1.2))
	return singles{drawnModels(r, random, func() single {
		return singleOf(r.Around(off, scatter), r.Around(lambda, scatter))
	})}
}

// drawnSums are right to the rounding of float32, or wrong.
func drawnSums(r claimtest.Stream) sums {
	off := r.Between(1e-8, 1e-5)
	if r.OneIn(10) {
		off = r.Between(1e-3, 1)
	}
	return sums{{end: point{off, 0}, spread: 1}}
}

// drawnHeadPairs are models with two heads that are opposed or not. In all, some or none,
// the combined pattern alternates. It decays by |ζ| or by any factor.
func drawnHeadPairs(r claimtest.Stream) headPairs {
	on := trained.Mess3(0.5, 0.6)
	cosine, falls, scatter := 2*r.Float64()-1, math.Abs(on.Zeta()), r.Between(1.005, 1.3)
	if r.OneIn(2) {
		cosine = -1 + r.Between(1e-3, 0.2)
	}
	if r.OneIn(2) {
		falls = r.Between(0.1, 1)
	}
	share := 1.0
	switch r.IntN(4) {
	case 0:
		share = 0
	case 1:
		share = r.Float64()
	}
	model := func(cosine, share float64) headPair {
		if r.Float64() < share {
			return pairOf(cosine, r.Around(falls, scatter), -0.5, 0.25, -0.125, 0.06)
		}
		return pairOf(cosine, r.Around(falls, scatter), 0.5, 0.25, 0.125, 0.06)
	}
	g := drawnModels(r, model(2*r.Float64()-1, 0.1), func() headPair { return model(cosine, share) })
	g.Source = on
	return headPairs{conditions: []replicates[headPair]{g}}
}

// drawnHeadCounts are models with one head, on the plateau of the last two tokens or
// anywhere, and models with two, from the optimum to that plateau.
func drawnHeadCounts(r claimtest.Stream) headCounts {
	model := func(kl, r2 float64) headCount {
		return headCount{kl: kl, mid: scores{inSample: probe.Score{R2: r2}}}
	}
	m := headCounts{lastTwo: 1, bound: 0.95}
	m.two.Name = "two heads"
	rests, leaves := r.OneIn(2), r.Between(0.05, 1)
	r2, converged, two := 0.9+0.1*r.Float64(), !r.OneIn(10), r.Between(0.01, 1)
	for range drawnSeeds {
		one := model(r.Around(leaves, 1.2), 0.8+0.2*r.Float64())
		if rests {
			one = model(r.Around(1, 1.01), 0.8+0.15*r.Float64())
		}
		m.one = append(m.one, one)
		of := claim.Seeded[headCount]{Found: model(r.Around(two, 1.2), r2+0.01*r.NormFloat64())}
		if !converged || r.OneIn(10) {
			of.Unconverged = "a plateau"
		}
		m.two.Models = append(m.two.Models, of)
	}
	return m
}
