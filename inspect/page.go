package inspect

import (
	"fmt"
	"strconv"
	"strings"

	"foretell/figure"
	"foretell/internal/page"
)

// HTML writes what is known of a process as a page that needs no other file: its picture,
// its floor, every other drawing that there is, parameters and facts. It is an error when
// a figure cannot be drawn.
func (d *Description) HTML(s Subject) ([]byte, error) {
	p := page.Page{Title: d.Name, Subtitle: d.Summary}
	picture, err := Picture(s)
	if err != nil {
		return nil, err
	}
	p.Sections = append(p.Sections, s.section(picture))
	if f, err := Floor(s.Process, FloorPositions(s.Process)); err == nil { // else it is beyond any budget
		p.Sections = append(p.Sections, f.section(s))
	}
	for _, what := range Drawings() {
		if f, err := Draw(s, what); err == nil && f.Title != picture.Title { // else there is nothing to draw
			p.Sections = append(p.Sections, s.section(f))
		}
	}
	p.Sections = append(p.Sections, d.facts())
	return p.HTML()
}

// section shows a figure, whose heading and notes become those of the page, which has the
// name and the parameters elsewhere.
func (s Subject) section(f *figure.Figure) page.Section {
	notes := f.Notes
	if s.ParamsText() != "" {
		notes = notes[1:]
	}
	_, title, _ := strings.Cut(f.Heading, ": ")
	return page.Section{
		Title: strings.ToUpper(title[:1]) + title[1:], Figure: withoutHeading(f), Caption: strings.Join(notes, " "),
	}
}

// facts is the section of parameters and of what is known without a picture.
func (d *Description) facts() page.Section {
	s := page.Section{Title: "Parameters and facts"}
	add := func(name, value string) { s.Facts = append(s.Facts, page.Fact{Name: name, Value: value}) }
	for _, p := range d.Parameters {
		add(p.Name, fmt.Sprintf("%s, in %s: %s", ValueText(p.Value), p.Range, p.Summary))
	}
	for _, f := range append(d.LimitFacts(), d.beliefFacts()...) {
		if plain, term, ok := strings.Cut(f.Name, " ("); ok { // whose column is narrow
			f = Fact{strings.TrimSuffix(term, ")"), plain + ": " + f.Text}
		}
		add(f.Name, f.Text)
	}
	for _, note := range problemLines(d.Notes) {
		add("note", note)
	}
	if table := d.transitions(); len(table.Rows) > 0 && len(table.Rows) <= mostRows {
		s.Tables = []page.Table{table}
	}
	return s
}

// HTML writes the floor as a page that needs no other file: its picture, its table, and
// what it stands beside. It is an error when the figure cannot be drawn.
func (f *Floors) HTML(of Subject) ([]byte, error) {
	section := f.section(of)
	section.Facts = append(section.Facts,
		page.Fact{Name: "entropy rate", Value: fmt.Sprintf("%s nats (± %.1g)", sixDigits(f.EntropyRate), f.EntropyRateError)},
		page.Fact{Name: "chance", Value: sixDigits(f.Chance) + " nats" + f.ChanceOf})
	for _, param := range of.Entry.Params {
		value := ValueText(of.Params[param.Name]) + ", " + param.Summary
		section.Facts = append(section.Facts, page.Fact{Name: param.Name, Value: value})
	}
	p := page.Page{
		Title: of.Process.Name() + ": the least possible loss", Subtitle: of.Entry.Summary, Sections: []page.Section{section},
	}
	return p.HTML()
}

// section is the floor with its picture and its table.
func (f *Floors) section(of Subject) page.Section {
	s := of.section(f.Figure(of))
	s.Tables = []page.Table{f.table()}
	return s
}

// table is the floor by position.
func (f *Floors) table() page.Table {
	t := page.Table{Title: "The floor by position", Columns: []string{"position, from 1", "nats"}}
	for i, h := range f.Floor {
		t.Rows = append(t.Rows, []string{strconv.Itoa(i + 1), sixDigits(h) + f.ErrorText(i)})
	}
	return t
}
