package mess3

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/model"
	"foretell/paper/internal/numerals"
	"foretell/paper/internal/seeds"
	"foretell/paper/internal/trained"
	"foretell/probe"
	"foretell/theory"
)

// The rule of M6b.
const (
	decayMargin = 0.05 // smallest difference between a decay and ζ that would matter
	decayLevel  = 0.05 // level of the two one-sided tests
	decayMissed = 0.01 // largest share of the information in the sequences that a converged model may miss
	decaySeeds  = 5

	// decodingDegree is the degree of the polynomial that decodes a belief from a geometric
	// sum. It is the smallest degree at which a polynomial saturates in both directions, as
	// a belief does.
	decodingDegree = 3
)

// decayRivals is M6b: Piotrowski et al. 2025, Eq. 13, at every α.
func (l *lab) decayRivals() claim.Row {
	setting := l.describe(l.rivalSettings(l.rivalSources()[0]))
	if l.whole {
		slow := l.rivalSettings(trained.Mess3(0.25, 0.6))
		setting += fmt.Sprintf("; for x = 0.25, %d steps with an initial learning rate of %g", slow.Steps, slow.LR)
	}
	return texts.Fill(claim.Row{
		ID: "M6b", Kind: claim.Beyond, Severity: claim.Local, Setting: setting,
		Trainings: trained.Trainings(l.rivalModels()), RuleCommit: "f2bfa9d",
		Test: claim.Steps[rivalDecays]{
			Measure: l.measureRivals, Judge: rivalDecays.judge, Tabulate: rivalDecays.tabulate, Draw: rivalDecays.draw,
		}.Test,
	}, map[string]any{
		"seeds": numerals.Cardinal(decaySeeds), "lag": probe.NearLags.To, "margin": decayMargin, "level": decayLevel,
		"missed": percent(decayMissed), "degree": decodingDegree,
	})
}

// rivalSources returns the processes of M6b.
func (p profile) rivalSources() []trained.Source {
	if !p.whole {
		return []trained.Source{trained.Mess3(0.15, 0.6), trained.Mess3(0.15, 0.9)}
	}
	var list []trained.Source
	for _, x := range []float64{0.15, 0.25} {
		for _, a := range []float64{0.6, 0.7, 0.8, 0.9} {
			list = append(list, trained.Mess3(x, a))
		}
	}
	return list
}

// rivalSettings returns the settings of the small models, with longer training. From
// the full profile on, training is longest at x = 0.25, where the sequences carry little
// information.
func (p profile) rivalSettings(on trained.Source) trained.Settings {
	s := p.small
	switch {
	case p.name == claim.Quick:
		s.Variant, s.Steps = "long", 4000
	case p.whole:
		s.Variant, s.Steps = "long", 6000
		if on.X > 0.2 {
			s.Steps, s.LR = 16000, 1e-3
		}
	}
	return s
}

// rivalModels returns the models with one head for each process and seed.
func (p profile) rivalModels() []trained.Condition {
	var list []trained.Condition
	for _, on := range p.rivalSources() {
		list = append(list, p.rivalCell(on)...)
	}
	return list
}

// rivalCell returns the models of one process, one for each seed.
func (p profile) rivalCell(on trained.Source) []trained.Condition {
	return p.oneLayerModels(on, 1, p.rivalSettings(on), p.firstSeeds(decaySeeds, decaySeeds)...)
}

// rivalDecays is the measurement of M6b: for each process, the decay of attention and the
// values predicted for it.
type rivalDecays []rivalDecay

// rivalDecay is the measurement on one process.
type rivalDecay struct {
	trained.Source
	zeta, rho, best float64 // the predictions: ζ, ρ and λ*
	models          claim.BySeed[rivalModel]
}

// rivalModel is the measurement on one model. The share is not measured at random
// initialisation.
type rivalModel struct {
	lambda float64 // decay of attention
	missed float64 // share of the information that the model misses
}

func (m rivalModel) decay() float64 { return m.lambda }

// random returns the decay of attention at random initialisation, by seed.
func (d rivalDecay) random() []float64 { return d.models.AllRandom(rivalModel.decay) }

// rival is one of several predictions of the decay of attention.
type rival struct {
	name  string
	value float64
}

func (d rivalDecay) rivals() []rival { return []rival{{"ζ", d.zeta}, {"ρ", d.rho}, {"λ*", d.best}} }

func (m rivalDecays) judge() claim.Finding {
	var found claim.Finding
	var obtained []string
	for _, d := range m {
		c := d.condition()
		found.Conditions = append(found.Conditions, c)
		obtained = append(obtained, d.String()+": "+c.Obtained)
	}
	found.Verdict, found.Reason = claim.Conclude(found.Conditions)
	found.Obtained, found.Effect = strings.Join(obtained, "; "), claim.Deciding(found.Conditions)
	found.Asked = []claim.Question{
		m.asked("Is ρ closer to the decay than ζ is, in every process whose models have converged?",
			func(d rivalDecay, decay float64) bool { return math.Abs(decay-d.rho) < math.Abs(decay-d.zeta) }),
		m.asked("Is λ* closer to the decay than ρ is, in every process whose models have converged?",
			func(d rivalDecay, decay float64) bool { return math.Abs(decay-d.best) < math.Abs(decay-d.rho) }),
		m.asked("In every process whose models have converged, is the decay of attention between ρ and λ*? (The "+
			"range is not narrowed by a choice of decoder. The question was asked when the decays of two processes "+
			"were known.)",
			func(d rivalDecay, decay float64) bool {
				return min(d.rho, d.best) <= decay && decay <= max(d.rho, d.best)
			}),
	}
	return found
}

// condition returns the verdict on one process.
func (d rivalDecay) condition() claim.Condition {
	found := d.models.All(rivalModel.decay)
	mean, interval := claim.Mean(found)
	c := claim.Condition{
		Name: d.String(),
		Effect: claim.Over("decay of attention per step", "", found).Beside("ζ", d.zeta).
			Against("random initialisation", seeds.Mean(d.random())),
	}
	if interval == nil {
		c.Verdict, c.Reason, c.Obtained = claim.Open, claim.Power, fmt.Sprintf("%.3f in a single model", mean)
		return c.Judged(d.models.Why())
	}
	var contained, excluded []string
	for _, r := range d.rivals() {
		text := fmt.Sprintf("%s = %.3f", r.name, r.value)
		if interval.Contains(r.value) {
			contained = append(contained, text)
		} else {
			excluded = append(excluded, text)
		}
	}
	c.Obtained = fmt.Sprintf("%.3f; the interval from %.3f to %.3f contains %s and excludes "+
		"%s", mean, interval.Low, interval.High,
		listOr(contained, "none"), listOr(excluded, "none"))
	switch {
	case claim.Equivalent(found, d.zeta, decayMargin) < decayLevel:
		c.Verdict = claim.Holds
	case interval.Contains(d.zeta):
		c.Verdict, c.Reason = claim.Open, claim.Power
	case len(contained) > 0:
		c.Verdict = claim.Corrected
	default:
		c.Verdict = claim.Fails
	}
	return c.Judged(d.models.Why())
}

// listOr joins a list with “and”, or returns fallback if the list has no elements.
func listOr(list []string, fallback string) string {
	if len(list) == 0 {
		return fallback
	}
	return strings.Join(list, " and ")
}

// asked asks whether something is true of the decay in every process whose models have
// converged.
func (m rivalDecays) asked(question string, is func(d rivalDecay, decay float64) bool) claim.Question {
	q := claim.Question{Question: question, Answer: claim.Undecided}
	n, k := 0, 0
	for _, d := range m {
		if d.models.Why() != "" {
			continue
		}
		if n++; is(d, seeds.Mean(d.models.Values(rivalModel.decay))) {
			k++
		}
	}
	q.Obtained = fmt.Sprintf("in %d of %d", k, n)
	if n > 0 {
		q.Answer = claim.AnswerIf(k == n)
	}
	return q
}

func (l *lab) measureRivals(ctx context.Context, s *claim.Study) (rivalDecays, error) {
	var found rivalDecays
	for _, on := range l.rivalSources() {
		d, err := rivalsOf(ctx, on, l.rivalSettings(on).NCtx)
		if err != nil {
			return found, fmt.Errorf("%s: %w", on, err)
		}
		for _, c := range l.rivalCell(on) {
			s.Tell("fitting the decay of " + c.Label())
			if err := d.add(ctx, s, c); err != nil {
				return found, fmt.Errorf("%s: %w", c.Label(), err)
			}
		}
		found = append(found, d)
	}
	return found, nil
}

// rivalsOf computes the predicted decays of a process. They do not depend on models.
func rivalsOf(ctx context.Context, on trained.Source, length int) (rivalDecay, error) {
	rho, err := filterDecay(ctx, on)
	d := rivalDecay{Source: on, zeta: on.Zeta(), rho: rho}
	if err != nil {
		return d, err
	}
	h, err := on.HMM()
	if err != nil {
		return d, err
	}
	sums, err := theory.Of(h).GeometricSums(ctx, length, decodingDegree)
	if err != nil {
		return d, err
	}
	best, err := sums.Best(ctx)
	d.best = best.Decay
	return d, err
}

// add adds a model's measurement.
func (d *rivalDecay) add(ctx context.Context, s *claim.Study, c trained.Condition) error {
	of, err := trained.NewSubject(ctx, s, c)
	if err != nil {
		return err
	}
	untrained, err := model.New[float32](of.Model.Config, c.Seed)
	if err != nil {
		return err
	}
	m := claim.Seeded[rivalModel]{Seed: int(c.Seed)}
	for _, one := range []struct {
		model *model.Transformer[float32]
		to    *rivalModel
	}{{of.Model, &m.Found}, {untrained, &m.Random}} {
		a, err := probe.Analyze(ctx, one.model, of.Prefixes, probe.Plan{Patterns: true, Workers: s.Workers})
		if err != nil {
			return err
		}
		p := a.Patterns[0]
		one.to.lambda = probe.FitExponential(p.Mean, p.T, probe.NearLags)
		if one.model == of.Model {
			convergence, err := a.Convergence(ctx)
			if err != nil {
				return err
			}
			one.to.missed = convergence.Missed
			m.Unconverged = unconvergedDecay(convergence)
		}
	}
	d.models.Models = append(d.models.Models, m)
	return nil
}

// unconvergedDecay says in a clause why a model is not judged, or returns "" if it is
// judged. The rule is the same as in other rows, with a stricter limit on the information
// that the model may miss.
func unconvergedDecay(c probe.Convergence) string {
	if c.Converged() && c.Missed > decayMissed {
		return fmt.Sprintf("it misses %.2g %% of the information in the sequences, more than %s",
			100*c.Missed, percent(decayMissed))
	}
	return c.Reason
}

func (m rivalDecays) tabulate(c *claim.Claim) {
	table := document.Frame{
		Title: "decay of attention per step, lags 1 to 4 without the first source; " +
			"mean over seeds ± standard deviation",
		Columns: slices.Concat(document.Headed("%.3f", "process", "λ̂", "95 % interval", "ζ", "ρ", "λ*"),
			document.Headed("%.2f", "random init"), document.Headed("%.2f %%", "missed, largest")),
	}
	for _, d := range m {
		found, interval := d.models.All(rivalModel.decay), "–"
		if _, i := claim.Mean(found); i != nil {
			interval = fmt.Sprintf("%.3f to %.3f", i.Low, i.High)
		}
		missed := slices.Max(d.models.All(func(m rivalModel) float64 { return m.missed }))
		table.Row(d.String(), seeds.Spread(found), interval, d.zeta, d.rho, d.best, seeds.Spread(d.random()), missed)
	}
	c.Tables = append(c.Tables, table.Table())
}

func (m rivalDecays) draw(out *claim.Output) {
	var panels []figure.Panel
	for from := 0; from < len(m); {
		to := from
		for to < len(m) && m[to].X == m[from].X {
			to++
		}
		panels, from = append(panels, rivalChart(m[from:to])), to
	}
	rivals := document.Frame{Columns: document.Named(
		"x", "alpha", "seed", "decay", "decay_random", "missed", "zeta", "rho", "lambda_star",
	)}
	for _, d := range m {
		for _, of := range d.models.Models {
			rivals.Row(d.X, d.A, of.Seed, of.Found.lambda, of.Random.lambda, of.Found.missed, d.zeta, d.rho, d.best)
		}
	}
	out.Figure("rivals", figure.Row("The decay of attention", "Charts of decay per step against α, one for each x: "+
		"trained models with intervals, and three lines.", panels...))
	out.CSV("rivals", rivals)
}

// rivalChart draws the decays at one x against α, with the predictions as lines.
func rivalChart(list []rivalDecay) figure.Panel {
	chart := figure.Chart{
		Title: fmt.Sprintf("x = %g", list[0].X),
		X:     figure.Axis{Label: "α"}, Y: figure.Axis{Label: "decay per step", Include: []float64{0}},
		Series: []figure.Series{{Name: "attention of trained models", Color: 1}},
	}
	for i, r := range list[0].rivals() {
		line := figure.Series{Name: r.name, Color: i + 2, Open: true}
		for _, d := range list {
			line.Add(d.A, d.rivals()[i].value)
		}
		chart.Series = append(chart.Series, line)
	}
	for _, d := range list {
		addMean(&chart.Series[0], d.A, d.models.All(rivalModel.decay))
	}
	return chart
}
