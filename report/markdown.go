package report

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/internal/text"
)

// Markdown returns the report in GitHub's Markdown. Figures are links to their files.
func (r Report) Markdown() ([]byte, error) { return r.markdown(nil) }

// markdown is [Report.Markdown] with a section about the models' losses, unless how is
// nil.
func (r Report) markdown(how *learned) ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	m := &markdown{}
	m.heading(1, r.Title)
	if r.Source != "" {
		m.paragraph("Claims of " + prose(r.Source))
	}
	m.paragraph("**" + Tally(r.Claims) + "**")
	for _, text := range caveats(r.Claims) {
		m.paragraph(literal(text) + ".")
	}
	if kept := r.keptRows(); len(kept) > 0 {
		m.paragraph(fmt.Sprintf("Claims found by an earlier command: %d.", len(kept)))
	}
	if len(r.Pending) > 0 {
		m.paragraph("Not finished yet: " + literal(strings.Join(r.Pending, ", ")))
	}
	m.heading(2, "At a glance")
	for _, matrix := range glance(r.Claims) {
		m.matrix(matrix)
	}
	if len(r.Intro) > 0 || r.Profile != "" {
		m.heading(2, "How to read this")
	}
	for _, p := range r.Intro {
		m.paragraph(prose(p))
	}
	if r.Profile != "" {
		m.paragraph("Profile: " + prose(r.Profile))
	}
	for _, c := range r.Claims {
		m.claim(c)
	}
	m.losses(how)
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

// markdown collects the blocks of a document, separated by empty lines.
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

// table writes a table, whose cells are Markdown. right[j] aligns column j to the right.
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

// matrix writes a table with a row for each claim and a column for each condition.
func (m *markdown) matrix(x matrix) {
	columns := []string{"Claim", "Verdict", "Results"}
	if x.Columns != nil {
		columns = append(columns[:2], text.Each(x.Columns, literal)...)
	}
	var rows [][]string
	for _, b := range x.Blocks {
		for _, r := range b.Rows {
			rows = append(rows, r.markdown(x))
		}
	}
	if x.Heading != "" {
		m.heading(3, x.Heading)
	}
	m.table(columns, make([]bool, len(columns)), rows)
}

// markdown returns the cells of the row in the matrix x.
func (r glanceRow) markdown(x matrix) []string {
	verdict := outcome(r.Claim)
	if r.Before != nil {
		verdict += " (as of " + literal(r.Before.Date) + ")"
	}
	statement := "**" + literal(r.ID) + "** " + prose(r.Statement)
	if len(r.Shown) > 0 {
		statement += " (" + prose(strings.Join(r.Shown, "; ")) + ")"
	}
	row := []string{statement, verdict}
	var cells []string
	for _, c := range r.Cells {
		cells = append(cells, c.markdown(x.Columns == nil))
	}
	switch {
	case r.Whole:
		row = append(row, cells...)
		return append(row, make([]string, x.Wide()-1)...)
	case x.Columns == nil:
		return append(row, strings.Join(cells, "; "))
	}
	return append(row, cells...)
}

// markdown returns the text of a cell, preceded by the name of its condition if named is
// true.
func (c glanceCell) markdown(named bool) string {
	if c.Missing {
		return "–"
	}
	text := prose(c.Number)
	if c.What != "" {
		text += ", " + prose(c.What)
	}
	if c.Whole {
		return literal(c.Name) + ": " + cmp.Or(text, prose(minus(c.Text)))
	}
	text = strings.TrimSuffix(c.Word+" "+text, " ")
	if named {
		text = literal(c.Name) + ": " + text
	}
	return text
}

func (m *markdown) claim(c claim.Claim) {
	m.heading(2, c.ID+" · "+c.Statement)
	head := "**" + outcome(c) + "**"
	if c.Kind != "" {
		head += " · " + kinds[c.Kind]
	}
	m.paragraph(head + " · " + prose(c.Source))
	if b := c.Before; b != nil {
		m.paragraph(fmt.Sprintf("Found on %s by an earlier command, %s, with foretell %s.",
			literal(b.Date), prose("`"+b.Command+"`"), literal(b.Version)))
	}
	if c.Quote != "" {
		m.WriteString("\n> " + flush(prose(c.Quote)) + "\n")
	}
	m.list(facts(c))
	for k, path := range c.Figures {
		name := numbered("Figure", c.ID, k, len(c.Figures))
		m.paragraph(fmt.Sprintf("![%s](%s)", literal(name), target(path)))
		m.paragraph("**" + literal(name) + ".** " + prose(c.Captions[k]))
	}
	m.conditions(c.Conditions)
	for k, t := range c.Tables {
		m.paragraph(fmt.Sprintf("**%s.** %s", literal(numbered("Table", c.ID, k, len(c.Tables))), literal(t.Title)))
		m.numbers(t)
	}
	if len(c.Asked) > 0 {
		m.paragraph("Additional, stricter questions, not counted:")
		m.list(asked(c.Asked))
	}
	if len(c.Notes) > 0 {
		m.paragraph("Notes:")
		m.list(text.Each(c.Notes, prose))
	}
	if len(c.Data) > 0 {
		m.paragraph("Data: " + strings.Join(text.Each(c.Data, func(path string) string {
			return "[" + literal(filepath.ToSlash(path)) + "](" + target(path) + ")"
		}), ", "))
	}
}

// facts lists a claim's finding, effect, rule and setting, and the rows that come from
// the same fit.
func facts(c claim.Claim) []string {
	list := []string{"Found: " + prose(minus(c.Obtained))}
	if c.Effect != nil {
		list = append(list, "Effect: "+prose(effectText(c.Effect)))
	}
	rule := "Rule: " + prose(c.Expected)
	if since := ruleText(c); since != "" {
		rule += " (" + literal(since) + ")"
	}
	list = append(list, rule)
	if first := firstText(c); first != "" {
		list = append(list, "At first: "+prose(minus(first)))
	}
	if c.Setting != "" {
		list = append(list, "Setting: "+prose(c.Setting))
	}
	if len(c.StandsOn) > 0 {
		list = append(list, "Rests on the same fit as "+literal(text.And(c.StandsOn)))
	}
	return list
}

// asked returns a line for each question, with its answer.
func asked(questions []claim.Question) (list []string) {
	for _, q := range questions {
		text := "**" + string(q.Answer) + "** · " + prose(q.Question) + " · " + prose(minus(q.Obtained))
		if q.Effect != nil {
			text += " · " + prose(effectText(q.Effect))
		}
		list = append(list, text)
	}
	return list
}

// conditions writes a table with the findings for each condition.
func (m *markdown) conditions(conditions []claim.Condition) {
	if len(conditions) == 0 {
		return
	}
	var rows [][]string
	for _, c := range conditions {
		effect, words := "", prose(minus(obtained(c)))
		if c.Effect != nil {
			effect = prose(effectText(c.Effect))
		}
		if reason := why(c); reason != "" {
			words = strings.TrimSuffix(prose(minus(reason))+". "+words, " ")
		}
		rows = append(rows, []string{literal(c.Name), conditionText(c), effect, words})
	}
	m.table([]string{"Condition", "Verdict", "Effect", "In words"}, make([]bool, 4), rows)
}

// numbers writes one of a claim's tables.
func (m *markdown) numbers(t document.Table) {
	var right []bool
	for _, k := range columnKinds(t) {
		right = append(right, k.numerical)
	}
	var rows [][]string
	for _, row := range t.Rows {
		rows = append(rows, text.Each(row, literal))
	}
	m.table(text.Each(t.Columns, literal), right, rows)
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

// escape escapes a line of text so that Markdown shows it literally. Underscores within
// words, as in d_model, need no escape; all underscores are escaped if at least one of
// them is not within a word.
func escape(text string) string {
	text = special.Replace(text)
	if !flanking.MatchString(text) {
		return text
	}
	return strings.ReplaceAll(text, "_", `\_`)
}

// opening matches the start of a line that Markdown would take for a list, a quotation,
// an underlined heading or a rule.
var opening = regexp.MustCompile(`^(\s*)([-+>=]|\d+[.)])`)

// flush escapes the start of a text that begins a line, so that it is a paragraph.
func flush(text string) string {
	return opening.ReplaceAllStringFunc(text, func(start string) string {
		return start[:len(start)-1] + `\` + start[len(start)-1:]
	})
}

// target returns a path as the target of a Markdown link.
func target(path string) string {
	return strings.NewReplacer("(", "%28", ")", "%29").Replace(href(path))
}
