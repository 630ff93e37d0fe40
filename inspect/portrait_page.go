package inspect

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"foretell/describe"
	"foretell/document"
	"foretell/model"
	"foretell/probe"
	"foretell/token"
)

// listedWords is the largest number of sequences in a page's table of readings.
const listedWords = 200

// page returns the page: the target as read from each stage next to its true value, R²
// with controls, the principal components of the stages, attention by lag, KL by
// position, and how the run learned, each with its numbers. The parameter command is the
// command line that made the page, which the page shows.
func (p *Portrait) page(command string) (d document.Document, err error) {
	sections := []document.Section{}
	if p.seen != nil {
		sections = append(sections, p.heroSection(), p.scoreSection(), p.componentSection())
	} else {
		sections = append(sections, document.Section{
			Title: knows, Text: []string{"No regression is drawn: " + p.Unread + "."},
		})
	}
	if len(p.Attention) > 0 {
		sections = append(sections, p.attentionSection())
	}
	sections = append(sections, p.positionSection())
	if p.Curves != nil {
		s, err := p.Curves.Section()
		if err != nil {
			return d, err
		}
		s.Title = "How it learned"
		sections = append(sections, s)
	} else if p.NoCurves != "" {
		sections = append(sections, document.Section{
			Title: "How it learned", Text: []string{"The curves are left out: " + p.NoCurves + "."},
		})
	}
	sections = append(sections, document.Section{
		Title: "The model", Facts: append(p.Facts, document.Fact{Name: "Made by", Value: "`" + command + "`"}),
	})
	return document.Document{Title: "Inside " + p.Model, Subtitle: p.subtitle(), Sections: sections}, nil
}

// knows is the title of the section with the figure of the stages.
const knows = "What the model knows"

// subtitle returns the results in two sentences: how well the target can be read, and how
// well the model predicts.
func (p *Portrait) subtitle() string {
	text := p.Result()
	if text != "" {
		text += " "
	}
	text += "A model of " + p.Process
	if p.Curves != nil {
		last := p.Curves.Runs[0].Result()
		where := "between"
		if last.LossEval > last.Chance {
			where = "compared with"
		}
		text += fmt.Sprintf(": loss %.5f nats per token, %s the floor %.5f and chance %.5f (%s)", last.LossEval,
			where, last.Floor, last.Chance, last.GapText("%.1f %% of the learnable gap closed"))
	}
	return text + "."
}

// Result returns a sentence with the best R² of any stage, compared with the same stage
// of untrained models, or "" if nothing was read.
func (p *Portrait) Result() string {
	if len(p.Stages) == 0 {
		return ""
	}
	best := p.Stages[0]
	for _, s := range p.Stages[1:] {
		if s.R2.Mean > best.R2.Mean {
			best = s
		}
	}
	layer, where, ok := stageOf(p.config, best.Stage)
	switch {
	case !ok:
		where = "From " + best.Stage
	case where == embedded:
		where = "From the embedding"
	case p.config.NLayers > 1:
		where = fmt.Sprintf("In layer %d, %s", layer, where)
	default:
		where = strings.ToUpper(where[:1]) + where[1:]
	}
	text := fmt.Sprintf("%s, the %s can be read with R² %s", where, singular(p.target), threeDigits(best.R2.Mean))
	if len(best.Random) == 0 {
		return text + "."
	}
	if best.R2.Mean-2*best.R2.Error <= slices.Max(best.Random) {
		return text + ", no better than from untrained models (up to " + threeDigits(slices.Max(best.Random)) + ")."
	}
	return text + "; from an untrained model with " + threeDigits(best.Random[0]) + "."
}

// threeDigits formats an R² to three decimals, or to six if three would round an R² below
// 1 to 1.
func threeDigits(r2 float64) string {
	if text := fmt.Sprintf("%.3f", r2); text != "1.000" || r2 >= 1 {
		return text
	}
	return strconv.FormatFloat(math.Floor(r2*1e6)/1e6, 'g', -1, 64)
}

func (p *Portrait) heroSection() document.Section {
	s := p.seen
	text := fmt.Sprintf("Each point is a sequence of up to %d tokens; its colour is %s after it. ",
		s.words.Length, held(s.tinted))
	if n := len(s.rows); n < p.Words {
		text += fmt.Sprintf("Of the %d sequences of the analysis, %d are drawn, the prefixes of %d sampled sequences. ",
			p.Words, n, s.words.Sequences)
	}
	where := "in the plane in which it varies most. "
	switch {
	case s.linear():
		text += "Horizontally: " + known(p.target) + ". Vertically: what a linear regression reads from the model's " +
			"activations. If a stage knows the answer, its points are on the line; if it knows nothing, they are " +
			"all at one height."
	case s.triangular():
		where = "in the triangle of three probabilities. "
		fallthrough
	default:
		text += "First the truth, " + where +
			"Then, stage by stage, what a linear regression reads from the model's activations. A stage that knows " +
			"the truth repeats its picture, point by point and colour by colour; a stage that knows less is " +
			"blurred or lacks its fine structure."
	}
	if len(s.truths) > 1 && !s.linear() {
		for _, t := range s.truths[1:] {
			text += " " + t.about
		}
		text += " From these, the MLP and further layers must compute the beliefs."
	}
	return document.Section{
		Title: knows, Figure: p.stages(), Caption: text, Tables: []document.Table{p.readings(listedWords)},
	}
}

// held returns what the colour of a sequence means: the optimal observer's belief, or the
// constrained or linear belief, which no observer holds.
func held(t probe.Target) string {
	if ofAttention(t) {
		return "the " + singular(t)
	}
	return "the " + singular(t) + " that the optimal observer holds"
}

// known returns a phrase for the true values with which readings are compared.
func known(t probe.Target) string {
	if ofAttention(t) {
		return "the " + t.Title + " themselves"
	}
	return "what the optimal observer holds"
}

// ofWords returns the prefix that marks a column as true values, such as "optimal".
func ofWords(t probe.Target) string {
	if ofAttention(t) {
		return t.Name
	}
	return "optimal"
}

// singular returns the name of a target in the singular.
func singular(t probe.Target) string {
	return strings.TrimSuffix(t.Title, "s")
}

// readings returns a table of sequences, each with its true value and the reading from
// each stage. If these values have more than four columns, the table has their two
// coordinates in the figure instead. The parameter most is the largest number of rows.
func (p *Portrait) readings(most int) document.Table {
	s := p.seen
	n := min(most, len(s.rows))
	f := document.Frame{Columns: []document.Column{{Heading: "sequence"}}}
	f.Title = fmt.Sprintf("The first %d of %d sequences", n, len(s.rows))
	if n == len(s.rows) {
		f.Title = fmt.Sprintf("All %d sequences", n)
	}
	tables, names := []probe.Table{s.truth}, []string{ofWords(p.target)}
	for i, stage := range p.Stages {
		tables = append(tables, s.reads[i])
		names = append(names, p.stage(stage.Stage))
	}
	columns := s.names
	if s.truth.Width > 4 {
		columns = []string{"x", "y"}
		for i := range tables {
			tables[i], _, _ = s.coordinates(tables[i])
		}
	}
	for _, name := range names {
		for _, column := range columns {
			f.Columns = append(f.Columns, document.Column{Heading: name + " " + column, Format: "%.4f"})
		}
	}
	for i := range n {
		row := []any{token.Names(p.source.Tokens()).Join(s.words.Tokens(s.rows[i]), ",")}
		for _, table := range tables {
			for _, x := range table.Row(i) {
				row = append(row, x)
			}
		}
		f.Row(row...)
	}
	return f.Table()
}

func (p *Portrait) scoreSection() document.Section {
	return document.Section{
		Title:  "How well the " + p.target.Title + " can be read, against controls",
		Figure: p.scores(), Caption: p.aboutScores(), Tables: []document.Table{p.scored(untrainedModels).Table()},
	}
}

// aboutShuffled explains why the shuffled control is not 0. The parameter last is what a
// reader writes to score the last position alone, or "".
func aboutShuffled(last string) string {
	if last != "" {
		last = " (" + last + ")"
	}
	return "Shuffled control: not 0, because a few short prefixes occur in most sequences; it is near 0 at the last " +
		"position" + last + " if there are many sequences."
}

// aboutScores explains how to read the figure of R² and its controls.
func (p *Portrait) aboutScores() string {
	text := "R² of the " + p.target.Title + " read from each stage: " + p.Convention +
		". Ranges are two standard errors. "
	const little = "R² alone says little, because much can be read even from an untrained model. What counts is " +
		"how far this model's R² exceeds the R² of an untrained one. "
	switch n := len(p.Stages[0].Random); n {
	case 0:
		text += "A hand-written model has no untrained model to compare with."
	case 1:
		text += little + "The untrained model is the run's own initialisation."
	default:
		text += little + fmt.Sprintf("The untrained models have %d seeds, the run's own first; their range is from "+
			"the lowest to the highest.", n)
	}
	text += " " + aboutShuffled(p.LastFlag)
	if p.NextToken != nil {
		text += " The line is the R² of reading from the optimal next-token distribution: a stage above it has more " +
			"information than the next prediction needs."
	}
	return text
}

func fiveDigits(list []float64) string {
	var parts []string
	for _, x := range list {
		parts = append(parts, fmt.Sprintf("%.5f", x))
	}
	return strings.Join(parts, " ")
}

func (p *Portrait) componentSection() document.Section {
	f := document.Frame{Title: "The numbers", Columns: []document.Column{
		{Heading: "stage"}, {Heading: "share of PC 1", Format: "%.4f"}, {Heading: "share of PC 2", Format: "%.4f"},
	}}
	for i, s := range p.Stages {
		shares := p.seen.shares[i]
		f.Row(p.stage(s.Stage), shares[0], shares[1])
	}
	return document.Section{
		Title: "The activations themselves, without a regression", Figure: p.components(),
		Caption: "The activations of each stage along their own first two principal components, with their shares of " +
			"the variance; colours as above. Nothing is fitted to the truth here: if the colours change gradually, the " +
			"largest directions of the activations represent " + held(p.seen.tinted) + ".",
		Tables: []document.Table{f.Table()},
	}
}

func (p *Portrait) attentionSection() document.Section {
	text := fmt.Sprintf("What each head attends to from the last position of sequences of %d tokens: its mean "+
		"attention by lag (lag 0 is the position itself), with the standard deviation over sequences. The deviation "+
		"is 0 for a head that attends by position only.", p.Length)
	if len(p.Theory) > 0 {
		text += " Dashed: theory's heads for one layer that builds the constrained beliefs of this process; a " +
			"model may divide the work among its heads differently."
	}
	f := document.Frame{Title: "The numbers", Columns: []document.Column{{Heading: "lag"}}}
	for _, h := range p.Attention {
		f.Columns = append(f.Columns, document.Column{Heading: "head " + h.name(), Format: "%.5f"},
			document.Column{Heading: "s.d.", Format: "%.5f"})
	}
	for i := range p.Theory {
		f.Columns = append(f.Columns, document.Column{Heading: fmt.Sprintf("theory %d", i+1), Format: "%.5f"})
	}
	for lag := range p.Attention[0].Mean {
		row := []any{lag}
		for _, h := range p.Attention {
			row = append(row, h.Mean[lag], h.SD[lag])
		}
		for _, h := range p.Theory {
			row = append(row, h.Mean[lag])
		}
		f.Row(row...)
	}
	return document.Section{
		Title: "What each head attends to", Figure: p.attention(), Caption: text,
		Tables: []document.Table{f.Table()},
	}
}

func (p *Portrait) positionSection() document.Section {
	f := document.Frame{Title: "The numbers", Columns: []document.Column{
		{Heading: "tokens seen"}, {Heading: "KL in nats", Format: "%.4e"}, {Heading: "", Format: "%.1e"},
	}}
	if p.Sequences > 0 {
		f.Columns[2].Heading = "± s.e."
	}
	for i, e := range p.KL {
		f.Row(i+1, e.Mean, e.Error)
	}
	return document.Section{
		Title: "How far it is from the best prediction", Figure: p.positions(),
		Caption: "KL from the optimal prediction to the model's, by number of tokens seen, over " + p.sampled() +
			". Zero is the best possible. A rise to the right that is not small next to the gap between chance and " +
			"floor means that the model does not use all the information in a long context.",
		Tables: []document.Table{f.Table()},
	}
}

// addFacts adds facts about the model, its training and the sequences used.
func (p *Portrait) addFacts(ctx context.Context, m *Model) {
	c := m.Config()
	p.Process = p.source.Name()
	fact := func(name, value string) {
		if value != "" {
			p.Facts = append(p.Facts, document.Fact{Name: name, Value: value})
		}
	}
	if p.Curves != nil {
		p.Process = p.Curves.Runs[0].Process
	}
	fact("Model", "`"+m.Path+"`, "+networkText(c))
	fact("Process", p.Process+fmt.Sprintf(", %d tokens", p.source.Alphabet()))
	if m.checkpoint != nil {
		fact("Checkpoint", fmt.Sprintf("step %d", m.checkpoint.Step))
	}
	if p.Curves != nil {
		fact("Training", p.Curves.Runs[0].Settings("train."))
	}
	fact("Probed over", p.sampled())
	notes := m.Notes
	if p.Curves != nil {
		notes = slices.Concat(notes, describe.TrainingNotes(ctx, p.source, c.NCtx))
	}
	for _, note := range notes {
		fact("Note", note)
	}
}

// networkText describes the architecture and the size of a network.
func networkText(c model.Config) string {
	text := fmt.Sprintf("a %s of %d parameters: n_layers %d, ", c.Network(), c.Parameters(), c.NLayers)
	if len(c.NHeads) > 0 {
		text += fmt.Sprintf("n_heads %v, ", c.NHeads)
	}
	if c.DModel > 0 {
		text += fmt.Sprintf("d_model %d, ", c.DModel)
	}
	if c.DMLP > 0 && !c.AttnOnly {
		text += fmt.Sprintf("d_mlp %d, ", c.DMLP)
	}
	return text + fmt.Sprintf("n_ctx %d", c.NCtx)
}
