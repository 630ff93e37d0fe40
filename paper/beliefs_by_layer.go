package paper

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"foretell/figure"
	"foretell/probe"
	"foretell/process"
)

// beliefSplits are the two ways to hold words out that B1 compares.
var beliefSplits = []struct {
	name       string
	convention probe.Convention
}{
	{"held out by sequence", probe.Ours},
	{"held out by word", probe.Convention{Test: probe.ByWord}},
}

// lastTokens is how many tokens the control of B1 remembers.
const lastTokens = 3

// beliefReading is R² of the beliefs of a process, by seed, under one split.
type beliefReading struct {
	trained, random, shuffled [][]float64 // [stage][seed]; the last is all stages side by side
	next, last                float64     // from the optimal next-token distribution, from the last tokens: no model has a part in them
}

// testBeliefsByLayer is B1.
func testBeliefsByLayer(s *Study, c *Claim) error {
	subjects := s.of(rrxorConditions(s.Profile))
	names := append(subjects[0].residualStageNames(), "all side by side")
	var readings []beliefReading
	var rows [][]float64
	var panels []figure.Panel
	for i, split := range beliefSplits {
		r, err := s.readBeliefs(subjects, split.convention)
		if err != nil {
			return err
		}
		table := Table{
			Title:   fmt.Sprintf("R² of the beliefs of RRXOR, %s: mean over %d seeds ± standard deviation", split.name, len(subjects)),
			Columns: []string{"features", "trained", "random initialisation", "shuffled beliefs"},
		}
		for j, name := range names {
			table.Rows = append(table.Rows, []string{name, meanAndDeviation("%.3f", r.trained[j]), meanAndDeviation("%.3f", r.random[j]), meanAndDeviation("%.3f", r.shuffled[j])})
			for k, m := range subjects {
				rows = append(rows, []float64{float64(i), float64(m.seed), float64(j), r.trained[j][k], r.random[j][k], r.shuffled[j][k]})
			}
		}
		table.Rows = append(table.Rows,
			[]string{"optimal next-token distribution, no model", fmt.Sprintf("%.3f", r.next), "", ""},
			[]string{fmt.Sprintf("last %d tokens, no model", lastTokens), fmt.Sprintf("%.3f", r.last), "", ""})
		c.Tables = append(c.Tables, table)
		readings = append(readings, r)
		panels = append(panels, r.chart(split.name, names))
	}
	c.Setting, c.Verdict = s.Profile.describe(s.Profile.RRXOR), spreadVerdict(readings)
	r := readings[0]
	c.Obtained = fmt.Sprintf("%s: last stage %.3f, all side by side %.3f (random initialisation %.3f and %.3f, next-token distribution %.3f, last %d tokens %.3f)",
		beliefSplits[0].name, r.lastStage(r.trained), r.sideBySide(r.trained), r.lastStage(r.random), r.sideBySide(r.random), r.next, lastTokens, r.last)
	r = readings[1]
	c.Obtained += fmt.Sprintf("; %s: %.3f and %.3f (random initialisation %.3f and %.3f)", beliefSplits[1].name, r.lastStage(r.trained), r.sideBySide(r.trained), r.lastStage(r.random), r.sideBySide(r.random))
	for _, m := range subjects {
		c.Obtained += fmt.Sprintf("; seed %d misses %.1f %% of what words tell", m.seed, 100*m.missed())
	}
	c.Notes = append(c.Notes,
		"The rule was written after one such model had been seen (docs/log.md, 2026-11-20).",
		"Few words of RRXOR can occur, and short ones, which stand on both sides of a split by sequence, hold much of the weight: the regression finds some of the shuffled beliefs, too. A split by word leaves it none.",
		"The next-token distribution is a linear image of the belief, and all that the last stage has to carry.")
	err := s.addFigure(c, "stages", "R² of the beliefs along the residual stream, after attention (mid) and after the MLP (post) of each layer, and from all stages together; mean over seeds, error bars: their range. "+
		"Lines across: what the optimal next-token distribution alone, and the last tokens alone, tell of the belief.",
		&figure.Figure{
			Title:  "Beliefs of RRXOR by stage of the residual stream",
			Desc:   "Two charts, one a split: R² by stage for trained models, random initialisations and shuffled beliefs, with two reference lines.",
			Panels: [][]figure.Panel{panels[:1], panels[1:]},
		})
	if err != nil {
		return err
	}
	if err := s.addBeliefPlanes(c, subjects[0]); err != nil {
		return err
	}
	return s.addCSV(c, "stages", []string{"by_word", "seed", "features", "r2", "r2_random", "r2_shuffled"}, rows)
}

// readBeliefs regresses beliefs on every stage of each subject and on all of them side
// by side. The subjects are of one process and one architecture.
func (s *Study) readBeliefs(subjects []*subject, convention probe.Convention) (r beliefReading, err error) {
	var models []probe.Subject
	for _, m := range subjects {
		models = append(models, probe.Subject{Model: m.model, Seed: m.seed})
	}
	question := probe.Question{Convention: convention, SideBySide: true, Workers: s.Workers}
	reports, err := probe.ExamineEach(s.ctx, models, subjects[0].prefixes, question)
	if err != nil {
		return r, err
	}
	stages := len(reports[0].Stages)
	r.trained, r.random, r.shuffled = make([][]float64, stages), make([][]float64, stages), make([][]float64, stages)
	for _, report := range reports {
		for i, stage := range report.Stages {
			r.trained[i], r.random[i], r.shuffled[i] = append(r.trained[i], stage.R2), append(r.random[i], stage.Random), append(r.shuffled[i], stage.Shuffled)
		}
		r.next, r.last = report.Controls[0].R2, report.Controls[lastTokens].R2 // those of the last 1, 2, … tokens follow
	}
	return r, nil
}

func (r beliefReading) lastStage(by [][]float64) float64  { return mean(by[len(by)-2]) }
func (r beliefReading) sideBySide(by [][]float64) float64 { return mean(by[len(by)-1]) }

// spread says whether the reading is as B1 expects.
func (r beliefReading) spread() bool {
	last, all := r.lastStage(r.trained), r.sideBySide(r.trained)
	return all > last && last > max(r.next, r.last, r.lastStage(r.random), r.lastStage(r.shuffled)) && all > max(r.sideBySide(r.random), r.sideBySide(r.shuffled))
}

// spreadVerdict is the rule of B1, for readings by sequence and by word.
func spreadVerdict(readings []beliefReading) Verdict {
	switch {
	case readings[0].spread() && readings[1].spread():
		return Holds
	case readings[0].spread():
		return Differs
	}
	return Fails
}

// chart draws R² by stage; what is side by side stands apart.
func (r beliefReading) chart(title string, names []string) figure.Panel {
	chart := figure.Chart{
		Title: title, X: figure.Axis{Names: names}, Y: figure.Axis{Label: "R² of the beliefs"},
		Refs: []figure.Ref{{Label: "next token", Value: r.next}, {Label: fmt.Sprintf("last %d tokens", lastTokens), Value: r.last}},
	}
	for _, line := range []struct {
		name  string
		color int
		open  bool
		by    [][]float64
	}{{"trained", 2, false, r.trained}, {"random initialisation", 3, true, r.random}, {"shuffled beliefs", 4, true, r.shuffled}} {
		along := figure.Series{Name: line.name, Color: line.color, Open: line.open}
		apart := figure.Series{Color: line.color, Open: line.open, Dots: true}
		for i, bySeed := range line.by {
			to := &along
			if i == len(line.by)-1 {
				to = &apart
			}
			*to = withPoint(*to, float64(i), bySeed)
		}
		chart.Series = append(chart.Series, along, apart)
	}
	return chart
}

// addBeliefPlanes draws the beliefs of RRXOR in the plane where they vary most, and
// what the first seed's last stage and all its stages tell of them.
func (s *Study) addBeliefPlanes(c *Claim, m *subject) error {
	p, hooks := m.prefixes, m.residualStages()
	beliefs := probe.Table{Width: p.States, Data: p.Beliefs}
	a, err := probe.Analyze(s.ctx, m.model, p, probe.Plan{
		Features: []probe.Features{probe.TableFeatures("beliefs", beliefs), probe.Stage(hooks[len(hooks)-1]), probe.SideBySide("all stages", hooks)},
		Targets:  []probe.Target{probe.Beliefs}, Keep: true, Workers: s.Workers,
	})
	if err != nil {
		return err
	}
	components := a.Principal(0)
	names, places := []string{"beliefs"}, []probe.Table{components.Project(beliefs, 2)}
	for i, name := range []string{"read from the last stage", "read from all stages"} {
		read, err := a.Predict(s.ctx, i+1, 0)
		if err != nil {
			return err
		}
		names, places = append(names, name), append(places, components.Project(read, 2))
	}
	scale := slices.Concat(places[0].Data, places[1].Data, places[2].Data) // one for all
	var panels []figure.Panel
	for i, name := range names {
		panels = append(panels, figure.Plane{
			Title: name, Layers: []figure.Layer{beliefPoints(p, places[i])},
			IncludeX: []float64{slices.Min(scale), slices.Max(scale)}, IncludeY: []float64{slices.Min(scale), slices.Max(scale)},
		})
	}
	return s.addFigure(c, "geometry", fmt.Sprintf("The words of up to %d tokens that can occur, in the plane where the five-state beliefs vary most. Left: the beliefs themselves. Middle and right: as the regression to all words reads them, first seed. "+
		"Larger: more probable. Colours: the probability that a triple begins, that its first bit is known, that its last is.", p.Length),
		figure.Row("Beliefs of RRXOR, and what the residual stream tells of them", "Three planes: the optimal observer's beliefs, and their readings from the last stage and from all stages together.", panels...))
}

// beliefPoints are the words that can occur at places (rows, 2), coloured by the states
// of RRXOR: S; 0 and 1; T and F.
func beliefPoints(p *process.Prefixes, at probe.Table) figure.Points {
	points := figure.Points{Colors: []color.NRGBA{}}
	for row, prob := range p.Prob {
		if prob == 0 {
			continue
		}
		b := p.Belief(row)
		points.X, points.Y = append(points.X, at.Row(row)[0]), append(points.Y, at.Row(row)[1])
		points.Colors = append(points.Colors, figure.RGB(b[0], b[1]+b[2], b[3]+b[4]))
		points.Radius = append(points.Radius, 1+6*math.Sqrt(prob))
	}
	return points
}

// meanAndDeviation prints the mean over seeds and the standard deviation, each in a format.
func meanAndDeviation(format string, bySeed []float64) string {
	return fmt.Sprintf(format+" ± "+format, mean(bySeed), standardDeviation(bySeed))
}
