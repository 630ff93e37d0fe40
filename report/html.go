package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/internal/text"
)

var (
	//go:embed page/*.html
	pageHTML embed.FS
	//go:embed page/page.css
	pageCSS string
	//go:embed page/page.js
	pageJS string

	pageHead = document.NewHead(document.CSS+pageCSS, pageJS, palette...)

	pageTemplate = template.Must(document.Template("page", template.FuncMap{
		"markup":  markup,
		"plain":   unmarked,
		"text":    clean,
		"math":    typeset,
		"minus":   minus,
		"plural":  text.Count,
		"inc":     func(i int) int { return i + 1 },
		"seconds": seconds,
		"anchor":  anchor,

		"verdict":       func(v claim.Verdict) template.HTML { return label(v, wordings[v].one) },
		"label":         label,
		"icon":          icon,
		"outcome":       outcome,
		"why":           why,
		"obtained":      obtained,
		"conditionText": conditionText,
		"kind":          func(k claim.Kind) string { return kinds[k] },
		"verdicts":      func() []claim.Verdict { return claim.Verdicts },
		"meaning":       func(v claim.Verdict) string { return wordings[v].meaning },
		"because":       func(r claim.Reason) string { return because[r].word },
		"grounds":       func(r claim.Reason) string { return because[r].meaning },
		"spanned":       func(m matrix) int { return m.Wide() + 2 },
		"rule":          ruleText,
		"firstText":     firstText,
		"tied":          tied,
		"unbroken":      unbroken,

		"brief":        brief,
		"amount":       amount,
		"basis":        basis,
		"compared":     compared,
		"shareText":    shareText,
		"commonEffect": commonEffect,
		"scale":        scale,
		"mark":         mark,
		"answer":       func(a claim.Answer) string { return string(a) },
		"answers":      answersText,
	}).ParseFS(pageHTML, "page/*.html"))
)

// contents is the data of the page template.
type contents struct {
	Report
	Head     document.Head
	Headline tally         // tally of the first part that has claims
	Apart    []tally       // tallies of the other parts
	Caveats  []string      // see caveats
	Kept     []claim.Claim // rows that an earlier command found
	Matrices []matrix
	Reasons  []claim.Reason // the reasons that occur
	Sections []section

	Losses    *shownLosses // nil if there are no losses
	LossTitle string
}

// section is a claim with its tables, figures and data files, prepared for the template.
type section struct {
	claim.Claim
	Anchor string
	Beside beside
	Tables []table
	Plates []*plate
	Files  []file
}

// table is a table with the alignment of its cells.
type table struct {
	Name   string
	Title  template.HTML
	Head   []cell
	Rows   [][]cell
	Anchor string          // prefix of the notes' identifiers
	Notes  []template.HTML // long texts, moved from the cells to below the table
}

type cell struct {
	Text    template.HTML
	Pad     string // set invisibly behind the text, so that decimal points align
	Numeric bool
	Width   string // CSS class that gives the column of a long text more room
	Note    int    // number of the note with the whole text, from 1; 0 without a note
}

// Wide reports whether the table has more than nine columns, which are set closer
// together.
func (t table) Wide() bool { return len(t.Head) > 9 }

// HTML returns the report as a page that needs no other file. Figures are read from the
// folder dir and put inline. Data files are links and must exist. An error names the
// claim and the file.
func (r Report) HTML(dir string) ([]byte, error) {
	how, err := r.learned([]string{dir})
	if err != nil {
		return nil, err
	}
	return r.html(how, []string{dir})
}

// html is [Report.HTML] with a section about the models' losses, unless how is nil.
// Figures and data come from several folders: each file is taken from the first folder
// that has it.
func (r Report) html(how *learned, from []string) ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	g := &gallery{from: from, plates: map[string]*plate{}, classes: document.Classes{}}
	sections, err := r.sections(g)
	if err != nil {
		return nil, err
	}
	losses, err := g.losses(how)
	if err != nil {
		return nil, err
	}
	p := contents{
		Report: r, Head: pageHead.Titled(unmarked(r.Title)), Kept: r.keptRows(), Matrices: glance(r.Claims),
		Reasons: reasons(r.Claims), Sections: sections, Losses: losses, LossTitle: lossTitle,
	}
	counted := tallies(r.Claims)
	p.Headline, p.Apart, p.Caveats = counted[0], counted[1:], caveats(r.Claims)
	var b bytes.Buffer
	if err := pageTemplate.ExecuteTemplate(&b, "page.html", p); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return b.Bytes(), nil
}

func (r Report) sections(g *gallery) ([]section, error) {
	all := make([]section, len(r.Claims))
	for i, c := range r.Claims {
		s := section{Claim: c, Anchor: "claim-" + anchor(c.ID), Beside: besideAny(c.Conditions)}
		for k, t := range c.Tables {
			s.Tables = append(s.Tables, newTable(numbered("Table", c.ID, k, len(c.Tables)), t))
		}
		for k, path := range c.Figures {
			p, err := g.plate(path)
			if err != nil {
				return nil, fault(c.ID, path, err)
			}
			p.Name = numbered("Figure", c.ID, k, len(c.Figures))
			p.Anchor = fmt.Sprintf("plate-%s-%d", anchor(c.ID), k+1)
			p.Caption = markup(c.Captions[k])
			s.Plates = append(s.Plates, p)
		}
		for _, path := range c.Data {
			f, err := g.file(path)
			if err != nil {
				return nil, fault(c.ID, path, err)
			}
			s.Files = append(s.Files, f)
		}
		all[i] = s
	}
	return all, nil
}

// The widths, in characters, from which a text gets more room. A narrow column would
// break it into many lines.
const (
	longLabel   = 28 // for the label of a row; a shorter one stays on one line
	longText    = 20
	longestText = 80
	noteText    = 40 // in a wide table: the text becomes a note
)

func newTable(name string, t document.Table) table {
	kinds := columnKinds(t)
	out := table{Name: name, Title: typeset(t.Title), Anchor: "note-" + anchor(name)}
	for j, text := range t.Columns {
		out.Head = append(out.Head, cell{Text: typeset(text), Numeric: kinds[j].numerical})
	}
	var notes []string
	for _, row := range t.Rows {
		cells := make([]cell, len(row))
		for j, text := range row {
			text = minus(text)
			cells[j] = cell{Text: typeset(text), Pad: kinds[j].pad(row[j]), Numeric: kinds[j].numerical}
			if kinds[j].numerical {
				continue
			}
			if j > 0 && out.Wide() && columns(text) > noteText {
				cells[j].Text = typeset(noted(text))
				notes, cells[j].Note = note(notes, text)
				continue
			}
			cells[j].Width = textWidth(text, j == 0)
		}
		out.Rows = append(out.Rows, cells)
	}
	out.Notes = make([]template.HTML, len(notes))
	for i, text := range notes {
		out.Notes[i] = typeset(text)
	}
	return out
}

// textWidth returns the CSS class that gives a text more room, "" if it needs no more.
func textWidth(text string, label bool) string {
	n := columns(text)
	switch {
	case n > longestText:
		return "longest"
	case label && n > longLabel, !label && n > longText:
		return "long"
	}
	return ""
}

// note appends text to notes if it is new, and returns the notes and the number of the
// note with text.
func note(notes []string, text string) ([]string, int) {
	if i := slices.Index(notes, text); i >= 0 {
		return notes, i + 1
	}
	notes = append(notes, text)
	return notes, len(notes)
}

// noted returns the cell's short text if the whole text has become a note: the words
// before the first colon, such as "no" for "no: its KL is …", or "see note".
func noted(text string) string {
	start, _, found := strings.Cut(text, ": ")
	if found && columns(start) <= longText {
		return start
	}
	return "see note"
}

// numbered returns the name of the k-th of n figures or tables of a claim, counted from
// 0. The names do not change when other claims are added.
func numbered(what, id string, k, n int) string {
	if n == 1 {
		return what + " " + clean(id)
	}
	return fmt.Sprintf("%s %s.%d", what, clean(id), k+1)
}

// anchor encodes a string in letters, digits and underscores, injectively, for use in an
// identifier.
func anchor(id string) string {
	var b strings.Builder
	for _, r := range id {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "_%x_", r)
		}
	}
	return b.String()
}

// label returns a label with the given text in the colours of a verdict, with its icon.
func label(v claim.Verdict, text string) template.HTML {
	const html = `<span class="verdict %s">%s%s</span>`
	return template.HTML(fmt.Sprintf(html, v, icon(v), template.HTMLEscapeString(text)))
}

// icon returns the shape of a verdict, hidden from screen readers, which read its word.
func icon(v claim.Verdict) template.HTML {
	return `<svg viewBox="0 0 16 16" aria-hidden="true">` + wordings[v].icon + `</svg>`
}

// unbroken returns a number with its interval as HTML that can break only at spaces, not
// at the hyphen of an exponent.
func unbroken(text string) template.HTML {
	list := strings.Split(clean(text), " ")
	for i, word := range list {
		list[i] = `<span>` + template.HTMLEscapeString(word) + `</span>`
	}
	return template.HTML(strings.Join(list, " "))
}

// seconds formats a duration.
func seconds(s float64) string {
	switch {
	case s < 0.1:
		return "under 0.1 s"
	case s < 10:
		return fmt.Sprintf("%.1f s", s)
	case s < 100:
		return fmt.Sprintf("%.0f s", s)
	default:
		return fmt.Sprintf("%.1f min", s/60)
	}
}
