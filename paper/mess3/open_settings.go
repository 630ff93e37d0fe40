package mess3

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/trained"
)

// variant is a change of one training setting.
type variant struct {
	name  string // as the report shows it
	apply func(c *trained.Condition)
}

// variants are the changes that are tried, one at a time. All but the learning rate
// change a setting that the paper does not state. The profile has GELU, heads as wide as
// the residual stream divided by their number, layer norm, and initial weights with a
// standard deviation of 0.02. The group's public code has ReLU and heads of width 4 to
// 16. The paper states a constant learning rate of 1e-4; the profile's rate is different.
var variants = []variant{
	{"ReLU", func(c *trained.Condition) { c.Settings.Activation, c.Settings.Variant = "relu", "relu" }},
	{"d_head 4", func(c *trained.Condition) { c.Settings.DHead, c.Settings.Variant = 4, "narrow" }},
	{"no normalisation", func(c *trained.Condition) { c.Norm, c.Settings.Variant = "none", "bare" }},
	{"the paper's learning rate", func(c *trained.Condition) {
		c.Settings.LR, c.Settings.Schedule, c.Settings.Variant = 1e-4, "constant", "rate"
	}},
	{"initial weights 0.1", func(c *trained.Condition) {
		c.Settings.Init, c.Settings.Variant = trained.WideInit, "wide"
	}},
}

// variedSources are the processes on which settings are varied: those in Fig. 2 and 3.
var variedSources = []trained.Source{figure2, trained.Mess3(0.5, 0.6)}

// varied returns the paper's model of a process with the first seed and one setting
// changed.
func (p profile) varied(on trained.Source, v variant) trained.Condition {
	c := p.longer(on) // the model that longer returns has no training curve
	c.Settings = p.oneLayer
	v.apply(&c)
	return c
}

// variedModels returns the models of all processes and variants.
func (p profile) variedModels() (list []trained.Condition) {
	for _, on := range variedSources {
		for _, v := range p.variants {
			list = append(list, p.varied(on, v))
		}
	}
	return list
}

// openSettings is M18. Only a profile that varies settings has this row.
func (l *lab) openSettings() claim.Row {
	models := l.variedModels()
	for _, on := range variedSources {
		models = append(models, l.paperModel(on))
	}
	return texts.Fill(claim.Row{
		ID: "M18", Kind: claim.Beyond, RuleCommit: "123276b", Trainings: trained.Trainings(models), Setting: l.setting,
		Test: claim.Steps[settings]{
			Measure: l.measureSettings, Judge: settings.judge, Tabulate: settings.tabulate, Draw: settings.draw,
		}.Test,
	}, nil)
}

// settings is the measurement of M18: for each process, the verdicts of the rules on
// single models.
type settings []variedProcess

// variedProcess is the measurement on one process.
type variedProcess struct {
	trained.Source
	models []ruled // the first has no setting changed; then, by variant, those with one setting changed
}

// ruled holds the verdicts that several rules give on one model.
type ruled struct {
	name        string  // the setting that is changed, or “none”
	missed      float64 // share of the information in the sequences that the model misses
	unconverged string  // why the model has not converged; empty if it has
	rows        []ruledRow
}

// ruledRow is the verdict of one row's rule on the model.
type ruledRow struct {
	id      string
	verdict claim.Verdict
	effect  *claim.Effect
}

func (l *lab) measureSettings(ctx context.Context, s *claim.Study) (settings, error) {
	var found settings
	for _, on := range variedSources {
		p := variedProcess{Source: on}
		names, models := []string{"none"}, []trained.Condition{l.paperModel(on)}
		for _, v := range l.variants {
			names = append(names, v.name)
			models = append(models, l.varied(on, v))
		}
		subjects, err := l.of(ctx, s, models)
		if err != nil {
			return found, err
		}
		for i, m := range subjects {
			rows, err := rulesOf(m)
			if err != nil {
				return found, err
			}
			p.models = append(p.models, ruled{names[i], m.missed(), m.convergence.Reason, rows})
		}
		found = append(found, p)
	}
	return found, nil
}

// rulesOf applies to a model the rules of all rows that M18 tests on its process.
func rulesOf(m *subject) (rows []ruledRow, err error) {
	add := func(id string, c claim.Condition, failed error) {
		rows = append(rows, ruledRow{id, c.Verdict, c.Effect})
		if err == nil {
			err = failed
		}
	}
	zeta := m.Zeta()
	addRule(add, "M2", m, measureFractal, judgeFractals)
	if zeta < 0 {
		addRule(add, "M8", m, (*subject).headPair, judgeHeads)
	} else {
		addRule(add, "M4", m, measureMover, judgeMovers)
		addRule(add, "M5", m, measureEmbedding, judgeEmbeddings)
		addRule(add, "M5b", m, measureEmbedding, judgeAnomaly)
		addRule(add, "M6", m, measureDecay, func(found, random []decay) claim.Condition {
			return judgeDecay(found, random, zeta)
		})
	}
	addRule(add, "M9", m, measureLearning, judgeLearning)
	addRule(add, "M13", m, measureVariance, func(found, random []variance) claim.Condition {
		return judgeVariances(found, random, m.Source)
	})
	return rows, err
}

// addRule measures a model and its random initialisation as a row does, and applies the
// row's rule to them.
func addRule[M any](
	add func(string, claim.Condition, error), id string, m *subject,
	measure func(*subject) (M, error), judge func(found, random []M) claim.Condition,
) {
	found, err := measure(m)
	random, failed := measure(m.random)
	if err = errors.Join(err, failed); err != nil {
		add(id, claim.Condition{}, err)
		return
	}
	add(id, judge([]M{found}, []M{random}), nil)
}

// conditions returns one condition for each setting.
func (p variedProcess) conditions() (list []claim.Condition) {
	own := p.models[0]
	for _, v := range p.models[1:] {
		c := claim.Condition{Name: fmt.Sprintf("%s, %s", p, v.name), Verdict: claim.Holds}
		var moved []string
		for i, row := range v.rows {
			if was := own.rows[i].verdict; was != row.verdict {
				moved = append(moved, fmt.Sprintf("%s %s instead of %s", row.id, row.verdict, was))
			}
		}
		c.Obtained = "every rule gives the same verdict"
		if len(moved) > 0 {
			c.Verdict, c.Reason, c.Obtained = claim.Differs, claim.Convention, strings.Join(moved, ", ")
		}
		c.Effect = claim.Exactly("rules that give another verdict", "", float64(len(moved)))
		c.Effect.Seeds = 1
		why := v.unconverged
		if own.unconverged != "" {
			why = "with no setting changed, " + own.unconverged
		}
		list = append(list, c.Judged(why))
	}
	return list
}

func (m settings) judge() claim.Finding {
	var conditions []claim.Condition
	for _, p := range m {
		conditions = append(conditions, p.conditions()...)
	}
	found := claim.NewFinding(conditions)
	if found.Verdict == claim.Differs {
		found.Reason = claim.Convention
	}
	return found
}

func (m settings) tabulate(c *claim.Claim) {
	for _, p := range m {
		c.Tables = append(c.Tables, p.frame().Table())
	}
}

// frame returns a row for each model of a process.
func (p variedProcess) frame() document.Frame {
	f := document.Frame{
		Title: fmt.Sprintf("%s: the number that decides each rule, for one model, and its verdict", p),
		Columns: slices.Concat(document.Headed("", "changed"), document.Headed("%.2f %%", "missed"),
			document.Headed("", "converged")),
	}
	for _, row := range p.models[0].rows {
		f.Columns = append(f.Columns, document.Headed("", row.id+": "+row.effect.What)...)
	}
	for _, v := range p.models {
		cells := []any{v.name, v.missed, claim.IfConverged(v.unconverged)}
		for _, row := range v.rows {
			cells = append(cells, fmt.Sprintf("%.3g, %s", row.effect.Estimate, row.verdict))
		}
		f.Row(cells...)
	}
	return f
}

func (m settings) draw(out *claim.Output) {
	var panels [][]figure.Panel
	f := document.Frame{Columns: document.Named("process", "setting", "rule", "effect")}
	for i, p := range m {
		var line []figure.Panel
		for at, row := range p.models[0].rows {
			bars := figure.Bars{
				Title: p.String(), Y: figure.Axis{Label: row.id}, Series: []figure.BarSeries{{Color: 1}},
			}
			for k, v := range p.models {
				estimate := v.rows[at].effect.Estimate
				bars.Groups = append(bars.Groups, v.name)
				bars.Series[0].Y = append(bars.Series[0].Y, estimate)
				f.Row(i, k, at, estimate)
			}
			line = append(line, bars)
		}
		panels = slices.AppendSeq(panels, slices.Chunk(line, 3))
	}
	out.Figure("settings", &figure.Figure{
		Title:  "The effect of settings that the paper leaves open",
		Desc:   "Bars by setting, one chart for each rule and process.",
		Panels: panels,
	})
	out.CSV("settings", f)
}
