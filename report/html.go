package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the page's parts
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"foretell/claim"
)

var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/page.css
	pageCSS string
	//go:embed page/theme.js
	themeJS string

	pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
		"markup":   markup,
		"plain":    unmarked,
		"text":     clean,
		"minus":    minus,
		"verdict":  func(v claim.Verdict) template.HTML { return label(v, wordings[v].one) },
		"label":    label,
		"verdicts": func() []claim.Verdict { return claim.Verdicts },
		"meaning":  func(v claim.Verdict) string { return wordings[v].meaning },
		"plural":   plural,
		"seconds":  seconds,
	}).Parse(pageHTML))
)

// page is what the template shows.
type page struct {
	Report
	Policy   string
	CSS      template.CSS
	Script   template.JS
	Counts   []count
	Kept     []claim.Claim // rows of before
	Sections []section
}

// section is a claim with its tables and figures made ready.
type section struct {
	claim.Claim
	Anchor string
	Tables []table
	Plates []*plate
	Files  []file
}

// table is a table with the alignment of its cells.
type table struct {
	Name, Title string
	Head        []cell
	Rows        [][]cell
}

type cell struct {
	Text    string
	Pad     string // set invisibly behind the text, so that decimal points align
	Numeric bool
}

// HTML returns the report as a page that needs no other file. Figures are read
// from the folder dir and put inline; data files are linked to and must exist. An
// error names the claim and the file.
func (r Report) HTML(dir string) ([]byte, error) {
	return r.html(dir)
}

// html is HTML with the figures and data of several folders, of which the first that has
// one counts.
func (r Report) html(from ...string) ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	sections, err := r.sections(from)
	if err != nil {
		return nil, err
	}
	p := page{
		Report: r, Policy: policy(themeJS), CSS: template.CSS(themeCSS() + pageCSS), Script: template.JS(themeJS),
		Counts: counts(r.Claims), Kept: r.keptRows(), Sections: sections,
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return b.Bytes(), nil
}

// policy is the content security policy of a page that loads nothing and runs script
// alone.
func policy(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src 'unsafe-inline'; " +
		"script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func (r Report) sections(from []string) ([]section, error) {
	g := &gallery{from: from, plates: map[string]*plate{}, classes: map[string]bool{}}
	all := make([]section, len(r.Claims))
	for i, c := range r.Claims {
		s := section{Claim: c, Anchor: "claim-" + anchor(c.ID)}
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

func newTable(name string, t claim.Table) table {
	kinds := columnKinds(t)
	out := table{Name: name, Title: clean(t.Title)}
	for j, text := range t.Columns {
		out.Head = append(out.Head, cell{Text: clean(text), Numeric: kinds[j].numerical})
	}
	for _, row := range t.Rows {
		cells := make([]cell, len(row))
		for j, text := range row {
			cells[j] = cell{Text: minus(clean(text)), Pad: kinds[j].pad(text), Numeric: kinds[j].numerical}
		}
		out.Rows = append(out.Rows, cells)
	}
	return out
}

// numbered names the k-th of n figures or tables of a claim, counted from 0. The
// names do not change when other claims are added.
func numbered(what, id string, k, n int) string {
	if n == 1 {
		return what + " " + clean(id)
	}
	return fmt.Sprintf("%s %s.%d", what, clean(id), k+1)
}

// anchor makes a string part of an identifier; different strings give different ones.
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

// label returns a label with the colours and the shape of a verdict and the given text.
func label(v claim.Verdict, text string) template.HTML {
	const html = `<span class="verdict %s"><svg viewBox="0 0 16 16" aria-hidden="true">%s</svg>%s</span>`
	return template.HTML(fmt.Sprintf(html, v, wordings[v].icon, template.HTMLEscapeString(text)))
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
