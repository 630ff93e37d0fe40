package inspect

import (
	"fmt"
	"math"
	"slices"

	"foretell/curves"
	"foretell/document"
	"foretell/figure"
	"foretell/internal/text"
	"foretell/intervene"
)

// Ablated is the result of ablating parts of a model, ready to be shown.
type Ablated struct {
	*intervene.Damage
	Model string // the name under which the model was opened
}

// reference describes the reference of the KL, and the sequences that it is averaged
// over.
func (a *Ablated) reference() string {
	sequences := text.Count(a.Words, "sequence")
	if a.Sequences > 0 {
		sequences = fmt.Sprintf("%d sampled sequences", a.Sequences)
	}
	return fmt.Sprintf("KL in nats from %s to the model's, mean over %s of %s",
		best(a.Reference), sequences, text.Count(a.Length, "token"))
}

// replaced returns a sentence that says what replaces the ablated parts.
func (a *Ablated) replaced() string {
	return map[intervene.With]string{
		intervene.Zero:     "Parts are replaced with zeros.",
		intervene.Mean:     "Parts are replaced with their mean activation at each position.",
		intervene.Resample: "Parts are replaced with their activations on another sequence.",
	}[a.With]
}

// Labels of the two baselines with which ablated models are compared.
const (
	asItIs        = "the model as it is"
	constantGuess = "the best constant guess"
)

// ablatedRow is a row of the table: a model and its KL.
type ablatedRow struct {
	name       string
	kl, damage string
	byPosition []float64
}

// rows returns the rows of the table: the unchanged model, the model without each part,
// and the best constant guess (chance), if it is known.
func (a *Ablated) rows() []ablatedRow {
	rows := []ablatedRow{{asItIs, withError(nats(a.KL), a.KLError, "%.1g"), "", a.KLByPosition}}
	for _, p := range a.Parts {
		rows = append(rows, ablatedRow{
			"without " + p.Name, withError(nats(p.KL), p.KLError, "%.1g"),
			withError(nats(p.Damage), p.DamageError, "%.1g"), p.KLByPosition,
		})
	}
	if a.Chance != nil {
		rows = append(rows, ablatedRow{constantGuess, nats(*a.Chance), "", a.ChanceByPosition})
	}
	return rows
}

// table returns the rows as texts. If there are few positions, each has a column with its
// KL.
func (a *Ablated) table() document.Table {
	t := document.Texts("The numbers", []string{"", "KL", "damage"})
	positions := 0
	if a.Length <= mostColumns {
		positions = a.Length
	}
	for i := range positions {
		t.Columns = append(t.Columns, fmt.Sprintf("after %d", i+1))
	}
	for _, r := range a.rows() {
		cells := []string{r.name, r.kl, r.damage}
		for _, kl := range r.byPosition[:positions] {
			cells = append(cells, nats(kl))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// text returns a table: a row for the unchanged model, a row for the model without each
// part, and a row for the best constant guess (chance).
func (a *Ablated) text() []document.Section {
	s := document.Section{Text: []string{a.reference(), a.replaced()}, Tables: []document.Table{a.table()}}
	if a.Length <= mostColumns {
		s.Text = append(s.Text, "after n: KL after n tokens. Positions count from 0.")
	}
	return []document.Section{s}
}

// Limits on the number of parts that the figure draws, the most damaging first:
// mostAblated in the dot plot, mostByPosition in the plot of KL by position.
const (
	mostAblated    = 40
	mostByPosition = 4
)

// figure draws two panels. The left one shows the KL without each part, the most damaging
// first, next to the KL of the unchanged model and of the best constant guess. The right
// one shows the KL by position without each of the four most damaging parts.
func (a *Ablated) figure() *figure.Figure {
	f := figure.Row(fmt.Sprintf("%s: ablation (%s)", a.Model, a.With), a.caption(), a.dots(), a.lines())
	f.Heading, f.Notes = f.Title, []string{a.reference()}
	return f
}

func (a *Ablated) caption() string {
	left, right := "each part, the most damaging first", "each part"
	if n := len(a.Parts); n > mostAblated {
		left = fmt.Sprintf("each of the %d most damaging of %d parts", mostAblated, n)
	}
	if n := len(a.Parts); n > mostByPosition {
		right = fmt.Sprintf("each of the %d most damaging of %d parts", mostByPosition, n)
	}
	return fmt.Sprintf("%s. %s. %s Left: KL without %s. Right: KL by number of tokens seen, without %s.",
		a.Model, a.reference(), a.replaced(), left, right)
}

// axis returns the axis of KL, which is logarithmic if all values are at least 1e-12.
func (a *Ablated) axis() figure.Axis {
	const least = 1e-12
	for _, r := range a.rows() {
		if slices.Min(r.byPosition) < least {
			return figure.Axis{Label: "KL, nats"}
		}
	}
	return figure.Axis{Label: "KL, nats, logarithmic", Log: true}
}

func (a *Ablated) dots() figure.Panel {
	d := figure.Dots{X: a.axis(), Series: []figure.DotSeries{{}}}
	if !d.X.Log {
		d.X.Include = []float64{0}
	}
	for _, p := range a.Parts[:min(len(a.Parts), mostAblated)] {
		s := &d.Series[0]
		d.Groups = append(d.Groups, p.Name)
		s.X = append(s.X, p.KL)
		s.Lo = append(s.Lo, p.KL-p.KLError)
		s.Hi = append(s.Hi, p.KL+p.KLError)
	}
	d.Refs = append(d.Refs, figure.Ref{Label: asItIs, Value: a.KL, Vertical: true})
	if d.X.Log {
		d.Refs[0].Value = math.Max(a.KL, math.SmallestNonzeroFloat32)
	}
	if a.Chance != nil {
		d.Refs = append(d.Refs, figure.Ref{Label: constantGuess, Value: *a.Chance, Vertical: true})
	}
	return d
}

func (a *Ablated) lines() figure.Panel {
	c := figure.Chart{X: curves.TokensSeen, Y: a.axis()}
	add := func(name string, kl []float64, open bool) {
		c.Series = append(c.Series, figure.Series{Name: name, X: figure.Numbers(1, len(kl)), Y: kl, Open: open})
	}
	for _, p := range a.Parts[:min(len(a.Parts), mostByPosition)] {
		add("without "+p.Name, p.KLByPosition, false)
	}
	add(asItIs, a.KLByPosition, true)
	if a.Chance != nil {
		add(constantGuess, a.ChanceByPosition, true)
	}
	return c
}

// numbers returns a row for each part and position, and a row for each part's mean over
// positions, whose position is "all". Positions count from 0; tokens_seen is the position
// plus 1. The first part is the unchanged model; its column "with" is empty.
func (a *Ablated) numbers() document.Frame {
	f := document.Frame{Columns: document.Named(
		"part", "with", "position", "kl", "kl_error", "damage", "damage_error", "tokens_seen",
	)}
	add := func(part, with string, kl, klError, damage, damageError float64, byPosition []float64) {
		f.Row(part, with, "all", kl, klError, damage, damageError, "")
		for t, x := range byPosition {
			f.Row(part, with, t, x, "", x-a.KLByPosition[t], "", t+1)
		}
	}
	add(asItIs, "", a.KL, a.KLError, 0, 0, a.KLByPosition)
	for _, p := range a.Parts {
		add(p.Name, string(a.With), p.KL, p.KLError, p.Damage, p.DamageError, p.KLByPosition)
	}
	return f
}

// Forms returns the forms of the result: a table for a terminal, .svg, .csv with a row
// for each part and position, .json, and a page (.html) that names the command line.
func (a *Ablated) Forms(command string) document.Forms {
	return document.Answer{
		Text: a.text, Figure: document.Sure(a.figure), Page: document.Sure(a.page),
		Numbers: document.Sure(a.numbers), Value: a.Damage,
	}.Forms(command)
}

func (a *Ablated) page() document.Document {
	drawn := a.figure()
	return document.Document{Title: drawn.Title, Sections: []document.Section{{
		Text: []string{a.reference() + ". " + a.replaced()}, Figure: drawn,
		Caption: a.caption(), Tables: []document.Table{a.table()},
	}}}
}
