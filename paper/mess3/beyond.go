package mess3

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/figure"
	"foretell/internal/plural"
	"foretell/paper/internal/numerals"
	"foretell/paper/internal/seeds"
	"foretell/paper/internal/trained"
	"foretell/process"
)

// The rule of M15 about the number of heads that theory asks for.
const (
	fewerTimes   = 2    // KL with one head fewer, relative to that
	beyondR2     = 0.95 // of the constrained beliefs on the intermediate stage
	profileError = 0.2  // of the profiles λⁿ
)

// beyondMess3 are the processes of M15, each with other eigenvalues than the one ζ of
// Mess3.
var beyondMess3 = []trained.Source{{Name: trained.Alternation}, {Name: trained.Cycle}, {Name: trained.Walk}}

// beyond is M15: what Piotrowski et al. 2025, Sec. 4.4, say of any process.
func (l *lab) beyond() claim.Row {
	return claim.Row{
		ID: "M15", Source: "beyond " + document + " (its Sec. 4.4 for any process)",
		Statement: "For processes with a negative, a complex and two distinct real eigenvalues, one layer needs the " +
			"number of heads that the spectrum of T asks for, and with them builds the constrained beliefs.",
		Expected: fmt.Sprintf("for each of the three, in the mean over %s seeds: KL with one head fewer at least %s "+
			"that with the number asked for; with that number R² of the constrained beliefs on the intermediate "+
			"stage ≥ %g and above both one head fewer and the random initialisation; and the heads' attention "+
			"combines to the profiles λⁿ within %s, nearer than with one head fewer; differs if KL is lower with the "+
			"number asked for in all three",
			numerals.Cardinal(len(l.seeds)), times(fewerTimes), beyondR2, percent(profileError)),
		Trainings: trained.Trainings(l.beyondModels()),
		Test: claim.Steps[beyondProcesses]{
			Measure: l.measureBeyond, Judge: beyondProcesses.judge,
			Tabulate: beyondProcesses.tabulate, Draw: beyondProcesses.draw,
		}.Test,
	}
}

// beyondModels are each process of beyondMess3 with the heads that theory asks
// for and with one fewer.
func (p profile) beyondModels() []trained.Condition {
	var list []trained.Condition
	for _, on := range beyondMess3 {
		asked := headsAsked(on)
		list = append(list, p.withAttention(on, asked-1)...)
		list = append(list, p.withAttention(on, asked)...)
	}
	return list
}

// withAttention are the models of one layer with a number of heads.
func (p profile) withAttention(on trained.Source, heads int) []trained.Condition {
	return p.smallModels(on, trained.Shape{Layers: 1, Heads: heads})
}

// beyondProcesses are the processes of M15.
type beyondProcesses struct {
	setting   string
	seeds     []uint64
	processes []beyondProcess
}

// beyondProcess is one of them, with one head fewer than theory asks for and with as
// many.
type beyondProcess struct {
	trained.Source
	eigenvalues  string // of T, but for 1
	fewer, asked beyondCell
}

// beyondCell is a process with a number of heads, by seed.
type beyondCell struct {
	heads                     int
	kl, missed                []float64
	constrained, random, full []float64 // R² on the intermediate stage
	profiles, profilesRandom  []float64 // relative error, of the trained and of the untrained model
	spread                    []float64 // standard deviation of attention over words, relative to its mean

	shown *subject // that of the first seed
	fit   profileFit
}

// cells are both.
func (p beyondProcess) cells() []beyondCell { return []beyondCell{p.fewer, p.asked} }

func (l *lab) measureBeyond(ctx context.Context, s *claim.Study) (beyondProcesses, error) {
	found := beyondProcesses{setting: l.describe(l.small), seeds: l.seeds}
	for _, on := range beyondMess3 {
		asked := headsAsked(on)
		p := beyondProcess{Source: on}
		var err error
		if p.fewer, err = l.measureHeads(ctx, s, on, asked-1); err != nil {
			return found, err
		}
		if p.asked, err = l.measureHeads(ctx, s, on, asked); err != nil {
			return found, err
		}
		if p.eigenvalues, err = eigenvalues(p.asked.shown.HMM); err != nil {
			return found, err
		}
		found.processes = append(found.processes, p)
	}
	return found, nil
}

// measureHeads measures the models with a number of heads.
func (l *lab) measureHeads(ctx context.Context, s *claim.Study, on trained.Source, heads int) (beyondCell, error) {
	cell := beyondCell{heads: heads}
	subjects, err := l.of(ctx, s, l.withAttention(on, heads))
	if err != nil {
		return cell, err
	}
	for i, m := range subjects {
		fit, err := fitProfiles(m, m.patterns)
		if err != nil {
			return cell, err
		}
		random, err := fitProfiles(m, m.untrained)
		if err != nil {
			return cell, err
		}
		if i == 0 {
			cell.shown, cell.fit = m, fit
		}
		cell.profiles = append(cell.profiles, fit.relative())
		cell.profilesRandom = append(cell.profilesRandom, random.relative())
		cell.add(m)
	}
	return cell, nil
}

// add adds a model to the cell, but for its profiles.
func (c *beyondCell) add(m *subject) {
	st, spread := m.mid(), 0.0
	for _, p := range m.patterns {
		spread += relativeSpread(p) / float64(m.Heads)
	}
	c.spread = append(c.spread, spread)
	c.kl, c.missed = append(c.kl, m.kl), append(c.missed, m.missed())
	c.constrained = append(c.constrained, st.constrained.trained.heldOut.R2)
	c.random = append(c.random, st.constrained.random.heldOut.R2)
	c.full = append(c.full, st.full.trained.heldOut.R2)
}

// eigenvalues prints those of T that are not 1.
func eigenvalues(h *process.HMM) (string, error) {
	spectrum, err := h.Spectrum()
	if err != nil {
		return "", err
	}
	var list []string
	for _, m := range spectrum.Modes[1:] {
		if m.Pair() {
			list = append(list, fmt.Sprintf("%.2g·exp(±%.0f°i)", m.Modulus(), m.Phase()*180/math.Pi))
			continue
		}
		list = append(list, fmt.Sprintf("%.2g", real(m.Eigenvalue)))
	}
	return strings.ReplaceAll(strings.Join(list, ", "), "-", "−"), nil
}

// ratio is how many times as high KL is with one head fewer.
func (p beyondProcess) ratio() float64 { return seeds.Mean(p.fewer.kl) / seeds.Mean(p.asked.kl) }

// builds says whether the heads asked for build the constrained beliefs by the profiles,
// as the rule has it.
func (p beyondProcess) builds() bool {
	constrained, profiles := seeds.Mean(p.asked.constrained), seeds.Mean(p.asked.profiles)
	return constrained >= beyondR2 && constrained > max(seeds.Mean(p.fewer.constrained), seeds.Mean(p.asked.random)) &&
		profiles <= profileError && profiles < seeds.Mean(p.fewer.profiles)
}

func (p beyondProcess) obtained() string {
	return fmt.Sprintf("%s, %s asked for: with one fewer KL is %.1f times as high (%s); R² %.3f, as asked %.3f; "+
		"profiles off by %.0f %%, as asked %.0f %%",
		p.Source, plural.Count(p.asked.heads, "head"), p.ratio(), bySeed(p.fewer.kl, p.asked.kl),
		seeds.Mean(p.fewer.constrained), seeds.Mean(p.asked.constrained),
		100*seeds.Mean(p.fewer.profiles), 100*seeds.Mean(p.asked.profiles))
}

// bySeed says how many times as high a is as b, from the least to the most of the seeds:
// the ratio of means may be that of one.
func bySeed(a, b []float64) string {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	return fmt.Sprintf("by seed %.1f to %.1f", slices.Min(ratios), slices.Max(ratios))
}

func (m beyondProcesses) judge() claim.Finding {
	holds, lower := true, true
	var obtained []string
	for _, p := range m.processes {
		holds, lower = holds && p.ratio() >= fewerTimes && p.builds(), lower && p.ratio() > 1
		obtained = append(obtained, p.obtained())
	}
	found := claim.Finding{Verdict: claim.Fails, Obtained: strings.Join(obtained, "; ")}
	switch {
	case holds:
		found.Verdict = claim.Holds
	case lower:
		found.Verdict = claim.Differs
	}
	return found
}

func (m beyondProcesses) tabulate(c *claim.Claim) {
	table := claim.Table{
		Title: fmt.Sprintf("means over %d seeds (± standard deviation); the upper row of a process has one head "+
			"fewer than theory asks for", len(m.seeds)),
		Columns: []string{
			"process", "eigenvalues", "heads", "KL to the optimum (nats)", "missed",
			"intermediate → constrained beliefs: R²", "random init", "→ beliefs instead",
			"profiles λⁿ from the heads: relative error", "random init", "spread of attention over words",
		},
	}
	for _, p := range m.processes {
		for _, cell := range p.cells() {
			table.Rows = append(table.Rows, slices.Concat([]string{p.String(), p.eigenvalues}, cell.line()))
		}
	}
	c.Tables, c.Setting = append(c.Tables, table), m.setting
	c.Notes = append(c.Notes, beyondNotes...)
}

// line is the cell as the table has it.
func (c beyondCell) line() []string {
	share := func(format string, bySeed []float64) string { return fmt.Sprintf(format, 100*seeds.Mean(bySeed)) }
	r2 := func(bySeed []float64) string { return fmt.Sprintf("%.4f", seeds.Mean(bySeed)) }
	return []string{
		fmt.Sprint(c.heads), fmt.Sprintf("%.2e ± %.0e", seeds.Mean(c.kl), seeds.StdDev(c.kl)),
		share("%.1f %%", c.missed),
		r2(c.constrained), r2(c.random), r2(c.full),
		share("%.1f %%", c.profiles), share("%.1f %%", c.profilesRandom), share("%.0f %%", c.spread),
	}
}

var beyondNotes = []string{
	"The number of heads is the least with which one layer of attention that does not look at tokens can build the " +
		"constrained belief for contexts of any length: as many as the profiles λⁿ span dimensions, and one more " +
		"where no positive λ outlasts those that change sign.",
	"The column of profiles fits each (Re λⁿ and Im λⁿ for a complex λ, n ≥ 1) by a combination of the heads' mean " +
		"attention over all pairs d > s, the first source left out; the error is the root of the squares left over " +
		"those to be fitted. More heads fit better whatever they do; the column “random init” says how well as many " +
		"untrained ones fit. Theory says that this vanishes when the heads suffice and do not look at tokens; the " +
		"last column, the standard deviation of attention over words relative to its mean, says how much they do.",
	"The processes were chosen twice: with little noise (two tokens in ten replaced) the constrained geometry is far " +
		"from linear in the beliefs, and a model can do without it; see the log.",
}

func (m beyondProcesses) draw(out *claim.Output) {
	m.drawBars(out)
	m.drawProfiles(out)
	m.drawGeometry(out)
	out.CSV("beyond", []string{
		"process", "heads", "seed", "kl", "missed", "r2_constrained", "r2_constrained_random", "r2_full",
		"profile_error", "profile_error_random", "attention_spread",
	}, m.rows())
}

// headCells name the cells of a process.
var headCells = []string{"one head fewer", "as theory asks"}

// drawBars shows what models miss, and how far their heads are from the profiles.
func (m beyondProcesses) drawBars(out *claim.Output) {
	missed := figure.Bars{Y: figure.Axis{Label: "information missed"}}
	profiles := figure.Bars{Y: figure.Axis{Label: "error of the profiles"}}
	profiles.Refs = []figure.Ref{{Label: "rule", Value: profileError}}
	for i, name := range headCells {
		a, b := figure.BarSeries{Name: name}, figure.BarSeries{Name: name}
		for _, p := range m.processes {
			cell := p.cells()[i]
			a, b = seeds.Bar(a, cell.missed), seeds.Bar(b, cell.profiles)
		}
		missed.Series, profiles.Series = append(missed.Series, a), append(profiles.Series, b)
	}
	for _, p := range m.processes {
		name := fmt.Sprintf("%s: %d or %d", p, p.fewer.heads, p.asked.heads)
		missed.Groups, profiles.Groups = append(missed.Groups, name), append(profiles.Groups, name)
	}
	out.Figure("bars", "Three processes, each with one head fewer than theory asks for and with that number. Above: "+
		"the share of the information in words that the model misses. Below: how far the heads' attention is from "+
		"making the profiles λⁿ. Error bars: the range over seeds.",
		&figure.Figure{
			Title: "Heads fewer than theory asks for, and as many", Desc: "Two charts of bars: missed information " +
				"and error of the attention profiles, three processes, two numbers of heads.",
			Panels: [][]figure.Panel{{missed}, {profiles}},
		})
}

// drawProfiles shows the profiles and what the heads make of them.
func (m beyondProcesses) drawProfiles(out *claim.Output) {
	f := &figure.Figure{
		Title: "What the constrained belief asks of attention, and what the heads make",
		Desc: "Three rows, one a process; the profiles λⁿ against the lag n and the best combination of the heads, " +
			"with fewer heads and with those that theory asks for.",
		Cols: headCells,
	}
	for _, p := range m.processes {
		f.Rows = append(f.Rows, "λ = "+p.eigenvalues)
		f.Panels = append(f.Panels, []figure.Panel{p.fewer.fit.chart(), p.asked.fit.chart()})
	}
	out.Figure("profiles", "Dashed: how the trace of a token has to change with the lag n, λⁿ; the second profile is "+
		"the imaginary part of a complex λ, or the other eigenvalue. Solid: the combination of the heads' mean "+
		"attention that comes nearest, mean over sources. Models of the first seed.", f)
}

// chart shows each profile beside what the heads make of it.
func (f profileFit) chart() figure.Panel {
	names := [][2]string{{"heads", "wanted, λⁿ"}, {"heads, second profile", "wanted, second profile"}}
	chart := figure.Chart{X: figure.Axis{Label: "lag n"}, Y: figure.Axis{Label: "profile", Include: []float64{0}}}
	for i := range f.wanted {
		made := figure.Series{Name: names[i][0], Y: f.made[i], Color: i + 1}
		wanted := figure.Series{Name: names[i][1], Y: f.wanted[i], Color: i + 1, Open: true}
		for n := range f.wanted[i] {
			made.X, wanted.X = append(made.X, float64(n+1)), append(wanted.X, float64(n+1))
		}
		chart.Series = append(chart.Series, made, wanted)
	}
	return chart
}

// drawGeometry shows the intermediate stages beside the constrained beliefs.
func (m beyondProcesses) drawGeometry(out *claim.Output) {
	f := &figure.Figure{
		Title: "The intermediate stage of three processes that are not Mess3",
		Desc: "Three rows, one a process; columns: the constrained geometry, and the intermediate stage regressed " +
			"to it, with fewer heads and with those that theory asks for.",
		Cols: append([]string{"constrained beliefs (Eq. 26)"}, headCells...),
	}
	for _, p := range m.processes {
		f.Rows = append(f.Rows, p.String())
		row := []figure.Panel{p.fewer.shown.geometry(p.fewer.shown.Prefixes.Constrained)}
		for _, cell := range p.cells() {
			row = append(row, cell.shown.geometry(cell.shown.mid().constrained.regressed.Data))
		}
		f.Panels = append(f.Panels, row)
	}
	out.Figure("geometry", "Words of up to 8 tokens, coloured by their beliefs. First column: the constrained "+
		"beliefs; second and third: what a linear probe reads of them after attention. The alternation has two "+
		"states, and its first coordinate is plotted against the constrained belief itself: the better the probe, "+
		"the nearer to the diagonal.", f)
}

// geometry shows vectors over three states, (rows, states), in their triangle, and over
// two states their first coordinate against the constrained belief's.
func (s *subject) geometry(vectors []float64) figure.Panel {
	p := s.Prefixes
	if p.States == 3 {
		return triangle(vectors, p)
	}
	points := figure.Points{}
	for row := range p.Rows() {
		points.X, points.Y = append(points.X, p.ConstrainedBelief(row)[0]), append(points.Y, vectors[row*p.States])
		b := p.Belief(row)[0]
		points.Colors = append(points.Colors, figure.RGB(b, 0, 1-b))
	}
	return figure.Plane{X: "constrained", Y: "read", Layers: []figure.Layer{points}}
}

// rows are the models, for the file of data.
func (m beyondProcesses) rows() (rows [][]float64) {
	for i, p := range m.processes {
		for _, c := range p.cells() {
			for j, seed := range m.seeds {
				rows = append(rows, []float64{
					float64(i), float64(c.heads), float64(seed), c.kl[j], c.missed[j],
					c.constrained[j], c.random[j], c.full[j], c.profiles[j], c.profilesRandom[j], c.spread[j],
				})
			}
		}
	}
	return rows
}
