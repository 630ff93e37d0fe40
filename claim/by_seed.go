package claim

import (
	"fmt"

	"foretell/internal/text"

	"gonum.org/v1/gonum/stat"
)

// BySeed holds what a row measures on the models of one condition, which differ only in
// their seed. A condition that the profile does not train has no models.
type BySeed[M any] struct {
	Name   string // of the condition
	Models []Seeded[M]
	// Fewest is the smallest number of converged models for which the condition is judged,
	// unless it has fewer models altogether; 0 means 1.
	Fewest int
}

// Seeded is what a row measures on one model.
type Seeded[M any] struct {
	Seed        int
	Unconverged string // why training has not converged; empty if it has
	Found       M
	Random      M // the same at random initialisation; the zero value if it is not measured
}

// IfConverged returns what a table says about the convergence of a model, from why it has
// not converged: "yes" if that is empty.
func IfConverged(unconverged string) string {
	if unconverged == "" {
		return "yes"
	}
	return "no: " + unconverged
}

// Converged returns the models that have converged.
func (g BySeed[M]) Converged() (list []Seeded[M]) {
	for _, m := range g.Models {
		if m.Unconverged == "" {
			list = append(list, m)
		}
	}
	return list
}

// Why says why the first unconverged model has not converged. It is [NotTrained] if there
// are no models, and empty if all have converged.
func (g BySeed[M]) Why() string {
	if len(g.Models) == 0 {
		return NotTrained
	}
	for _, m := range g.Models {
		if m.Unconverged != "" {
			return fmt.Sprintf("seed %d: %s", m.Seed, m.Unconverged)
		}
	}
	return ""
}

// Values returns a number of each model that has converged.
func (g BySeed[M]) Values(number func(M) float64) []float64 {
	return numbers(g.Converged(), func(m Seeded[M]) float64 { return number(m.Found) })
}

// Random returns a number of the random initialisation of each model that has converged.
func (g BySeed[M]) Random(number func(M) float64) []float64 {
	return numbers(g.Converged(), func(m Seeded[M]) float64 { return number(m.Random) })
}

// All returns a number of each model, whether or not it has converged.
func (g BySeed[M]) All(number func(M) float64) []float64 {
	return numbers(g.Models, func(m Seeded[M]) float64 { return number(m.Found) })
}

// AllRandom returns a number of the random initialisation of each model, whether or not
// the model has converged.
func (g BySeed[M]) AllRandom(number func(M) float64) []float64 {
	return numbers(g.Models, func(m Seeded[M]) float64 { return number(m.Random) })
}

func numbers[M any](models []Seeded[M], number func(Seeded[M]) float64) (values []float64) {
	for _, m := range models {
		values = append(values, number(m))
	}
	return values
}

// Over returns the mean of a number over the models that have converged as an effect,
// which counts them among all models; see [Effect.Reached].
func (g BySeed[M]) Over(what, unit string, number func(M) float64) *Effect {
	return g.Counted(Over(what, unit, g.Values(number)))
}

// Counted sets an effect's Reached to the share of models that have converged, and
// returns the effect. It is for effects that [BySeed.Over] does not compute, such as
// ratios.
func (g BySeed[M]) Counted(e *Effect) *Effect {
	e.Reached = reached(len(g.Converged()), len(g.Models))
	return e
}

// AgainstRandom is [BySeed.Over] with a control: the mean over the random initialisations
// of the same models.
func (g BySeed[M]) AgainstRandom(what, unit string, number func(M) float64) *Effect {
	return g.Over(what, unit, number).Against("random initialisation", stat.Mean(g.Random(number), nil))
}

// Judge returns the condition with what judge concludes from the models that have
// converged. If too few have, judge is not called, and the condition is open.
func (g BySeed[M]) Judge(judge func(converged []Seeded[M]) Condition) Condition {
	converged := g.Converged()
	if len(g.Models) == 0 || len(converged) < min(max(g.Fewest, 1), len(g.Models)) {
		c := Condition{Name: g.Name, Obtained: "no model"}
		if len(g.Models) > 0 {
			c.Obtained = fmt.Sprintf("%d of %s converged", len(converged), text.Count(len(g.Models), "model"))
		}
		return c.Judged(g.Why())
	}
	c := judge(converged)
	c.Name = g.Name
	return c.Judged(c.Unconverged)
}

// Each returns the condition that a statement is true of every model that has converged,
// by the rule [AllOrNone]. Its effect is the mean of a number over these models, and its
// Reached counts the models with a true statement. The caller sets Obtained. The second
// result is the number of models with a true statement.
func (g BySeed[M]) Each(what, unit string, number func(M) float64, stated func(M) bool) (c Condition, k int) {
	c = g.Judge(func(converged []Seeded[M]) Condition {
		for _, m := range converged {
			if stated(m.Found) {
				k++
			}
		}
		e := Over(what, unit, g.Values(number))
		e.Reached = reached(k, len(converged))
		of := Condition{Effect: e}
		of.Verdict, of.Reason = AllOrNone(k, len(converged))
		return of
	})
	return c, k
}

func reached(k, n int) *Share {
	share := NewShare(k, n)
	return &share
}
