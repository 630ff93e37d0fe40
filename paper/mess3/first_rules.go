package mess3

import (
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/internal/text"
	"foretell/paper/internal/seeds"

	"gonum.org/v1/gonum/floats"
)

// This file has the rules as first committed, of rows whose rule was changed after a
// result was known. The first of them judged one model of each condition, here the model
// of the first seed, and had no interval, no control and no convergence.

// ofFirstSeed returns what is measured on the first model of each condition and on its
// random initialisation, and the number of conditions without models.
func ofFirstSeed[M any](conditions []replicates[M]) (found, random []M, missing int) {
	for _, g := range conditions {
		if len(g.Models) == 0 {
			missing++
			continue
		}
		found = append(found, g.Models[0].Found)
		random = append(random, g.Models[0].Random)
	}
	return found, random, missing
}

// graded returns Holds, Differs or Fails by whether a rule and a weaker rule are met, and
// what was obtained. If the profile does not train some conditions, a rule about all of
// them is open unless it fails.
func graded(holds, differs bool, missing int, obtained string, values ...any) claim.Finding {
	found := claim.Finding{Verdict: claim.Fails, Obtained: fmt.Sprintf(obtained, values...)}
	switch {
	case missing > 0 && (holds || differs):
		found.Verdict = claim.Open
		found.Obtained += fmt.Sprintf(" (the profile does not train %s)", text.Count(missing, "condition"))
	case holds:
		found.Verdict = claim.Holds
	case differs:
		found.Verdict = claim.Differs
	}
	return found
}

// most returns the largest value of a number over models, and −∞ without models.
func most[M any](list []M, number func(M) float64) float64 {
	largest := math.Inf(-1)
	for _, m := range list {
		largest = max(largest, number(m))
	}
	return largest
}

// fewest returns the smallest value of a number over models, and ∞ without models.
func fewest[M any](list []M, number func(M) float64) float64 {
	return -most(list, func(m M) float64 { return -number(m) })
}

// first is the first rule of M2.
func (m fractals) first() claim.Finding {
	found, random, missing := ofFirstSeed(m.conditions)
	final, mid := fewest(found, fractal.finalProbe), fewest(found, fractal.midProbe)
	above := true
	for i, f := range found {
		above = above && f.finalProbe() > random[i].finalProbe() && f.midProbe() > max(random[i].midProbe(), f.mid.full)
	}
	return graded(final >= fractalFinal && mid >= fractalMid && above, final >= 0.9 && mid >= 0.8, missing,
		"R² on all directions is at least %.4f after the MLP and %.4f after attention",
		final, mid)
}

// first is the first rule of M4. Its vectors keep the part that all tokens share.
func (m movers) first() claim.Finding {
	found, _, missing := ofFirstSeed(m)
	least, middle, off := 1.0, 1.0, 0.0
	for _, f := range found {
		cosines, ratios := f.centred()
		least, middle = min(least, cosines[0]), min(middle, seeds.Median(cosines))
		off = max(off, math.Abs(seeds.Median(ratios)-1))
	}
	return graded(least >= ovCosine && off <= ovLength, middle >= 0.9, missing,
		"smallest cosine %.4f, median %.4f; median ratio of lengths within %.0f %% of 1",
		least, middle, 100*off)
}

// centred returns the cosines with Eq. 14 and the ratios of lengths, ascending, if only
// the mean over all positions and tokens is subtracted from the vectors.
func (m mover) centred() (cosines, ratios []float64) {
	var middle point
	n := float64(len(m.vectors))
	for _, v := range m.vectors {
		whole := v.measured.plus(v.shared)
		middle = middle.plus(point{-whole[0] / n, -whole[1] / n})
	}
	for _, v := range m.vectors {
		whole := v.measured.plus(v.shared).plus(middle)
		cosines = append(cosines, cosine(whole, v.predicted))
		ratios = append(ratios, whole.length()/v.predicted.length())
	}
	slices.Sort(cosines)
	slices.Sort(ratios)
	return cosines, ratios
}

// first is the first rule of M5.
func (m embeddings) first() claim.Finding {
	found, _, missing := ofFirstSeed(m)
	least := fewest(found, func(e embedding) float64 { return e.cosines.least })
	middle, off := fewest(found, embedding.medianCosine), most(found, embedding.off)
	opposed := fewest(found, embedding.opposed) >= firstScales
	signs := "opposite signs"
	if !opposed {
		signs = "not always opposite signs"
	}
	return graded(least >= embeddingCosine && off <= embeddingScale && opposed, middle >= 0.9, missing,
		"smallest |cosine| %.4f, median %.4f; the scale differs from Eq. 15 by %.2f; %s at the first two positions",
		least, middle, off, signs)
}

// first is the first rule of M6.
func (m decays) first() claim.Finding {
	off, spread, missing := 0.0, 0.0, 0
	for _, g := range m.conditions {
		if len(g.Models) == 0 {
			missing++
			continue
		}
		d := g.Models[0].Found
		off, spread = max(off, math.Abs(d.slope/math.Log(g.Zeta())-1)), max(spread, d.spread)
	}
	return graded(off <= 0.1 && spread <= decaySpread, off <= 0.3, missing,
		"slopes within %.1f %% of log ζ; standard deviation over sequences %.1f %% of the mean",
		100*off, 100*spread)
}

// first is the first rule of M7.
func (m sums) first() claim.Finding {
	off := most(m, attentionSum.off)
	apart := most(m, func(a attentionSum) float64 { return a.apart() / a.spread })
	return graded(off <= 1e-4 && apart <= 0.1, off <= 1e-4 && apart <= 0.3, 0,
		"sums equal the model's representation to %.0e, at most %.1f %% of the spread away from "+
			"the constrained belief", off, 100*apart)
}

// first is the first rule of M8.
func (m headPairs) first() claim.Finding {
	found, _, missing := ofFirstSeed(m.conditions)
	opposed, off := most(found, headPair.medianCosine), most(found, headPair.offAll)
	positive := fewest(found, func(h headPair) float64 { return h.heads[0].even })
	negative := most(found, func(h headPair) float64 { return h.heads[1].even })
	return graded(opposed <= -headsOpposed && off <= 0.2 && positive >= 0.75 && negative <= 0.25, off <= 0.4, missing,
		"median cosine at most %.3f; combined pattern within %.1f %% of ζⁿ; even lags have at "+
			"least %.0f %% of the positive head's attention and at most %.0f %% of the negative head's",
		opposed, 100*off, 100*positive, 100*negative)
}

// offAll returns the relative error of the combined pattern over all pairs d > s, the
// first source included.
func (h headPair) offAll() float64 {
	difference := floats.Distance(h.combined, h.predicted, 2)
	return difference / floats.Norm(h.predicted, 2)
}

// first is the first rule of M9.
func (m learnings) first() claim.Finding {
	found, _, missing := ofFirstSeed(m.conditions)
	left := math.Exp(most(found, learning.left))
	return graded(left <= 0.01, left < 1, missing,
		"held-out MSE ends at 1/%.1f or less of the random initialisation's", 1/left)
}

// first is the first rule of M10: it compares errors, which depend on the scale of the
// constrained geometry.
func (m deepModels) first() claim.Finding {
	all, ends := true, true
	var texts []string
	for _, of := range m.models {
		wrong := of.outOfOrder(func(st stageFits, first bool) bool { return st.inOrderOfMSE(first, 1) })
		first, last, later := of.parts(wrong)
		all, ends = all && first && later, ends && first && last
		texts = append(texts, fmt.Sprintf("%s: %s", of, notAsPrinted(wrong)))
	}
	return graded(all, ends, len(m.open), "by MSE, %s", listOr(texts, "no model"))
}

// first is the first rule of M11.
func (m grid) first() claim.Finding {
	low := map[bool]bool{false: true, true: true} // by whether tokens tell little
	missed, against := 0.0, 0.0
	for _, p := range m.processes {
		share, above, ok := p.first()
		low[p.Weak()] = low[p.Weak()] && ok
		missed, against = max(missed, share), max(against, above)
	}
	return graded(low[false] && low[true], low[false], len(m.open),
		"one layer with two heads misses at most %.1f %% of the information, and has at most "+
			"%.1f times the KL of the best architecture", 100*missed, against)
}

// first returns the share of the information that one layer with two heads misses, its KL
// relative to the best architecture, and whether both are low enough. For negative ζ, one
// head has to have a larger KL.
func (p gridProcess) first() (missed, against float64, ok bool) {
	kl := func(c gridCell) float64 { return seeds.Mean(c.All(gridModel.divergence)) }
	two, best := kl(p.twoHeads()), math.Inf(1)
	for _, cell := range p.cells {
		best = min(best, kl(cell))
	}
	missed, against = seeds.Mean(p.twoHeads().All(gridModel.share)), two/best
	return missed, against, missed <= 0.1 && against <= 2 && (p.Zeta() >= 0 || kl(p.of(1, 1)) > two)
}

// first is the first rule of M12.
func (m headCounts) first() claim.Finding {
	two := m.two.All(headCount.divergence)
	one := numbers(m.one, headCount.divergence)
	least := math.Inf(1)
	for i := range min(len(one), len(two)) {
		least = min(least, one[i]/two[i])
	}
	ratio := seeds.Mean(one) / seeds.Mean(two)
	return graded(ratio >= 3 && least > 1, ratio > 1, 0,
		"the mean KL with one head is %.1f times the mean with two, at the worst seed %.1f times",
		ratio, least)
}

// first is the first rule of M13. It gives all sequences and positions the same weight.
func (m variances) first() claim.Finding {
	var off []float64
	missing := 0
	for _, g := range m {
		if len(g.Models) == 0 {
			missing++
			continue
		}
		for stage := range stageNames {
			for k, want := range printed(g.Source, stage) {
				off = append(off, math.Abs(g.Models[0].Found[stage].words[k]-want))
			}
		}
	}
	if len(off) == 0 {
		return claim.Finding{Verdict: claim.Open, Reason: claim.Untrained, Obtained: "no model"}
	}
	return graded(slices.Max(off) <= cellOff, seeds.Mean(off) <= 0.2, missing,
		"difference by cell: mean %.3f, largest %.3f", seeds.Mean(off), slices.Max(off))
}

// first is the first rule of M14.
func (m alphas) first() claim.Finding {
	inside, outside, grows := 0.0, math.Inf(1), true
	off := make([]float64, len(m.points))
	for i, p := range m.points {
		off[i] = p.Models[0].Found[deviationConstrained]
		switch {
		case p.central():
			inside = max(inside, off[i])
		default:
			outside = min(outside, off[i])
		}
		if i > 0 {
			grows = grows && (p.a > centralFrom || off[i] < off[i-1])
			grows = grows && (m.points[i-1].a < centralTo || off[i] > off[i-1])
		}
	}
	beyond := "with no model outside"
	if !math.IsInf(outside, 1) {
		beyond = fmt.Sprintf("and by at least %.3f outside", outside)
	}
	return graded(inside <= 0.05 && outside > inside && grows, inside <= 0.05, len(m.open),
		"deviates by at most %.3f inside the range, %s", inside, beyond)
}

// first is the first rule of M17a: the first source is apart by any amount.
func (m firstSources) first() claim.Finding {
	above := func(n nextAndLengths) float64 { return n.next[0] - slices.Max(n.next[1:]) }
	shorter := func(n nextAndLengths) float64 {
		return (slices.Min(n.lengths[1:]) - n.lengths[0]) / seeds.Mean(n.lengths[1:])
	}
	found := judgeEach(m, above, func(found, random []nextAndLengths) claim.Condition {
		c := claim.Condition{
			Verdict: claim.Open, Reason: claim.Power,
			Obtained: fmt.Sprintf("A(2,1) is above the largest other by %+.3f (random initialisation %+.3f), |v₁| "+
				"below the smallest other by %+.0f %% (%+.0f %%)", mean(found, above), mean(random, above),
				100*mean(found, shorter), 100*mean(random, shorter)),
		}
		a, v := sign(numbers(found, above), 0), sign(numbers(found, shorter), 0)
		switch {
		case sign(numbers(random, above), 0) > 0 && sign(numbers(random, shorter), 0) > 0:
		case a > 0 && v > 0:
			c.Verdict, c.Reason = claim.Holds, ""
		case a < 0 && v < 0:
			c.Verdict, c.Reason = claim.Fails, ""
		case a*v < 0:
			c.Verdict, c.Reason = claim.Differs, claim.Size
		}
		return c
	})
	return claim.FirstFinding(found.Conditions)
}

// first is the first rule of M17b: it has no control.
func (m headCrowds) first() claim.Finding {
	c := m.Judge(func([]claim.Seeded[crowdPair]) claim.Condition {
		now := m.condition(m.Converged())
		c := claim.Condition{Verdict: claim.Open, Reason: claim.Power, Obtained: now.Obtained, Effect: now.Effect}
		switch more := m.Values(crowdPair.more); {
		case len(more) < 2:
		case sign(more, 0) > 0:
			c.Verdict, c.Reason = claim.Holds, ""
		case sign(more, 0) < 0:
			c.Verdict, c.Reason = claim.Fails, ""
		}
		return c
	})
	return onlyCondition(c)
}

// first is the first rule of M17c, which cannot hold.
func (m warps) first() claim.Finding {
	return claim.FirstFinding(claim.ConditionsOf(m.exact, func(e exactWarp) claim.Condition {
		c := claim.Condition{
			Name: e.String(), Converged: true, Verdict: claim.Open, Reason: claim.Convention,
			Obtained: fmt.Sprintf("%d pairs of sequences share a constrained belief but not a belief", e.pairs),
		}
		if e.pairs > 0 {
			c.Verdict, c.Reason = claim.Fails, ""
		}
		return c
	}))
}

// first judges the processes by the rule of M19, which has no share that counts as the
// optimum, and calls a need absent where the KL of one head still falls.
func (m headNeeds) first() claim.Finding {
	all := limits{}
	for _, n := range m {
		all.heads = append(all.heads, slices.Concat(n.one, n.two)...)
	}
	return m.decidedBelow(claim.FirstFinding(claim.ConditionsOf(m, func(n headNeed) claim.Condition {
		return all.condition(n.Source)
	})))
}
