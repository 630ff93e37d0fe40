package inspect

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"foretell/figure"
	"foretell/internal/page"
	"foretell/model"
	"foretell/probe"
)

// listedWords is the largest number of words in a page's table of readings.
const listedWords = 200

// HTML returns a self-contained page: the target as read from each stage next to the
// truth, R² with controls, the principal components of the stages, attention by lag, KL
// by position, and how the run learned, each with its numbers. The page names command,
// the command line that made it.
func (p *Portrait) HTML(command string) ([]byte, error) {
	sections := []page.Section{}
	if p.seen != nil {
		hero, err := p.Figure()
		if err != nil {
			return nil, err
		}
		sections = append(sections, p.heroSection(hero), p.scoreSection(), p.componentSection())
	} else {
		sections = append(sections, page.Section{
			Title: "What the model knows", Text: []string{"No regression is drawn: " + p.Unread + "."},
		})
	}
	if len(p.Attention) > 0 {
		sections = append(sections, p.attentionSection())
	}
	sections = append(sections, p.positionSection())
	if p.Curves != nil {
		s, err := p.Curves.section()
		if err != nil {
			return nil, err
		}
		s.Title = "How it learned"
		sections = append(sections, s)
	} else if p.NoCurves != "" {
		sections = append(sections, page.Section{
			Title: "How it learned", Text: []string{"The curves are left out: " + p.NoCurves + "."},
		})
	}
	sections = append(sections, page.Section{
		Title: "The model", Facts: append(p.Facts, page.Fact{Name: "Made by", Value: "`" + command + "`"}),
	})
	return page.Page{
		Title: "A look into " + p.Model, Subtitle: p.subtitle(), Sections: sections,
	}.HTML()
}

// subtitle describes how good the model is.
func (p *Portrait) subtitle() string {
	text := "A model of " + p.Process
	if p.Curves != nil {
		last := p.Curves.Runs[0].Last()
		text += fmt.Sprintf(": loss %.5f nats per token between a floor of %.5f and chance, %.5f; %s", last.LossEval,
			last.Floor, last.Chance, last.GapText("%.1f %% of the gap closed"))
	}
	return text
}

func (p *Portrait) heroSection(hero *figure.Figure) page.Section {
	s := p.seen
	text := fmt.Sprintf("Each point is a word of up to %d tokens, in the colour of %s after it. ",
		s.words.Length, held(s.tinted))
	if n := len(s.rows); n < p.Words {
		text += fmt.Sprintf("Of the %d words of the analysis, %d are drawn, those that begin %d sampled sequences. ",
			p.Words, n, s.words.Sequences)
	}
	where := "by its place in the plane in which these vary most. "
	switch {
	case s.linear():
		text += "Across: " + known(p.target) + ". Upwards: what a linear regression reads from the model's activations. " +
			"A stage that knows it has its points on the line; one that knows nothing has them at one height."
	case s.triangular():
		where = "in the triangle of three probabilities. "
		fallthrough
	default:
		text += "First what the process knows, " + where +
			"Then the same of what a linear regression reads from the model's activations, stage by stage. A stage " +
			"that knows it repeats the picture of the truth, point by point in its colours; one that knows less is blurred " +
			"or lacks its fine structure."
	}
	if len(s.truths) > 1 && !s.linear() {
		for _, t := range s.truths[1:] {
			text += " " + t.about
		}
		text += " What the MLP and further layers do is to come from there to the beliefs."
	}
	return page.Section{
		Title: "What the model knows", Figure: hero, Caption: text, Tables: []page.Table{p.readings(listedWords)},
	}
}

// held returns what a word's colour means: the optimal observer's belief, or the
// constrained or linear belief, which no observer holds.
func held(t probe.Target) string {
	if ofAttention(t) {
		return "the " + singular(t)
	}
	return "the " + singular(t) + " that the optimal observer holds"
}

// known returns what readings are compared with.
func known(t probe.Target) string {
	if ofAttention(t) {
		return "the " + t.Title + " themselves"
	}
	return "what the optimal observer holds"
}

// ofWords returns the prefix of column names of the truth.
func ofWords(t probe.Target) string {
	if ofAttention(t) {
		return t.Name
	}
	return "optimal"
}

// singular returns the name of a target for one word.
func singular(t probe.Target) string {
	return strings.TrimSuffix(t.Title, "s")
}

// readings lists words with the truth and the reading from each stage: all columns if
// there are few, else coordinates in the figure.
func (p *Portrait) readings(most int) page.Table {
	s := p.seen
	n := min(most, len(s.rows))
	t := page.Table{Title: fmt.Sprintf("The first %d of %d words", n, len(s.rows)), Columns: []string{"word"}}
	if n == len(s.rows) {
		t.Title = fmt.Sprintf("All %d words", n)
	}
	tables, names := []probe.Table{s.truth}, []string{ofWords(p.target)}
	for i, stage := range p.Stages {
		tables = append(tables, s.reads[i])
		names = append(names, p.short(stage.Stage))
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
			t.Columns = append(t.Columns, name+" "+column)
		}
	}
	for i := range n {
		row := []string{wordText(s.words.Tokens(s.rows[i]), p.source.Tokens())}
		for _, table := range tables {
			for _, x := range table.Row(i) {
				row = append(row, fmt.Sprintf("%.4f", x))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (p *Portrait) scoreSection() page.Section {
	t := page.Table{
		Title: "The numbers", Columns: []string{"stage", "R²", "± s.e.", "RMSE", "random initialisation", "shuffled"},
	}
	for _, s := range p.Stages {
		t.Rows = append(t.Rows, []string{
			s.Stage, fmt.Sprintf("%.5f", s.R2.Mean), fmt.Sprintf("%.1e", s.R2.Error), fmt.Sprintf("%.5f", s.RMSE),
			fiveDigits(s.Random), fmt.Sprintf("%.5f", s.Shuffled.Mean),
		})
	}
	if p.NextToken != nil {
		t.Rows = append(t.Rows, []string{
			"optimal next token", fmt.Sprintf("%.5f", p.NextToken.Mean), fmt.Sprintf("%.1e", p.NextToken.Error), "", "", "",
		})
	}
	return page.Section{
		Title: "How much of it, beside controls", Figure: p.scores(), Caption: p.aboutScores(), Tables: []page.Table{t},
	}
}

// aboutShuffled explains why the shuffled control is not 0.
const aboutShuffled = "With the target dealt out to other words, shuffled, what is left comes from the few short " +
	"words that most sequences begin with: at the last position alone (--convention last) it is near 0 where " +
	"words are many."

// aboutScores explains how to read the figure of R² and its controls.
func (p *Portrait) aboutScores() string {
	text := "R² of the " + p.target.Title + " read from each stage, " + p.Convention + "; ranges are two standard errors. "
	switch n := len(p.Stages[0].Random); n {
	case 0:
		text += "Weights written by hand have no random initialisation to stand beside."
	case 1:
		text += "The number alone says little: the same regression from the run's random initialisation reads much of it " +
			"back, and what counts is how far the model is above that."
	default:
		text += fmt.Sprintf("The number alone says little: the same regression from untrained models (of %d seeds, the "+
			"run's own first; the range is from the least to the greatest) reads much of it back, and what counts is how "+
			"far the model is above that.", n)
	}
	text += " " + aboutShuffled
	if p.NextToken != nil {
		text += " The line is R² from the optimal next-token distribution: a model above it holds more than its " +
			"prediction needs."
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

func (p *Portrait) componentSection() page.Section {
	t := page.Table{Title: "The numbers", Columns: []string{"stage", "share of PC 1", "share of PC 2"}}
	for i, s := range p.Stages {
		shares := p.seen.shares[i]
		t.Rows = append(t.Rows, []string{s.Stage, fmt.Sprintf("%.4f", shares[0]), fmt.Sprintf("%.4f", shares[1])})
	}
	return page.Section{
		Title: "Without a regression", Figure: p.components(),
		Caption: "The activations of each stage along their own first two principal components, with the share of their " +
			"variance; colours as above. Nothing is fitted to the truth here: where colours lie in order, the model's largest " +
			"directions are about " + held(p.seen.tinted) + ".",
		Tables: []page.Table{t},
	}
}

func (p *Portrait) attentionSection() page.Section {
	text := fmt.Sprintf("Where each head looks from the last position, of words of %d tokens: the mean of its attention "+
		"by lag, 0 the position itself, with the standard deviation over words. A head that goes by position alone has "+
		"none.", p.Length)
	if len(p.Theory) > 0 {
		text += " Dashed: the heads of one layer that builds the constrained beliefs of this process, by its spectrum; a " +
			"model is free to share the work among its heads otherwise."
	}
	t := page.Table{Title: "The numbers", Columns: []string{"lag"}}
	for _, h := range p.Attention {
		t.Columns = append(t.Columns, "head "+h.name(), "s.d.")
	}
	for i := range p.Theory {
		t.Columns = append(t.Columns, fmt.Sprintf("theory %d", i+1))
	}
	for lag := range p.Attention[0].Mean {
		row := []string{strconv.Itoa(lag)}
		for _, h := range p.Attention {
			row = append(row, fmt.Sprintf("%.5f", h.Mean[lag]), fmt.Sprintf("%.5f", h.SD[lag]))
		}
		for _, h := range p.Theory {
			row = append(row, fmt.Sprintf("%.5f", h.Mean[lag]))
		}
		t.Rows = append(t.Rows, row)
	}
	return page.Section{Title: "Where it looks", Figure: p.attention(), Caption: text, Tables: []page.Table{t}}
}

func (p *Portrait) positionSection() page.Section {
	t := page.Table{Title: "The numbers", Columns: []string{"tokens seen", "KL in nats"}}
	if p.Sequences > 0 {
		t.Columns = append(t.Columns, "± s.e.")
	}
	for i, e := range p.KL {
		row := []string{strconv.Itoa(i + 1), fmt.Sprintf("%.4e", e.Mean)}
		if p.Sequences > 0 {
			row = append(row, fmt.Sprintf("%.1e", e.Error))
		}
		t.Rows = append(t.Rows, row)
	}
	return page.Section{
		Title: "How far it is from the best prediction", Figure: p.positions(),
		Caption: "The divergence from the optimal prediction to the model's after so many tokens, over " + p.sampled() +
			". Zero is the best that there is; a rise to the right says that the model makes less of a long context than " +
			"there is in it.",
		Tables: []page.Table{t},
	}
}

// addFacts adds facts about the model, its training and the words used.
func (p *Portrait) addFacts(ctx context.Context, m *Model) {
	c := m.Config()
	p.Process = p.source.Name()
	fact := func(name, value string) {
		if value != "" {
			p.Facts = append(p.Facts, page.Fact{Name: name, Value: value})
		}
	}
	if p.Curves != nil {
		p.Process = p.Curves.Runs[0].Process
	}
	fact("Model", "`"+m.Path+"`, "+networkText(c))
	fact("Process", p.Process+fmt.Sprintf(", %d tokens", p.source.Alphabet()))
	if m.Trained != nil && m.Trained.Step > 0 {
		fact("Checkpoint", fmt.Sprintf("of step %d", m.Trained.Step))
	}
	fact("Training", p.settings("train."))
	fact("Looked at", p.sampled())
	notes := m.Notes()
	if p.Curves != nil {
		notes = slices.Concat(notes, TrainingNotes(ctx, p.source, c.NCtx))
	}
	for _, note := range notes {
		fact("Note", note)
	}
}

// networkText describes the architecture and the size of a network.
func networkText(c model.Config) string {
	kind := "transformer"
	switch {
	case c.Flat():
		kind = "flat network"
	case c.Concatenates():
		kind = "disentangled transformer"
	}
	text := fmt.Sprintf("a %s of %d parameters: n_layers %d, ", kind, c.Parameters(), c.NLayers)
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
