package induction

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/internal/text"
	"foretell/paper/internal/seeds"

	"gonum.org/v1/gonum/stat"
)

// others returns the model's divergence from each candidate, as the mean over the other
// matrices.
func (m computing) others() []float64 {
	return m.over(func(d distances) []float64 { return d.forward })
}

// over returns the mean over the other matrices of a divergence by candidate.
func (m computing) over(of func(distances) []float64) []float64 {
	mean := make([]float64, len(m.byMatrix[0].forward))
	for _, d := range m.byMatrix[1:] {
		for r, x := range of(d) {
			mean[r] += x / float64(len(m.byMatrix)-1)
		}
	}
	return mean
}

// nearest returns the index of the candidate with the smallest number, among those that
// the rule compares.
func nearest(byCandidate []float64) int {
	judged := byCandidate[:min(judgedCandidates, len(byCandidate))]
	return slices.Index(judged, slices.Min(judged))
}

// selects reports whether the candidate that is nearest on other matrices is BMA or Eq. 3
// with P.
func (m computing) selects() bool { return nearest(m.others()) < selectors }

// fromSelector is the divergence, on other matrices, from the nearer of BMA and Eq. 3
// with P. fromOther is the divergence from the nearest other candidate.
func (m computing) fromSelector() float64 { return slices.Min(m.others()[:selectors]) }

func (m computing) fromOther() float64 {
	others := m.others()
	return slices.Min(others[selectors:min(judgedCandidates, len(others))])
}

// softest returns the index of the nearest of the candidates with a power of the
// likelihood, and whether it is nearer than all that the rule compares.
func (m computing) softest() (candidate int, nearer bool) {
	others := m.others()
	soft := others[judgedCandidates:]
	candidate = judgedCandidates + slices.Index(soft, slices.Min(soft))
	return candidate, others[candidate] < others[nearest(others)]
}

// fall compares how a divergence falls along the sequence with A·e^(−ct) and with A/t.
// Both are fitted to its logarithm by least squares, over the positions from judgedFrom
// on.
type fall struct {
	exponential, inverse float64 // root-mean-square residuals of the logarithm
	factor               float64 // by which the fitted exponential falls from the first to the last position
	factorInverse        float64 // the same for A/t
}

func (m computing) fall() fall { return fallOf(m.along) }

func fallOf(along []float64) fall {
	var at, logs, product []float64 // position t, ln of the divergence, and ln of t times the divergence
	for i := judgedFrom - 1; i < len(along); i++ {
		t, log := float64(i+1), math.Log(max(along[i], math.SmallestNonzeroFloat64))
		at = append(at, t)
		logs = append(logs, log)
		product = append(product, log+math.Log(t))
	}
	constant, rate := stat.LinearRegression(at, logs, nil, false)
	n := float64(len(at))
	f := fall{
		inverse:       stat.PopStdDev(product, nil),
		factor:        math.Exp(rate * (at[0] - at[len(at)-1])),
		factorInverse: at[len(at)-1] / at[0],
	}
	for i, t := range at {
		residual := logs[i] - constant - rate*t
		f.exponential += residual * residual / n
	}
	f.exponential = math.Sqrt(f.exponential)
	return f
}

// faster reports whether the divergence falls faster than 1/T: the exponential fits
// better, and falls by more.
func (f fall) faster() bool { return f.exponential < f.inverse && f.factor > f.factorInverse }

// solving returns the models that solve the task and whose number of layers is among
// those given.
func (m computed) solving(layers ...int) (list []claim.Seeded[computing]) {
	for _, kind := range m.kinds {
		for _, one := range kind.Models {
			if slices.Contains(layers, kind.layers) && one.Found.atEnd <= solved {
				list = append(list, one)
			}
		}
	}
	return list
}

// stuck says why a model with two layers does not solve the task, and is empty if all
// models have converged.
func (m computed) stuck() string {
	for _, kind := range m.kinds {
		if why := kind.Why(); kind.layers == 2 && why != "" {
			return kind.Name + ", " + why
		}
	}
	return ""
}

// judge is the rule of row I20. The statement has two signs, and both must be there.
func (m computed) judge() claim.Finding {
	conditions := []claim.Condition{m.nearestCondition(), m.fallCondition()}
	found := claim.NewFinding(conditions)
	found.Verdict, found.Reason = claim.Holds, ""
	for _, c := range conditions {
		switch {
		case c.Verdict == claim.Fails:
			found.Verdict, found.Reason = claim.Fails, ""
		case c.Verdict == claim.Open && found.Verdict == claim.Holds:
			found.Verdict, found.Reason = claim.Open, c.Reason
		}
	}
	found.Asked = []claim.Question{m.otherDirection(), m.unfinishedFall(), m.deeper(), m.softer()}
	return found
}

// nearestCondition returns the condition on the nearest candidate on other matrices.
func (m computed) nearestCondition() claim.Condition {
	models := m.solving(2)
	c := mostOf("nearest observer", m.stuck(), models, computing.selects)
	if len(models) == 0 {
		return c
	}
	g := claim.BySeed[computing]{Models: models}
	other := seeds.Mean(g.All(computing.fromOther))
	c.Effect = claim.Pooled("divergence from the nearer of BMA and Eq. 3 with P, on other matrices", "nats",
		g.All(computing.fromSelector)).Against("from the nearest other observer", other)
	c.Obtained += fmt.Sprintf(" nearest to BMA or Eq. 3 with P: %.3f nats on other matrices, from the nearest other "+
		"observer %.3f", c.Effect.Estimate, other)
	return c
}

// fallCondition returns the condition on the divergence along the sequence, for models
// whose divergence is final.
func (m computed) fallCondition() claim.Condition {
	var final []claim.Seeded[computing]
	why := m.stuck()
	for _, one := range m.solving(2) {
		if one.Found.falls == "" {
			final = append(final, one)
		} else {
			why = one.Found.falls
		}
	}
	c := mostOf("fall along the sequence", why, final, func(m computing) bool { return m.fall().faster() })
	if len(final) == 0 {
		return c
	}
	g := claim.BySeed[computing]{Models: final}
	c.Effect = claim.Pooled("factor by which the divergence above BMA falls along the sequence", "",
		g.All(func(m computing) float64 { return m.fall().factor })).
		Against("1/T", final[0].Found.fall().factorInverse)
	c.Obtained += fmt.Sprintf(" fall faster than 1/T: by a factor of %.1f, where 1/T falls by %.1f",
		c.Effect.Estimate, c.Effect.Control.Value)
	return c
}

// mostOf returns the condition that a statement is true for most models with two layers
// that solve the task; see [mostSeeds]. If the list is empty, why says what keeps models
// from it; it is empty if nothing does. Obtained begins with the number of models for
// which the statement is true.
func mostOf(
	name, why string, models []claim.Seeded[computing], stated func(computing) bool,
) claim.Condition {
	c := claim.Condition{Name: name, Converged: true, Verdict: claim.Open, Reason: claim.Power}
	n := len(models)
	if n == 0 {
		if c.Obtained = "no model with two layers that can be judged"; why != "" {
			return c.Judged(why)
		}
		return c
	}
	k := countOf(models, stated)
	c.Obtained = fmt.Sprintf("%d of %d models", k, n)
	switch {
	case n < fewestSeeds:
	case float64(k) >= mostSeeds*float64(n)-1e-9:
		c.Verdict, c.Reason = claim.Holds, ""
	default:
		c.Verdict, c.Reason = claim.Fails, ""
	}
	return c
}

// countOf returns the number of models for which a statement is true.
func countOf[M any](models []claim.Seeded[M], stated func(M) bool) (k int) {
	for _, one := range models {
		if stated(one.Found) {
			k++
		}
	}
	return k
}

// mostAnswer answers whether a statement is true of most models.
func mostAnswer[M any](question string, models []claim.Seeded[M], stated func(M) bool) claim.Question {
	q := claim.Question{Question: question, Answer: claim.Undecided, Obtained: "no such model"}
	if n := len(models); n > 0 {
		k := countOf(models, stated)
		q.Answer = claim.AnswerIf(float64(k) >= mostSeeds*float64(n)-1e-9)
		q.Obtained = fmt.Sprintf("%d of %s", k, text.Count(n, "model"))
	}
	return q
}

// otherDirection asks whether the other direction of the divergence has the same nearest
// candidates.
func (m computed) otherDirection() claim.Question {
	return mostAnswer("By D_KL(model ‖ observer), is the nearest observer of models with two layers that solve the "+
		"task BMA or Eq. 3 with P, too? (our question)", m.solving(2), func(of computing) bool {
		return nearest(of.over(func(d distances) []float64 { return d.reverse })) < selectors
	})
}

// unfinishedFall asks for the fall of all models that solve the task.
func (m computed) unfinishedFall() claim.Question {
	return mostAnswer("Does the divergence of models with two layers that solve the task fall faster than 1/T along "+
		"the sequence, whether or not it is final? (our question)", m.solving(2),
		func(of computing) bool { return of.fall().faster() })
}

// deeper asks for models with three and four layers.
func (m computed) deeper() claim.Question {
	return mostAnswer("Is the nearest observer of models with three and four layers that solve the task BMA or Eq. 3 "+
		"with P, and does their divergence fall faster than 1/T? (our question)", m.solving(3, 4),
		func(of computing) bool { return of.selects() && of.fall().faster() })
}

// softer asks whether models select by the likelihood, but less sharply than Bayes' rule.
func (m computed) softer() claim.Question {
	var nearer []string
	models := m.solving(2)
	q := mostAnswer("On other matrices, is BMA with the likelihood raised to a power below 1 nearer to models with "+
		"two layers that solve the task than all eight observers? (our question, added after the first result)", models,
		func(of computing) bool {
			if len(of.byMatrix[0].forward) <= judgedCandidates {
				return false
			}
			candidate, yes := of.softest()
			others := of.others()
			nearer = append(nearer, fmt.Sprintf("%s %.3f nats, nearest of the eight %.3f",
				m.candidates[candidate], others[candidate], others[nearest(others)]))
			return yes
		})
	if len(nearer) > 0 {
		q.Obtained += ": " + strings.Join(nearer, "; ")
	}
	return q
}

// nearestText names the candidate that is nearest to most models of a kind, with their
// number.
func (m computed) nearestText(kind computedKind) string {
	counts := make([]int, len(m.candidates))
	for _, one := range kind.Models {
		counts[nearest(one.Found.others())]++
	}
	most := slices.Index(counts, slices.Max(counts))
	name := m.candidates[most]
	if len(kind.Models) == 1 {
		return name
	}
	return fmt.Sprintf("%s, %d of %d", name, counts[most], len(kind.Models))
}
