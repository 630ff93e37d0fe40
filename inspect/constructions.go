package inspect

import (
	"foretell/craft"
	"foretell/describe"
	"foretell/document"
	"foretell/process"
)

// Construction is a model written by hand, which [Open] opens by its name.
type Construction struct {
	Model   string         `json:"model"` // such as craft:coin
	Summary string         `json:"summary"`
	Params  process.Params `json:"params"` // defaults
}

// Listed are the models that are written by hand.
type Listed []Construction

// Constructions lists the models that are written by hand.
func Constructions() (list Listed) {
	for _, c := range craft.Constructions() {
		item := Construction{Model: CraftPrefix + c.Name, Summary: c.Summary, Params: process.Params{}}
		for _, p := range c.Params {
			item.Params[p.Name] = p.Default
		}
		list = append(list, item)
	}
	return list
}

// Forms returns the form of the list for a terminal.
func (l Listed) Forms() document.Forms {
	return document.Forms{document.Terminal: document.Text(func() []document.Section {
		t := document.Texts("", nil)
		for i, c := range craft.Constructions() {
			t.Rows = append(t.Rows, []string{l[i].Model, c.Summary, describe.Defaults(c.Params)})
		}
		return []document.Section{{Tables: []document.Table{t}}}
	})}
}
