package inspect

import (
	"fmt"
	"strconv"
	"strings"

	"foretell/figure"
	"foretell/internal/page"
	"foretell/process"
)

const (
	pagePositions = 10   // of the floor
	mostRows      = 2000 // of the table of transitions
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
	if f, err := FloorAsFar(s.Process, pagePositions); err == nil { // else it is beyond the budget
		floor := s.section(f.Figure(s))
		floor.Tables = []page.Table{f.table()}
		p.Sections = append(p.Sections, floor)
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
	shown := *f
	shown.Heading, shown.Notes = "", nil
	notes := f.Notes
	if s.ParamsText() != "" {
		notes = notes[1:]
	}
	_, title, _ := strings.Cut(f.Heading, ": ")
	return page.Section{
		Title: strings.ToUpper(title[:1]) + title[1:], Figure: &shown, Caption: strings.Join(notes, " "),
	}
}

// facts is the section of parameters and of what is known without a picture.
func (d *Description) facts() page.Section {
	s := page.Section{Title: "Parameters and facts"}
	add := func(name, value string) { s.Facts = append(s.Facts, page.Fact{Name: name, Value: value}) }
	for _, p := range d.Parameters {
		add(p.Name, fmt.Sprintf("%s, in %s: %s", process.FormatValue(p.Value), p.Range, p.Summary))
	}
	facts := d.LimitFacts()
	if b := d.Beliefs; b != nil {
		facts = append(facts, Fact{"beliefs", fmt.Sprintf("%d recurrent, %d transient", b.Recurrent, b.Transient)})
	} else {
		facts = append(facts, Fact{"beliefs", d.BeliefsError})
	}
	for _, f := range facts {
		add(f.Name, f.Text)
	}
	for _, n := range d.Notes {
		add("note", n.Text)
	}
	if table := d.transitions(); len(table.Rows) > 0 && len(table.Rows) <= mostRows {
		s.Tables = []page.Table{table}
	}
	return s
}

// transitions are the entries of the matrices that are not 0.
func (d *Description) transitions() page.Table {
	t := page.Table{Title: "Transitions", Columns: []string{"from", "to", "token", "entry"}}
	for i, from := range d.States {
		for j, to := range d.States {
			for _, token := range d.Tokens {
				if x := d.Matrices[token]; x != nil && x[i][j] != 0 {
					t.Rows = append(t.Rows, []string{from, to, token, exact(x[i][j])})
				}
			}
		}
	}
	return t
}

// table is the floor by position.
func (f *Floors) table() page.Table {
	t := page.Table{Title: "The floor by position", Columns: []string{"position", "nats"}}
	for i, h := range f.Floor {
		t.Rows = append(t.Rows, []string{strconv.Itoa(i + 1), sixDigits(h)})
	}
	return t
}
