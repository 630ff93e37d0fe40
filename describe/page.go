package describe

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"foretell/document"
	"foretell/figure"
)

// page returns a page of everything known about a process: its picture, its floor, every
// other drawing that exists, parameters and facts. It returns an error if a figure cannot
// be drawn.
func (d *Description) page(ctx context.Context, s Subject) (document.Document, error) {
	p := document.Document{Title: d.Name, Subtitle: d.Summary}
	picture, err := Picture(ctx, s)
	if err != nil {
		return p, err
	}
	p.Sections = append(p.Sections, s.section(picture))
	if known, err := s.Optimum(); err == nil {
		if f, err := Floor(ctx, s, FloorPositions(known)); err == nil { // else the floor exceeds the budget
			p.Sections = append(p.Sections, f.section())
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
	return p, nil
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
		Title: strings.ToUpper(title[:1]) + title[1:], Figure: f, Caption: strings.Join(notes, " "),
	}
}

// facts returns the section of parameters and facts.
func (d *Description) facts() document.Section {
	s := document.Section{Title: "Parameters and facts"}
	add := func(name, value string) { s.Facts = append(s.Facts, fact(name, value)) }
	for _, p := range d.Parameters {
		add(p.Name, fmt.Sprintf("%s, in %s: %s", ValueText(p.Value), p.Range, p.Summary))
	}
	s.Facts = append(s.Facts, termFacts(d.LimitFacts())...)
	s.Facts = append(s.Facts, termFacts(slices.Concat(d.beliefFacts(), d.notComputed()))...)
	for _, note := range problemLines(d.Notes) {
		add("note", note)
	}
	for _, f := range []document.Frame{d.longRun(), d.transitions()} {
		if len(f.Rows) > 0 && len(f.Rows) <= mostRows {
			s.Tables = append(s.Tables, f.Table())
		}
	}
	return s
}

// termFacts returns facts for a table with a narrow column of names. Of a name such as
// "what it is (term)" only the term remains; the rest moves to the beginning of the text.
func termFacts(facts []document.Fact) (list []document.Fact) {
	for _, f := range facts {
		name, value := strings.TrimSpace(f.Name), f.Value
		if plain, term, ok := strings.Cut(name, " ("); ok {
			name, value = strings.TrimSuffix(term, ")"), plain+": "+value
		}
		if last := len(list) - 1; name == "" && last >= 0 { // a fact without a name continues the one before it
			list[last].Value += "; " + value
			continue
		}
		list = append(list, fact(name, value))
	}
	return list
}

// longRun returns a table of the stationary distribution over states, or over tokens if
// there are no states. For a generalised process it adds the right vector r.
func (d *Description) longRun() document.Frame {
	what := d.States
	f := document.Frame{Title: "In the long run", Columns: []document.Column{
		{Heading: "state"}, {Heading: "stationary distribution", Format: "%.6f"}, {Format: "%.6f"},
	}}
	if what == nil {
		what, f.Columns[0].Heading = d.Tokens, "token"
	}
	if d.Generalised {
		f.Columns[2].Heading = "right vector r"
	}
	if d.Stationary == nil {
		return f
	}
	for i, name := range what {
		var right any = ""
		if d.Right != nil {
			right = d.Right[i]
		}
		f.Row(name, d.Stationary[i], right)
	}
	return f
}

// fading returns the section on how memory decays: the spectrum of the transition matrix
// T and the linear filter.
func (d *Description) fading() document.Section {
	s := document.Section{Title: "How memory decays"}
	if d.Spectrum != nil {
		s.Text = []string{
			"The eigenvalues λ of the transition matrix T, and the attention to lag n with which one layer tracks each.",
		}
		s.Facts = append(s.Facts, fact("heads needed", d.Spectrum.needed().Value))
		s.Tables = append(s.Tables, d.Spectrum.modes(""))
		if d.Spectrum.Predicted != nil {
			s.Tables = append(s.Tables, d.Spectrum.profiles())
		}
	}
	s.Facts = append(s.Facts, termFacts(d.LinearFacts())...)
	return s
}

// profiles returns a table of the predicted heads' attention, with a row for each lag.
func (s *Spectrum) profiles() document.Table {
	f := document.Frame{Title: "Attention of the heads, by lag", Columns: []document.Column{{Heading: "lag"}}}
	for lag := range attendedPositions {
		row := []any{lag}
		for i, head := range s.Predicted {
			if lag == 0 {
				f.Columns = append(f.Columns, document.Column{Heading: fmt.Sprintf("head %d", i), Format: "%.6f"})
			}
			row = append(row, head.byLag()[lag])
		}
		f.Row(row...)
	}
	return f.Table()
}

// page returns the floor as a page: its picture, its table, and what it is compared with.
func (f *Floors) page() document.Document {
	of, section := f.of, f.section()
	section.Facts = append(section.Facts,
		fact("entropy rate", fmt.Sprintf("%s nats (± %.1g)", sixDigits(f.EntropyRate), f.EntropyRateError)),
		fact("chance", sixDigits(f.Chance)+" nats"+f.ChanceOf))
	for _, param := range of.Entry.Params {
		section.Facts = append(section.Facts, fact(param.Name, ValueText(of.Params[param.Name])+", "+param.Summary))
	}
	return document.Document{
		Title: f.Process + ": the lowest possible loss", Subtitle: of.Entry.Summary,
		Sections: []document.Section{section},
	}
}

// section returns the floor with its picture and its table.
func (f *Floors) section() document.Section {
	table := document.Frame{Title: "The floor by position", Columns: document.Headed("", "position, from 1", "nats")}
	for t, h := range f.Floor {
		table.Row(t+1, sixDigits(h)+f.ErrorText(t))
	}
	s := f.of.section(f.Figure())
	s.Tables = []document.Table{table.Table()}
	return s
}
