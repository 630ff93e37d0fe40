package claim

import (
	"fmt"
	"strings"
	"text/template"

	"foretell/document"
)

// Texts are the texts of a document's rows, by id, and the meanings of the columns in its
// data files. [MustTexts] reads them from Markdown.
type Texts struct {
	rows     map[string]*rowTexts
	glossary Glossary
}

// rowTexts are the texts of a row, with places for values.
type rowTexts struct {
	source, quote, statement, expected, first string
	notes                                     []string
	captions                                  map[string]string
	tables                                    []document.Table
}

// MustTexts reads texts from Markdown, which a package embeds. A heading # begins a row,
// whose id it is, and headings ## begin the row's texts:
//
//	# M4
//	## source      the place in the document
//	## quote       the document's own words
//	## statement   what is claimed
//	## expected    the rule; {{.bound}} stands for the value named bound
//	## first rule  the rule as it was first committed, with its bounds
//	## notes       a list; each item is a note
//	## caption ov  the caption of the figure ov
//	## table …     a table of texts with the title …
//
// Under the heading “# Columns”, a list of items “name: meaning” is the document's
// [Glossary]. Lines are joined by a space. MustTexts panics at the first fault, with its
// line, because the text is part of the program.
func MustTexts(markdown string) *Texts {
	r := textReader{texts: &Texts{rows: map[string]*rowTexts{}, glossary: Glossary{}}}
	for i, line := range strings.Split(markdown, "\n") {
		r.line = i + 1
		r.read(strings.TrimSpace(line))
	}
	r.end()
	return r.texts
}

// textReader reads texts line by line.
type textReader struct {
	texts *Texts
	row   *rowTexts // nil under # Columns
	kind  string    // of the text being read, such as "caption"; empty between texts
	name  string    // the rest of its heading
	lines []string
	line  int // the number of the current line
}

func (r *textReader) read(line string) {
	if heading, ok := strings.CutPrefix(line, "## "); ok {
		r.end()
		r.kind, r.name, _ = strings.Cut(heading, " ")
		return
	}
	id, ok := strings.CutPrefix(line, "# ")
	if !ok {
		r.lines = append(r.lines, line)
		return
	}
	r.end()
	if r.row = nil; id == "Columns" {
		r.kind = "columns"
		return
	}
	if r.texts.rows[id] != nil {
		r.fail("%s occurs twice", id)
	}
	r.row = &rowTexts{captions: map[string]string{}}
	r.texts.rows[id] = r.row
}

func (r *textReader) fail(format string, values ...any) {
	panic(fmt.Sprintf("claim: line %d of the texts: %s", r.line, fmt.Sprintf(format, values...)))
}

// end stores the text that has been read.
func (r *textReader) end() {
	lines, kind := r.lines, r.kind
	r.lines, r.kind = nil, ""
	text := strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
	switch {
	case kind == "columns":
		r.columns(r.items(lines))
	case kind == "" && text == "":
	case kind == "" || r.row == nil:
		r.fail("%q is not below a heading of a row's text", text)
	case text == "":
		r.fail("the heading ## %s has no text", kind)
	case kind == "source":
		r.row.source = text
	case kind == "quote":
		r.row.quote = text
	case kind == "statement":
		r.row.statement = text
	case kind == "expected":
		r.row.expected = text
	case kind == "first":
		r.row.first = text
	case kind == "notes":
		r.row.notes = r.items(lines)
	case kind == "caption":
		r.row.captions[r.name] = text
	case kind == "table":
		r.row.tables = append(r.row.tables, r.table(lines))
	default:
		r.fail("the heading ## %s is not one of source, quote, statement, expected, first rule, notes, caption, "+
			"table", kind)
	}
}

// items returns the items of a list, each of which begins with "- ".
func (r *textReader) items(lines []string) (list []string) {
	for _, line := range lines {
		item, begins := strings.CutPrefix(line, "- ")
		switch {
		case begins:
			list = append(list, item)
		case line == "":
		case len(list) == 0:
			r.fail("%q is not an item of a list, which begins with “- ”", line)
		default:
			list[len(list)-1] += " " + line
		}
	}
	return list
}

// columns adds items “name: meaning” to the glossary.
func (r *textReader) columns(list []string) {
	for _, item := range list {
		name, meaning, ok := strings.Cut(item, ": ")
		if !ok || r.texts.glossary[name] != "" {
			r.fail("the column %q has no meaning, or occurs twice", name)
		}
		r.texts.glossary[name] = meaning
	}
}

// table reads a table: a header, a line of dashes, and rows. In a cell, \| is a bar.
func (r *textReader) table(lines []string) document.Table {
	var rows [][]string
	for _, line := range lines {
		if line == "" {
			continue
		}
		line = strings.ReplaceAll(strings.Trim(line, "|"), `\|`, "\x00")
		cells := strings.Split(line, "|")
		for i, cell := range cells {
			cells[i] = strings.ReplaceAll(strings.TrimSpace(cell), "\x00", "|")
		}
		if len(rows) > 0 && len(cells) != len(rows[0]) {
			r.fail("the table %q has a row of %d cells and %d columns", r.name, len(cells), len(rows[0]))
		}
		rows = append(rows, cells)
	}
	if len(rows) < 3 {
		r.fail("the table %q has no rows", r.name)
	}
	return document.Texts(r.name, rows[0], rows[2:]...)
}

// Fill returns a row with the texts of its id. The texts' places {{.name}} are filled
// with values. Fill panics if the texts have no such row, or a place has no value.
func (t *Texts) Fill(row Row, values map[string]any) Row {
	of := t.rows[row.ID]
	if of == nil {
		panic("claim: the texts have no row " + row.ID)
	}
	fill := func(text string) string { return fill(row.ID, text, values) }
	row.Source, row.Quote = fill(of.source), fill(of.quote)
	row.Statement, row.Expected = fill(of.statement), fill(of.expected)
	row.First.Text = of.first
	for _, note := range of.notes {
		row.Notes = append(row.Notes, fill(note))
	}
	row.Captions = map[string]string{}
	for name, caption := range of.captions {
		row.Captions[name] = fill(caption)
	}
	for _, table := range of.tables {
		rows := make([][]string, len(table.Rows))
		for i, cells := range table.Rows {
			for _, cell := range cells {
				rows[i] = append(rows[i], fill(cell))
			}
		}
		row.Tables = append(row.Tables, document.Texts(table.Title, table.Columns, rows...))
	}
	row.Glossary = t.glossary
	return row
}

// fill fills the places of a text.
func fill(id, text string, values map[string]any) string {
	if !strings.Contains(text, "{{") {
		return text
	}
	var b strings.Builder
	parsed, err := template.New(id).Option("missingkey=error").Parse(text)
	if err == nil {
		err = parsed.Execute(&b, values)
	}
	if err != nil {
		panic("claim: the texts of " + id + ": " + err.Error())
	}
	return b.String()
}
