package paper

import (
	"fmt"
	"strings"

	"foretell/figure"
	"foretell/probe"
)

// steeredStage is what moving the activations of a stage does, by seed: divergence, in
// nats, from the optimal prediction of the target belief.
type steeredStage struct {
	name                                                            string
	unchanged, shortest, shortestRandom, likeliest, likeliestRandom []float64
	shortestLength, likeliestLength                                 []float64 // of the change, as a share of the activations' spread
}

// testSteering is B2.
func testSteering(s *Study, c *Claim) error {
	list := steeredConditions(s.Profile)
	var panels []figure.Panel
	var rows [][]float64
	var obtained []string
	var lasts []steeredStage
	for i, group := range [][]condition{list[:len(list)/2], list[len(list)/2:]} {
		subjects := s.of(group)
		stages, err := s.steer(subjects)
		if err != nil {
			return err
		}
		name := "Mess3(0.15, 0.6)"
		if group[0].name != "" {
			name = group[0].name
		}
		table := Table{
			Title: fmt.Sprintf("%s: nats from the optimal prediction of the target belief, mean over %d seeds; in brackets the length of the change as a share of the activations' spread", name, len(subjects)),
			Columns: []string{
				"stage moved", "no change", "likeliest change", "random direction, as long", "shortest change", "random direction, as long",
			},
		}
		for j, st := range stages {
			table.Rows = append(table.Rows, []string{
				st.name, nats(st.unchanged), fmt.Sprintf("%s (%.2f)", nats(st.likeliest), mean(st.likeliestLength)), nats(st.likeliestRandom),
				fmt.Sprintf("%s (%.2f)", nats(st.shortest), mean(st.shortestLength)), nats(st.shortestRandom),
			})
			for k, m := range subjects {
				rows = append(rows, []float64{
					float64(i), float64(m.seed), float64(j), st.unchanged[k], st.likeliest[k], st.likeliestRandom[k], st.likeliestLength[k], st.shortest[k], st.shortestRandom[k], st.shortestLength[k],
				})
			}
		}
		last := stages[len(stages)-1]
		obtained = append(obtained, fmt.Sprintf("%s, last stage: %s nats without a change, %s moved the likeliest way, %s moved as far at random, %s moved the shortest way",
			name, nats(last.unchanged), nats(last.likeliest), nats(last.likeliestRandom), nats(last.shortest)))
		c.Tables = append(c.Tables, table)
		lasts = append(lasts, last)
		panels = append(panels, steeredChart(name, stages))
	}
	c.Setting = s.Profile.describe(s.Profile.RRXOR) + "; Mess3: " + s.Profile.Setting
	c.Obtained, c.Verdict = strings.Join(obtained, "; "), steerVerdict(lasts)
	c.Notes = append(c.Notes,
		"The rule was written after one model of RRXOR and one of Mess3 with other parameters had been seen (docs/log.md, 2026-11-20).",
		"Many changes make the regression read the target belief. The shortest may lie where activations hardly vary and the model does not look; the likeliest is the shortest in units of the activations' spread, direction by direction.",
		"Where a stage tells next to nothing of some direction of the belief, as RRXOR's first attention does, the change that moves the reading along it is far longer than activations are apart.",
		fmt.Sprintf("%d pairs of words of one length, each drawn by its probability; the activation of the last token is moved, and the rest of the model runs on it.", probe.SteeredPairs))
	err := s.addFigure(c, "steering", "Each stage of the residual stream in turn is moved until the regression reads the belief of another word: how far the model's prediction then is from the optimal one of that belief. "+
		"Mean over seeds, error bars: their range. Lower is better steered.",
		&figure.Figure{
			Title:  "Steering along a probed belief",
			Desc:   "Two charts, one a process: divergence from the target's prediction by stage, without a change, moved the likeliest way, as far at random, and the shortest way.",
			Panels: [][]figure.Panel{panels[:1], panels[1:]},
		})
	if err != nil {
		return err
	}
	return s.addCSV(c, "steering", []string{
		"mess3", "seed", "stage", "kl_unchanged", "kl_likeliest", "kl_likeliest_random", "likeliest_length", "kl_shortest", "kl_shortest_random", "shortest_length",
	}, rows)
}

// steer intervenes at each stage of subjects of one process and one architecture.
func (s *Study) steer(subjects []*subject) ([]steeredStage, error) {
	stages := make([]steeredStage, len(subjects[0].residualStages()))
	for i, name := range subjects[0].residualStageNames() {
		stages[i].name = name
	}
	for _, m := range subjects {
		a, err := probe.Analyze(s.ctx, m.model, m.prefixes, probe.Plan{
			Features: probe.Stages(m.residualStages()...), Targets: []probe.Target{probe.Beliefs}, Workers: s.Workers,
		})
		if err != nil {
			return nil, err
		}
		moved, err := a.SteerEach(s.ctx, 0)
		if err != nil {
			return nil, err
		}
		for i, steered := range moved {
			st, spread := &stages[i], steered.Spread
			st.unchanged = append(st.unchanged, steered.Unchanged.Mean)
			st.shortest, st.shortestRandom = append(st.shortest, steered.Shortest.Along.Mean), append(st.shortestRandom, steered.Shortest.Random.Mean)
			st.likeliest, st.likeliestRandom = append(st.likeliest, steered.Likeliest.Along.Mean), append(st.likeliestRandom, steered.Likeliest.Random.Mean)
			st.shortestLength = append(st.shortestLength, steered.Shortest.Distance.Mean/spread)
			st.likeliestLength = append(st.likeliestLength, steered.Likeliest.Distance.Mean/spread)
		}
	}
	return stages, nil
}

// steerVerdict is the rule of B2, for the last stage of each process.
func steerVerdict(lasts []steeredStage) Verdict {
	verdict := Holds
	for _, st := range lasts {
		moved, unchanged, random := mean(st.likeliest), mean(st.unchanged), mean(st.likeliestRandom)
		switch {
		case moved <= unchanged/4 && moved <= random/2:
		case moved < min(unchanged, random):
			verdict = Differs
		default:
			return Fails
		}
	}
	return verdict
}

func steeredChart(title string, stages []steeredStage) figure.Panel {
	chart := figure.Chart{Title: title, Y: figure.Axis{Label: "KL to the target (nats)", Include: []float64{0}}}
	for _, st := range stages {
		chart.X.Names = append(chart.X.Names, st.name)
	}
	for _, line := range []struct {
		name  string
		color int
		open  bool
		of    func(steeredStage) []float64
	}{
		{"no change", 1, true, func(st steeredStage) []float64 { return st.unchanged }},
		{"likeliest change", 2, false, func(st steeredStage) []float64 { return st.likeliest }},
		{"as long, random direction", 3, true, func(st steeredStage) []float64 { return st.likeliestRandom }},
		{"shortest change", 4, false, func(st steeredStage) []float64 { return st.shortest }},
	} {
		series := figure.Series{Name: line.name, Color: line.color, Open: line.open}
		for i, st := range stages {
			series = withPoint(series, float64(i), line.of(st))
		}
		chart.Series = append(chart.Series, series)
	}
	return chart
}

// nats prints a divergence, mean over seeds.
func nats(bySeed []float64) string { return fmt.Sprintf("%.4f", mean(bySeed)) }
