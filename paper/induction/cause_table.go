package induction

import (
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/seeds"
)

func (m causes) tabulate(c *claim.Claim) {
	c.Tables = append(c.Tables, m.agreements(), m.nats())
}

// agreements returns the table with a row for each model.
func (m causes) agreements() document.Table {
	var names []string
	for _, iv := range applied {
		names = append(names, iv.name+": same lag", "another lag")
	}
	table := document.Frame{
		Title: fmt.Sprintf("agreement with the construction in following a lag, positions %d to T: 1 as often as the "+
			"construction, 0 as often as without evidence", judgedFrom),
		Columns: slices.Concat(document.Headed("", "model"), document.Headed("%.3f", "nothing replaced"),
			document.Headed("%.2f", names...), document.Headed("", "outcome", "converged")),
	}
	m.each(func(name string, one claim.Seeded[causing]) {
		row := []any{name, one.Found.selects()}
		for i := range applied {
			same, other := one.Found.response(i)
			row = append(row, same, other)
		}
		table.Row(append(row, string(one.Found.outcome()), claim.IfConverged(one.Unconverged))...)
	})
	return table.Table()
}

// each calls a function with each model and its name.
func (m causes) each(f func(name string, one claim.Seeded[causing])) {
	for _, kind := range m.kinds {
		for _, one := range kind.Models {
			f(fmt.Sprintf("%s, seed %d", kind.Name, one.Seed), one)
		}
	}
}

// nats returns the table of the cost of replaced attention, and of where layer 3 looks
// after a swap.
func (m causes) nats() document.Table {
	table := document.Frame{
		Title: "D_KL(BMA ‖ model) in nats, and by how much the construction's attention changes it; share of " +
			"positions at which layer 3 attends most to the token of the true lag, or of the donor's",
		Columns: slices.Concat(document.Headed("", "model"), document.Headed("%.3f", "nothing replaced"),
			document.Headed("%+.3f", "layer 1, this sequence", "layer 1, another lag", "layer 3, this sequence",
				"layer 3, another lag"),
			document.Headed("%.2f", "attends to the true lag", "to the donor's, nothing replaced",
				"after its output of layer 1", "after its output of layer 2")),
	}
	row := func(name string, e effects) {
		above := e.own.above
		table.Row(name, above, e.by[0].same.above-above, e.by[0].other.above-above, e.by[3].same.above-above,
			e.by[3].other.above-above, e.own.looks, e.before.looks, e.by[1].other.looks, e.by[2].other.looks)
	}
	m.each(func(name string, one claim.Seeded[causing]) { row(name, one.Found.effects) })
	for _, built := range m.built {
		row("construction, "+built.label(), built.effects)
	}
	return table.Table()
}

// label names the problem of a construction.
func (b builtBy) label() string { return fmt.Sprintf("lags %s, T = %d", b.task, b.context) }

func (m causes) draw(out *claim.Output) {
	of := figure.HeatMap{
		Label: "agreement, the smaller of two", Diverging: true, Range: [2]float64{-1, 1},
		Cols: []string{"–", "A1", "O1", "O2", "A3", "A1: 1/P"},
		X:    "what is replaced: attention (A) or output (O) of a layer",
	}
	for _, kind := range m.kinds {
		row := []float64{seeds.Mean(kind.All(causing.selects))}
		for i := range applied {
			row = append(row, seeds.Mean(kind.All(func(m causing) float64 { return m.least(i) })))
		}
		of.Z = append(of.Z, row)
		of.Rows = append(of.Rows, strings.NewReplacer("lags ", "", "heads ", "").Replace(kind.Name))
	}
	f := figure.Single("Interventions that decide the lag in the construction",
		"A row for each kind of model, a column for each intervention: agreement with the construction.", of)
	f.Width = 480
	out.Figure("interventions", f)
	out.CSV("interventions", m.frame())
}

func (m causes) frame() document.Frame {
	var names []string
	for _, iv := range applied {
		names = append(names, iv.name)
	}
	f := document.Frame{Columns: []document.Column{
		{Name: "model", Meaning: "the kind of model, by its order in the table, from 1"},
		{Name: "seed"},
		{Name: "intervention", Meaning: "what is replaced", Codes: names},
		{Name: "wanted_other", Meaning: "1 if the activation is of a sequence with another lag, 0 if of the same lag"},
		{Name: "follows", Meaning: "share of predictions that follow the lag from which the activation is"},
		{Name: "follows_constructed", Meaning: "the same for the construction"},
		{Name: "follows_by_chance", Meaning: "the same for an observer without evidence"},
		{Name: "looks", Meaning: "share of positions at which layer 3 attends most to the token of that lag"},
		{Name: "kl_from_bma", Meaning: "D_KL(BMA ‖ model) after the intervention, nats"},
	}}
	for i, kind := range m.kinds {
		for _, one := range kind.Models {
			built := one.Found.built
			for j, e := range one.Found.all() {
				by := built.all()[j]
				for other, r := range [][2]reading{{e.same, by.same}, {e.other, by.other}} {
					f.Row(i+1, one.Seed, j, other, r[0].follows, r[1].follows, built.chance, r[0].looks, r[0].above)
				}
			}
		}
	}
	return f
}
