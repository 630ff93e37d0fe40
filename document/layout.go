//go:build !js

package document

import (
	"html/template"
	"io"
)

// Layout writes pages from a template, with the functions and templates of [Template].
type Layout struct{ template *template.Template }

// NewLayout returns the layout of a template. It panics if the template is not valid.
func NewLayout(name, text string) Layout {
	return Layout{template.Must(Template(name, nil).Parse(text))}
}

// Write writes a page with the template's data.
func (l Layout) Write(w io.Writer, data any) error { return l.template.Execute(w, data) }

// Template returns an empty template with the functions funcs, "markup" ([Markup]) and
// "math" ([Math]). It defines two templates that take a [Head]: "head" writes everything
// before the body, and "switch" the colour switch in the page's header.
func Template(name string, funcs template.FuncMap) *template.Template {
	both := template.FuncMap{"markup": Markup, "math": Math}
	return template.Must(template.New(name).Funcs(both).Funcs(funcs).Parse(headHTML))
}
