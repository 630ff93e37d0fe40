package report

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"foretell/claim"
)

// Markdown returns the report in GitHub's Markdown, with the figures as links to
// their files.
func (r Report) Markdown() ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	m := &markdown{}
	m.heading(1, r.Title)
	if r.Source != "" {
		m.paragraph("Claims of " + prose(r.Source))
	}
	m.paragraph("**" + Tally(r.Claims) + "**")
	if kept := r.keptRows(); len(kept) > 0 {
		m.paragraph(fmt.Sprintf("%d of them as found before, by an earlier command.", len(kept)))
	}
	if len(r.Pending) > 0 {
		m.paragraph("Not finished yet: " + literal(strings.Join(r.Pending, ", ")))
	}
	for _, p := range r.Intro {
		m.paragraph(prose(p))
	}
	if r.Profile != "" {
		m.paragraph("Profile: " + prose(r.Profile))
	}
	m.ledger(r.Claims)
	for _, c := range r.Claims {
		m.claim(c)
	}
	if len(r.Environment) > 0 {
		m.heading(2, "How this was made")
		var rows [][]string
		for _, p := range r.Environment {
			rows = append(rows, []string{literal(p.Name), literal(p.Value)})
		}
		m.table([]string{"", ""}, []bool{false, false}, rows)
	}
	return m.Bytes(), nil
}

// markdown collects the blocks of a document, an empty line between them.
type markdown struct{ bytes.Buffer }

func (m *markdown) paragraph(text string) {
	if m.Len() > 0 {
		m.WriteByte('\n')
	}
	m.WriteString(flush(text) + "\n")
}

func (m *markdown) heading(level int, text string) {
	m.paragraph(strings.Repeat("#", level) + " " + prose(text))
}

func (m *markdown) list(items []string) {
	m.WriteByte('\n')
	for _, item := range items {
		m.WriteString("- " + flush(item) + "\n")
	}
}

// table writes a table whose cells are Markdown already.
func (m *markdown) table(columns []string, right []bool, rows [][]string) {
	line := func(cells []string) {
		for _, c := range cells {
			m.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
		}
		m.WriteString("|\n")
	}
	m.WriteByte('\n')
	line(columns)
	for _, r := range right {
		if r {
			m.WriteString("| ---: ")
		} else {
			m.WriteString("| --- ")
		}
	}
	m.WriteString("|\n")
	for _, row := range rows {
		line(row)
	}
}

func (m *markdown) ledger(claims []claim.Claim) {
	var rows [][]string
	for _, c := range claims {
		verdict := wordings[c.Verdict].one
		if c.Before != nil {
			verdict += " (as of " + literal(c.Before.Date) + ")"
		}
		rows = append(rows, []string{literal(c.ID), prose(c.Statement), prose(c.Expected), prose(c.Obtained), verdict})
	}
	m.table([]string{"Claim", "Statement", "Expected", "Obtained", "Verdict"}, make([]bool, 5), rows)
}

func (m *markdown) claim(c claim.Claim) {
	m.heading(2, c.ID+" · "+c.Statement)
	m.paragraph("**" + wordings[c.Verdict].one + "** · " + prose(c.Source))
	if b := c.Before; b != nil {
		m.paragraph(fmt.Sprintf("As found before, on %s, by %s of foretell %s.",
			literal(b.Date), prose("`"+b.Command+"`"), literal(b.Version)))
	}
	facts := []string{"Expected: " + prose(c.Expected), "Obtained: " + prose(c.Obtained)}
	if c.Setting != "" {
		facts = append(facts, "Setting: "+prose(c.Setting))
	}
	m.list(facts)
	for k, path := range c.Figures {
		name := numbered("Figure", c.ID, k, len(c.Figures))
		m.paragraph(fmt.Sprintf("![%s](%s)", literal(name), target(path)))
		m.paragraph("**" + literal(name) + ".** " + prose(c.Captions[k]))
	}
	for k, t := range c.Tables {
		m.paragraph(fmt.Sprintf("**%s.** %s", literal(numbered("Table", c.ID, k, len(c.Tables))), literal(t.Title)))
		m.numbers(t)
	}
	if len(c.Notes) > 0 {
		m.paragraph("Notes:")
		m.list(each(c.Notes, prose))
	}
	if len(c.Data) > 0 {
		m.paragraph("Data: " + strings.Join(each(c.Data, func(path string) string {
			return "[" + literal(filepath.ToSlash(path)) + "](" + target(path) + ")"
		}), ", "))
	}
}

// numbers writes a table of a claim.
func (m *markdown) numbers(t claim.Table) {
	var right []bool
	for _, k := range columnKinds(t) {
		right = append(right, k.numerical)
	}
	var rows [][]string
	for _, row := range t.Rows {
		rows = append(rows, each(row, literal))
	}
	m.table(each(t.Columns, literal), right, rows)
}

func each(texts []string, f func(string) string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = f(t)
	}
	return out
}

// prose returns a text with marks as Markdown.
func prose(text string) string {
	var b strings.Builder
	for _, s := range spans(text) {
		switch s.style {
		case code:
			b.WriteString("`" + s.text + "`")
		case emphasis:
			b.WriteString("*" + escape(s.text) + "*")
		default:
			b.WriteString(escape(s.text))
		}
	}
	return b.String()
}

// literal returns a text without marks as Markdown.
func literal(text string) string { return escape(clean(text)) }

var (
	special = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "[", `\[`, "]", `\]`, "<", "&lt;",
		"&", "&amp;", "~", `\~`, "$", `\$`)
	flanking = regexp.MustCompile(`(^|[^\pL\pN])_|_($|[^\pL\pN])`)
)

// escape makes Markdown show a line of text as it is. An underscore within a word, as
// in d_model, stands for itself there and stays readable.
func escape(text string) string {
	text = special.Replace(text)
	if !flanking.MatchString(text) {
		return text
	}
	return strings.ReplaceAll(text, "_", `\_`)
}

// opening is what would make a line a heading, a list, a quotation or a rule.
var opening = regexp.MustCompile(`^(\s*)([-+>=]|\d+[.)])`)

// flush keeps a text at the start of a line a paragraph.
func flush(text string) string {
	return opening.ReplaceAllStringFunc(text, func(start string) string {
		return start[:len(start)-1] + `\` + start[len(start)-1:]
	})
}

// target returns a path as the address of a link.
func target(path string) string {
	return strings.NewReplacer("(", "%28", ")", "%29").Replace(href(path))
}
