package inspect

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"foretell/document"
	"foretell/figure"
	"foretell/internal/csvtable"
	"foretell/internal/plural"
	"foretell/internal/printable"
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
	best := "the optimal prediction"
	if a.Reference == intervene.ToModel {
		best = "the model's own prediction (no process is known)"
	}
	sequences := plural.Count(a.Words, "sequence")
	if a.Sequences > 0 {
		sequences = fmt.Sprintf("%d sampled sequences", a.Sequences)
	}
	return fmt.Sprintf("KL in nats from %s to the model's, mean over %s of %s",
		best, sequences, plural.Count(a.Length, "token"))
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

// table returns the rows as cells under a header. If there are few positions, each has a
// column with its KL.
func (a *Ablated) table() [][]string {
	table := [][]string{{"", "KL", "damage"}}
	for t := 0; t < a.Length && a.Length <= mostColumns; t++ {
		table[0] = append(table[0], fmt.Sprintf("after %d", t+1))
	}
	for _, r := range a.rows() {
		cells := []string{r.name, r.kl, r.damage}
		for t := 0; t < a.Length && a.Length <= mostColumns; t++ {
			cells = append(cells, nats(r.byPosition[t]))
		}
		table = append(table, cells)
	}
	return table
}

// Print writes a table: a row for the unchanged model, a row for the model without each
// part, and a row for the best constant guess (chance). Tabs separate the cells.
func (a *Ablated) Print(w io.Writer) {
	printable.Fprintf(w, "%s\n%s\n", a.reference(), a.replaced())
	if a.Length <= mostColumns {
		printable.Fprintf(w, "after n: KL after n tokens. Positions count from 0.\n")
	}
	printTable(w, a.table())
}

// Limits on the number of parts that the figure draws, the most damaging first:
// mostAblated in the dot plot, mostByPosition in the plot of KL by position.
const (
	mostAblated    = 40
	mostByPosition = 4
)

// Figure draws two panels. The left one shows the KL without each part, the most damaging
// first, next to the KL of the unchanged model and of the best constant guess. The right
// one shows the KL by position without each of the four most damaging parts.
func (a *Ablated) Figure() *figure.Figure {
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
	if a.logarithmic() {
		return figure.Axis{Label: "KL, nats, logarithmic", Log: true}
	}
	return figure.Axis{Label: "KL, nats"}
}

// logarithmic reports whether every KL is at least 1e-12, so that a logarithmic axis can
// show it.
func (a *Ablated) logarithmic() bool {
	const least = 1e-12
	for _, r := range a.rows() {
		for _, kl := range r.byPosition {
			if kl < least {
				return false
			}
		}
	}
	return true
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
	c := figure.Chart{
		X: tokensSeen, Y: a.axis(),
	}
	add := func(name string, kl []float64, open bool) {
		c.Series = append(c.Series, figure.Series{Name: name, X: counted(len(kl)), Y: kl, Open: open})
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

// CSV returns a row for each part and position, and a row for each part's mean over
// positions, whose position is "all". Positions count from 0; tokens_seen is the position
// plus 1. The first part is the unchanged model; its column "with" is empty.
func (a *Ablated) CSV() ([]byte, error) {
	rows := [][]string{{"part", "with", "position", "kl", "kl_error", "damage", "damage_error", "tokens_seen"}}
	add := func(part string, kl, klError, damage, damageError float64, byPosition, base []float64) {
		with := string(a.With)
		if part == asItIs {
			with = ""
		}
		rows = append(rows, []string{
			part, with, "all", exact(kl), exact(klError), exact(damage), exact(damageError), "",
		})
		for t, x := range byPosition {
			rows = append(rows, []string{
				part, with, strconv.Itoa(t), exact(x), "", exact(x - base[t]), "", strconv.Itoa(t + 1),
			})
		}
	}
	add(asItIs, a.KL, a.KLError, 0, 0, a.KLByPosition, a.KLByPosition)
	for _, p := range a.Parts {
		add(p.Name, p.KL, p.KLError, p.Damage, p.DamageError, p.KLByPosition, a.KLByPosition)
	}
	return csvtable.Bytes(rows)
}

// Write returns the result in the format of a file extension: .svg is the figure, .html a
// self-contained page that names the command line, .csv the numbers, and .json
// everything. Any other extension is an error.
func (a *Ablated) Write(ending, command string) ([]byte, error) {
	draw := func() (*figure.Figure, error) { return a.Figure(), nil }
	html := func() ([]byte, error) { return a.page(command).HTML() }
	return written(ending, draw, html, a.CSV, a.Damage)
}

func (a *Ablated) page(command string) document.Document {
	table, drawn := a.table(), a.Figure()
	return document.Document{Title: drawn.Title, Subtitle: "Made by `" + command + "`", Sections: []document.Section{{
		Text: []string{a.reference() + ". " + a.replaced()}, Figure: withoutHeading(drawn),
		Caption: a.caption(),
		Tables:  []document.Table{{Title: "The numbers", Columns: table[0], Rows: table[1:]}},
	}}}
}
