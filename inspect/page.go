package inspect

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"foretell/document"
	"foretell/figure"
)

// HTML returns a self-contained page of everything known about a process: its picture,
// its floor, every other drawing that exists, parameters and facts. It returns an error
// if a figure cannot be drawn.
func (d *Description) HTML(ctx context.Context, s Subject) ([]byte, error) {
	p := document.Document{Title: d.Name, Subtitle: d.Summary}
	picture, err := Picture(ctx, s)
	if err != nil {
		return nil, err
	}
	p.Sections = append(p.Sections, s.section(picture))
	if known, err := s.Optimum(); err == nil {
		if f, err := Floor(ctx, known, FloorPositions(known)); err == nil { // else the floor exceeds the budget
			p.Sections = append(p.Sections, f.section(s))
		}
	}
	for _, what := range Drawings() {
		if f, err := Draw(ctx, s, what); err == nil && f.Title != picture.Title { // else nothing to draw
			p.Sections = append(p.Sections, s.section(f))
		}
	}
	p.Sections = append(p.Sections, d.facts())
	if d.Spectrum != nil || len(d.LinearFacts()) > 0 {
		p.Sections = append(p.Sections, d.fading())
	}
	return p.HTML()
}

// section returns a section with a figure. It moves the figure's heading and notes to the
// page, which shows the name and the parameters elsewhere.
func (s Subject) section(f *figure.Figure) document.Section {
	notes := f.Notes
	if s.ParamsText() != "" {
		notes = notes[1:]
	}
	_, title, _ := strings.Cut(f.Heading, ": ")
	return document.Section{
		Title: strings.ToUpper(title[:1]) + title[1:], Figure: withoutHeading(f), Caption: strings.Join(notes, " "),
	}
}

// facts returns the section of parameters and facts.
func (d *Description) facts() document.Section {
	s := document.Section{Title: "Parameters and facts"}
	add := func(name, value string) { s.Facts = append(s.Facts, document.Fact{Name: name, Value: value}) }
	for _, p := range d.Parameters {
		add(p.Name, fmt.Sprintf("%s, in %s: %s", ValueText(p.Value), p.Range, p.Summary))
	}
	s.Facts = append(s.Facts, termFacts(d.LimitFacts())...)
	s.Facts = append(s.Facts, termFacts(slices.Concat(d.beliefFacts(), d.notComputed()))...)
	for _, note := range problemLines(d.Notes) {
		add("note", note)
	}
	for _, table := range []document.Table{d.longRun(), d.transitions(rounded)} {
		if len(table.Rows) > 0 && len(table.Rows) <= mostRows {
			s.Tables = append(s.Tables, table)
		}
	}
	return s
}

// termFacts returns facts for a table with a narrow column of names. Of a name such as
// "what it is (term)" only the term remains; the rest moves to the beginning of the text.
func termFacts(facts []Fact) (list []document.Fact) {
	for _, f := range facts {
		name, value := strings.TrimSpace(f.Name), f.Text
		if plain, term, ok := strings.Cut(name, " ("); ok {
			name, value = strings.TrimSuffix(term, ")"), plain+": "+value
		}
		if last := len(list) - 1; name == "" && last >= 0 { // a fact without a name continues the one before it
			list[last].Value += "; " + value
			continue
		}
		list = append(list, document.Fact{Name: name, Value: value})
	}
	return list
}

// longRun returns a table of the stationary distribution over states, or over tokens if
// there are no states. For a generalised process it adds the right vector r.
func (d *Description) longRun() document.Table {
	what := d.States
	t := document.Table{Title: "In the long run", Columns: []string{"state"}}
	if what == nil {
		what, t.Columns[0] = d.Tokens, "token"
	}
	columns := [][]float64{d.Stationary}
	t.Columns = append(t.Columns, "stationary distribution")
	if d.Generalised {
		columns = append(columns, d.Right)
		t.Columns = append(t.Columns, "right vector r")
	}
	if d.Stationary == nil {
		return document.Table{}
	}
	for i, name := range what {
		row := []string{name}
		for _, column := range columns {
			row = append(row, sixDigits(column[i]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// fading returns the section on how memory decays: the spectrum of the transition matrix
// T and the linear filter.
func (d *Description) fading() document.Section {
	s := document.Section{Title: "How memory decays"}
	if d.Spectrum != nil {
		s.Text = []string{
			"The eigenvalues λ of the transition matrix T, and the attention to lag n with which one layer tracks each.",
		}
		s.Facts = append(s.Facts, document.Fact{Name: "heads needed", Value: d.Spectrum.needed().Text})
		s.Tables = append(s.Tables, d.Spectrum.modes())
		if d.Spectrum.Predicted != nil {
			s.Tables = append(s.Tables, d.Spectrum.profiles())
		}
	}
	s.Facts = append(s.Facts, termFacts(d.LinearFacts())...)
	return s
}

// modes returns a table with a row for each eigenvalue.
func (s *Spectrum) modes() document.Table {
	t := document.Table{
		Title:   "The spectrum of T",
		Columns: []string{"eigenvalue λ", "times", "|λ|", "phase", "index", "heads", "attention to lag n"},
	}
	for _, m := range s.Modes {
		t.Rows = append(t.Rows, m.cells())
	}
	return t
}

// profiles returns a table of the predicted heads' attention, with a row for each lag.
func (s *Spectrum) profiles() document.Table {
	t := document.Table{Title: "Attention of the heads, by lag", Columns: []string{"lag"}}
	for i, head := range s.Predicted {
		t.Columns = append(t.Columns, fmt.Sprintf("head %d", i))
		for lag, a := range head.byLag() {
			if i == 0 {
				t.Rows = append(t.Rows, []string{strconv.Itoa(lag)})
			}
			t.Rows[lag] = append(t.Rows[lag], sixDigits(a))
		}
	}
	return t
}

// HTML returns the floor as a self-contained page: its picture, its table, and what it is
// compared with. It returns an error if the figure cannot be drawn.
func (f *Floors) HTML(of Subject) ([]byte, error) {
	section := f.section(of)
	section.Facts = append(section.Facts,
		document.Fact{
			Name: "entropy rate", Value: fmt.Sprintf("%s nats (± %.1g)", sixDigits(f.EntropyRate), f.EntropyRateError),
		},
		document.Fact{Name: "chance", Value: sixDigits(f.Chance) + " nats" + f.ChanceOf})
	for _, param := range of.Entry.Params {
		value := ValueText(of.Params[param.Name]) + ", " + param.Summary
		section.Facts = append(section.Facts, document.Fact{Name: param.Name, Value: value})
	}
	p := document.Document{
		Title: of.Process.Name() + ": the lowest possible loss", Subtitle: of.Entry.Summary,
		Sections: []document.Section{section},
	}
	return p.HTML()
}

// section returns the floor with its picture and its table.
func (f *Floors) section(of Subject) document.Section {
	s := of.section(f.Figure(of))
	s.Tables = []document.Table{f.table()}
	return s
}

// table returns the floor by position.
func (f *Floors) table() document.Table {
	t := document.Table{Title: "The floor by position", Columns: []string{"position, from 1", "nats"}}
	for i, h := range f.Floor {
		t.Rows = append(t.Rows, []string{strconv.Itoa(i + 1), sixDigits(h) + f.ErrorText(i)})
	}
	return t
}
