package walk

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// writeMarkdown writes a document in Markdown with formulas in TeX between $$, as
// rendered by GitHub, GitLab, Jupyter and Pandoc.
func writeMarkdown(out io.Writer, d *Document) error {
	p := &markdownPage{notation: texNotation{digits: d.Digits, size: d.Size}}
	p.paragraph("# " + markdownText(d.Title))
	for _, paragraph := range d.Intro {
		p.paragraph(markdownText(paragraph))
	}
	number := 0
	for _, s := range d.Sections {
		p.paragraph("## " + markdownText(s.Title))
		for _, step := range s.Steps {
			number++
			p.step(fmt.Sprintf("%d. ", number), step)
		}
	}
	if a := d.Attribution; a != nil {
		p.paragraph("## " + attributionTitle)
		p.step("", a.Direction)
		p.table(a, d.Digits)
	}
	_, err := io.WriteString(out, strings.TrimRight(p.b.String(), "\n")+"\n")
	return err
}

type markdownPage struct {
	notation texNotation
	b        strings.Builder
}

func (p *markdownPage) paragraph(text string) { p.b.WriteString(text + "\n\n") }

func (p *markdownPage) step(number string, s Step) {
	p.paragraph("### " + number + markdownText(s.Title))
	if s.Hook != "" {
		p.paragraph("`" + s.Hook + "`")
	}
	for _, e := range s.Equations {
		p.paragraph("$$\n" + p.aligned(e) + "\n$$")
	}
	p.paragraph(markdownText(s.Note))
}

// aligned writes an equation with aligned equals signs and at most two pieces a line,
// because Markdown renderers do not break formulas.
func (p *markdownPage) aligned(e Equation) string {
	n := p.notation
	lines := []string{strings.Join(typeset(n, e.Left, false), " ") + " &= " +
		strings.Join(typeset(n, e.Right, false), " ")}
	for _, pieces := range [][]string{typeset(n, e.Right, true), {n.matrix(e.shown())}} {
		sign := "&= "
		for pair := range slices.Chunk(pieces, 2) {
			lines = append(lines, sign+strings.Join(pair, " "))
			sign = `&\quad `
		}
	}
	return `\begin{aligned}` + "\n" + strings.Join(lines, ` \\`+"\n") + "\n" + `\end{aligned}`
}

func (p *markdownPage) table(a *Attribution, digits int) {
	var b strings.Builder
	b.WriteString("| component | formula | contribution |\n|:--|:--|--:|\n")
	for _, row := range a.table(digits) {
		formula, name, value := "", markdownText(row.name), row.value
		if row.formula != nil {
			formula = "$" + strings.Join(typeset(p.notation, row.formula, false), " ") + "$"
		} else {
			name, value = "**"+name+"**", "**"+value+"**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, formula, value)
	}
	p.paragraph(strings.TrimRight(b.String(), "\n"))
	p.paragraph(markdownText(a.note()))
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "_", `\_`, "*", `\*`, "[", `\[`, "]", `\]`,
	"<", "&lt;", "|", `\|`, "$", `\$`)

// markdownText escapes a sentence; text between backquotes is code.
func markdownText(text string) string {
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = markdownEscapes.Replace(parts[i])
	}
	return strings.Join(parts, "`")
}
