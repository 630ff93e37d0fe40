package walk

import (
	"fmt"
	"io"
	"strings"
)

// latexPreamble needs only packages in Debian's texlive-latex-base.
const latexPreamble = `\documentclass[10pt,a4paper]{article}
\usepackage{amsmath}
\usepackage{graphicx}
\usepackage[margin=20mm]{geometry}
\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt}
\setlength{\lineskiplimit}{3pt}
\setlength{\lineskip}{6pt}
\setlength{\arraycolsep}{4pt}
\setcounter{secnumdepth}{0}
\newcommand{\hook}[1]{\hfill{\normalfont\small\texttt{#1}}}
\newenvironment{equations}{\begin{list}{}{\leftmargin=2em\topsep=0pt\parsep=0pt}\item\relax
  \raggedright\hangindent=1em\relpenalty=10000\binoppenalty=10000}{\end{list}}
`

// writeLaTeX writes a document as a complete LaTeX file.
func writeLaTeX(out io.Writer, d *Document) error {
	p := &latexPage{notation: texNotation{d.Digits, d.Size, 90}}
	p.line(latexPreamble + `\begin{document}`)
	p.line(`\section*{\raggedright ` + latexText(d.Title) + "}")
	for _, paragraph := range d.Intro {
		p.line(latexText(paragraph) + "\n")
	}
	number := 0
	for _, s := range d.Sections {
		p.line(`\section{` + latexText(s.Title) + "}")
		for _, step := range s.Steps {
			number++
			p.step(fmt.Sprintf("%d. ", number), step)
		}
	}
	if a := d.Attribution; a != nil {
		p.line(`\section{` + attributionTitle + "}")
		p.step("", a.Direction)
		p.table(a, d.Digits)
	}
	p.line(`\end{document}`)
	_, err := io.WriteString(out, p.b.String())
	return err
}

type latexPage struct {
	notation texNotation
	b        strings.Builder
}

func (p *latexPage) line(text string) { p.b.WriteString(text + "\n") }

func (p *latexPage) step(number string, s Step) {
	title := number + latexText(s.Title)
	if s.Hook != "" {
		title += `\hook{` + latexText(s.Hook) + "}"
	}
	p.line(`\subsection*{` + title + "}")
	for _, e := range s.Equations {
		p.line(`\begin{equations}`)
		p.line(`$\displaystyle ` + strings.Join(inSymbols(p.notation, e), " ") + `$\\*`)
		p.line(inParagraph(inNumbers(p.notation, e)))
		p.line(`\end{equations}`)
	}
	p.line(latexText(s.Note) + "\n")
}

// inParagraph joins the pieces of a formula in a way that lets TeX break lines between
// them.
func inParagraph(pieces []string) string {
	return `$\displaystyle ` + strings.Join(pieces, "$\n$\\displaystyle ") + "$"
}

func (p *latexPage) table(a *Attribution, digits int) {
	p.line(`\begin{center}\renewcommand{\arraystretch}{1.2}\begin{tabular}{llr}` + "\n" + `\hline`)
	for _, row := range a.table(digits) {
		formula := ""
		if row.formula != nil {
			formula = "$" + strings.Join(typeset(p.notation, row.formula, false), " ") + "$"
		} else if row.first {
			p.line(`\hline`)
		}
		p.line(fmt.Sprintf(`%s & %s & $%s$ \\`, latexText(row.name), formula, texNumber(row.value)))
	}
	p.line(`\hline` + "\n" + `\end{tabular}\end{center}` + "\n")
	p.line(latexText(a.note()))
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "_", `\_`, "^", `\textasciicircum{}`,
	"&", `\&`, "%", `\%`, "#", `\#`, "$", `\$`, "~", `\textasciitilde{}`,
	"<", "$<$", ">", "$>$", "∞", `$\infty$`, "-∞", `$-\infty$`, "…", `\ldots{}`,
)

// latexCharacters replaces characters missing from LaTeX's basic fonts with their code
// points.
func latexCharacters(text string) string {
	const latin = 0x17F // the last of Latin Extended-A
	var b strings.Builder
	for _, r := range text {
		if r > latin {
			fmt.Fprintf(&b, "U+%04X", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// latexText escapes a sentence; text between backquotes is code.
func latexText(text string) string {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		if part = latexCharacters(latexEscapes.Replace(part)); i%2 == 1 {
			part = `\texttt{` + part + "}"
		}
		b.WriteString(part)
	}
	return b.String()
}
