package inspect

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"foretell/document"
	"foretell/figure"
	"foretell/internal/text"
	"foretell/intervene"
	"foretell/token"
)

// Patched is the result of patching a model, ready to be shown.
type Patched struct {
	*intervene.Map
	Model string      // the name under which the model was opened
	Names token.Names // token names, or nil if tokens are numbers
}

const roundOff = 1e-9 // nats

// nats formats a KL, or the difference between two KLs, to three digits. A magnitude
// below roundOff is rounding only and is shown as <1e-9.
func nats(x float64) string {
	if math.Abs(x) < roundOff {
		return "<1e-9"
	}
	return fmt.Sprintf("%.3g", x)
}

// withError appends the standard error e to the number x, unless the error is zero.
func withError(x string, e float64, format string) string {
	if e == 0 || strings.HasPrefix(x, "<") && e < roundOff {
		return x
	}
	return x + " ± " + fmt.Sprintf(format, e)
}

// reference describes the reference of the KL, and the positions that it is averaged
// over.
func (p *Patched) reference() string {
	list := make([]string, len(p.Scored))
	for i, t := range p.Scored {
		list[i] = strconv.Itoa(t)
	}
	at := "at position " + list[0]
	if len(list) > 1 {
		at = "mean over positions " + strings.Join(list, ", ")
	}
	return fmt.Sprintf("KL in nats from %s after the clean sequence to the model's, %s (from 0)", best(p.Reference), at)
}

// best names the reference of a KL.
func best(reference string) string {
	if reference == intervene.ToModel {
		return "the model's own prediction (no process is known)"
	}
	return "the optimal prediction"
}

// words describes the clean and the corrupted sequences.
func (p *Patched) words() string {
	if p.Pairs == 1 {
		return fmt.Sprintf("clean %s; corrupted %s", p.Names.Join(p.Clean, ","), p.Names.Join(p.Corrupt, ","))
	}
	kind := "all %s of sequences of %s"
	if p.Sampled {
		kind = "%s of sampled sequences of %s"
	}
	return fmt.Sprintf(kind, text.Count(p.Pairs, "pair"), text.Count(p.Length, "token"))
}

// recovered is the formula of the values in the map.
const recovered = "(KL corrupted − KL patched)/(KL corrupted − KL clean)"

// scale explains the values of the formula [recovered].
const scale = "0: no change; 1: the same prediction as after the clean sequence"

// mostColumns is the largest number of positions that a printed table shows as columns.
const mostColumns = 12

// text returns the KL after the clean and the corrupted sequences, and the map.
func (p *Patched) text() []document.Section {
	about := document.Section{Text: []string{p.words(), p.reference()}, Facts: p.baselines()}
	found := document.Section{Text: []string{"KL with " + p.Hook + " patched"}}
	switch {
	case p.Degenerate != "":
		about.Notes = []string{p.Degenerate}
	case p.Warning != "":
		about.Notes = []string{p.Warning}
	}
	if p.Degenerate == "" {
		found.Text = []string{"recovered by patching " + p.Hook + ": " + recovered, scale}
	}
	table := p.table()
	if len(p.Positions) > mostColumns {
		table = transposed(table)
	}
	found.Tables = []document.Table{document.Texts("", table[0], table[1:]...)}
	if text := p.correlation(); text != "" {
		found.Notes = []string{"correlation of the first-order estimate with the recovered shares: " + text}
	}
	return []document.Section{about, found}
}

// baselines returns the KL without a patch.
func (p *Patched) baselines() []document.Fact {
	return []document.Fact{
		{Name: "KL, clean", Value: withError(nats(p.KLClean), p.KLCleanError, "%.1g")},
		{Name: "KL, corrupted", Value: withError(nats(p.KLCorrupt), p.KLCorruptError, "%.1g")},
	}
}

// correlation returns, as text, the correlation between the first-order estimate and the
// map, or "" if there is no estimate.
func (p *Patched) correlation() string {
	sites := text.Count(p.Compared, "site")
	switch {
	case p.Degenerate != "" || p.Rows[0].Attribution == nil:
		return ""
	case p.Correlation == nil && p.Compared == 0:
		return "undefined, because patching changes the KL nowhere"
	case p.Correlation == nil:
		return fmt.Sprintf("undefined, because patching changes the KL at only %s", sites)
	}
	return fmt.Sprintf("%.4f over %s that change the KL", *p.Correlation, sites)
}

// table returns the map as cells, a row for each layer or head and a column for each
// position.
func (p *Patched) table() [][]string {
	head := []string{"position, from 0"}
	for _, t := range p.Positions {
		head = append(head, strconv.Itoa(t))
	}
	table := [][]string{append(head, "all")}
	if p.Clean != nil {
		table = append(table, p.tokens("clean", p.Clean), p.tokens("corrupted", p.Corrupt))
	}
	for _, r := range p.Rows {
		row, estimate := []string{r.Name}, []string{"  first order"}
		for i := range p.Positions {
			if p.Degenerate != "" {
				row = append(row, nats(r.KL[i]))
				continue
			}
			row = append(row, share(r.Recovered[i], at(r.RecoveredError, i)))
			if r.Attribution != nil {
				estimate = append(estimate, share(r.Attribution[i], nil))
			}
		}
		table = append(table, append(row, whole(r.Whole)))
		if r.Attribution != nil {
			table = append(table, append(estimate, share(*r.Whole.Attribution, nil)))
		}
	}
	return table
}

// tokens returns a row of the table: the given name, and a sequence's tokens at the
// patched positions.
func (p *Patched) tokens(name string, word []int32) []string {
	row := []string{name}
	for _, t := range p.Positions {
		row = append(row, p.Names.Of(word[t]))
	}
	return append(row, "")
}

// share formats the share x, followed by its standard error unless that is nil.
func share(x float64, standardError *float64) string {
	text := strconv.FormatFloat(x, 'f', 3, 64)
	switch {
	case x == 0:
		text = "0" // exactly 0
	case text == "-0.000":
		text = "0.000"
	}
	switch e := standardError; {
	case e == nil:
		return text
	case *e < 0.0005:
		return withError(text, *e, "%.0g")
	default:
		return withError(text, *e, "%.3f")
	}
}

// whole returns the cell for patching all positions at once.
func whole(w intervene.Whole) string {
	if w.Recovered == nil {
		return nats(w.KL)
	}
	return share(*w.Recovered, w.RecoveredError)
}

func transposed(table [][]string) [][]string {
	turned := make([][]string, len(table[0]))
	for _, row := range table {
		for j, cell := range row {
			turned[j] = append(turned[j], cell)
		}
	}
	return turned
}

// figure draws the map, a row for each layer or head and a column for each position, and
// next to it the first-order estimate if there is one.
func (p *Patched) figure() *figure.Figure { return p.figureOf(p.panels()...) }

// panels returns a panel with the map and, if there is one, a panel with the first-order
// estimate. If there is nothing to recover, it returns only a panel with the KL.
func (p *Patched) panels() []figure.Panel {
	recovered := func(r intervene.MapRow) []float64 { return r.Recovered }
	estimate := func(r intervene.MapRow) []float64 { return r.Attribution }
	switch {
	case p.Degenerate != "":
		return []figure.Panel{p.panel("", func(r intervene.MapRow) []float64 { return r.KL })}
	case p.Rows[0].Attribution == nil:
		return []figure.Panel{p.panel("", recovered)}
	}
	return []figure.Panel{p.panel("recovered", recovered), p.panel("first-order estimate", estimate)}
}

// figureOf returns a figure of maps side by side.
func (p *Patched) figureOf(panels ...figure.Panel) *figure.Figure {
	const margin, cell, least, most = 130, 44, 330, 1100 // points
	title := fmt.Sprintf("%s: patching %s", p.Model, p.Hook)
	notes := []string{p.words()}
	if p.Warning != "" {
		notes = append(notes, p.Warning)
	}
	return &figure.Figure{
		Title: title, Desc: p.caption(), Heading: title, Notes: notes, Panels: [][]figure.Panel{panels},
		Width: float64(min(most, len(panels)*max(least, margin+cell*len(p.Positions)))),
	}
}

// farthest returns the largest absolute share in the map, at least 1. It is the end of
// the colour scale, so that maps can be compared.
func (p *Patched) farthest() float64 {
	most := 1.0
	for _, r := range p.Rows {
		for _, x := range slices.Concat(r.Recovered, r.Attribution) {
			most = max(most, math.Abs(x))
		}
	}
	return most
}

// caption explains how to read the figure.
func (p *Patched) caption() string {
	what := "the recovered share, " + recovered + ", when the model's " + p.Hook + " at a position of the corrupted " +
		"sequence is replaced by its value on the clean sequence: 1 means the same prediction as after the clean " +
		"sequence, 0 no change, and less than 0 a prediction further away"
	if p.Degenerate != "" {
		what = "the KL with the model's " + p.Hook + " patched. " + p.Degenerate
	}
	if p.Warning != "" {
		what += ". But " + p.Warning
	}
	return fmt.Sprintf("%s; %s. %s: %s clean, %s corrupted. Colours and cells show %s.",
		p.Model, p.words(), p.reference(), nats(p.KLClean), nats(p.KLCorrupt), what)
}

func (p *Patched) panel(title string, values func(intervene.MapRow) []float64) figure.Panel {
	m := figure.HeatMap{
		Title: title, X: "position, from 0", Label: "recovered", Diverging: p.Degenerate == "",
		Range: [2]float64{-p.farthest(), p.farthest()},
	}
	if p.Degenerate != "" {
		m.Label, m.Range = "KL, nats", [2]float64{}
	}
	for _, r := range p.Rows {
		m.Z = append(m.Z, values(r))
		m.Rows = append(m.Rows, r.Name)
	}
	for i := range p.Positions {
		m.Cols = append(m.Cols, p.column(i))
	}
	if p.Clean != nil {
		m.X = "position, from 0: token, or clean/corrupted where they differ"
	}
	return m
}

// column returns the name of a position, with its tokens if there is one pair.
func (p *Patched) column(i int) string {
	t := p.Positions[i]
	if p.Clean == nil {
		return strconv.Itoa(t)
	}
	name := p.Names.Of(p.Clean[t])
	if p.Clean[t] != p.Corrupt[t] {
		name += "/" + p.Names.Of(p.Corrupt[t])
	}
	return fmt.Sprintf("%d: %s", t, name)
}

// numbers returns a row for each layer or head and position. A further row for each layer
// or head, with an empty position, is for patching all positions at once. Numbers that do
// not exist, such as the recovered share if there is nothing to recover, are empty cells.
func (p *Patched) numbers() document.Frame {
	f := document.Frame{Columns: document.Named(
		"name", "hook", "layer", "head", "position", "clean", "corrupt", "kl_clean", "kl_corrupt", "kl",
		"recovered", "recovered_error", "attribution",
	)}
	for _, r := range p.Rows {
		var head any = ""
		if r.Head != intervene.All {
			head = r.Head
		}
		for i, t := range p.Positions {
			clean, corrupt := "", ""
			if p.Clean != nil {
				clean, corrupt = p.Names.Of(p.Clean[t]), p.Names.Of(p.Corrupt[t])
			}
			f.Row(r.Name, p.Hook, r.Layer, head, t, clean, corrupt, p.KLClean, p.KLCorrupt, r.KL[i],
				at(r.Recovered, i), at(r.RecoveredError, i), at(r.Attribution, i))
		}
		all := r.Whole
		f.Row(r.Name, p.Hook, r.Layer, head, "", "", "", p.KLClean, p.KLCorrupt, all.KL,
			all.Recovered, all.RecoveredError, all.Attribution)
	}
	return f
}

// at returns a pointer to entry i of a list, or nil if the list has no such entry.
func at(list []float64, i int) *float64 {
	if i >= len(list) {
		return nil
	}
	return &list[i]
}

// Forms returns the forms of the map: a table for a terminal, .svg, .csv with a row for
// each layer or head and position, .json, and a page (.html) that names the command line.
func (p *Patched) Forms(command string) document.Forms {
	return document.Answer{
		Text: p.text, Figure: document.Sure(p.figure), Page: document.Sure(p.page),
		Numbers: document.Sure(p.numbers), Value: p.Map,
	}.Forms(command)
}

func (p *Patched) page() document.Document {
	facts := append([]document.Fact{
		{Name: "sequences", Value: p.words()}, {Name: "scored", Value: p.reference()},
	}, p.baselines()...)
	if p.Warning != "" {
		facts = append(facts, document.Fact{Name: "warning", Value: p.Warning})
	}
	if text := p.correlation(); text != "" {
		facts = append(facts, document.Fact{Name: "correlation of the estimate", Value: text})
	}
	panels := p.panels()
	drawn := p.figureOf(panels[0])
	made := document.Document{Title: drawn.Title, Sections: []document.Section{
		{Facts: facts, Figure: drawn, Caption: p.caption()},
	}}
	if len(panels) > 1 { // one below the other, to be readable on a phone
		made.Sections = append(made.Sections, document.Section{
			Figure: p.figureOf(panels[1]), Caption: estimateCaption,
		})
	}
	table, last := p.table(), &made.Sections[len(made.Sections)-1]
	last.Tables = []document.Table{document.Texts("The numbers", table[0], table[1:]...)}
	return made
}

// estimateCaption explains how to read the map of estimates.
const estimateCaption = "The first-order estimate of the same map, in the same colours: the change of the activation " +
	"times the gradient of the KL with respect to it, on the corrupted sequence. One backward pass computes all " +
	"cells. Cells that differ from the map above show where the model is not linear in the change."
