package lab

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"foretell/craft"
	"foretell/describe"
	"foretell/inspect"
	"foretell/process"
)

// Params are the values of parameters, as they are written on a command line.
type Params map[string]string

// parse reads the values. A page names no files, so a value that would name one is an
// error.
func (p Params) parse(known []process.Param) (process.Params, error) {
	var assignments []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if strings.HasPrefix(p[name], "@") {
			return nil, fmt.Errorf("%s = %.40s names a file, which a page cannot read; give the value, "+
				"or use the command line", name, p[name])
		}
		assignments = append(assignments, name+"="+p[name])
	}
	return process.ParseParams("parameter", known, assignments, "x=0.5")
}

// words returns --param name=value for each parameter, by name.
func (p Params) words() (words []string) {
	for _, name := range slices.Sorted(maps.Keys(p)) {
		words = append(words, "--param", name+"="+p[name])
	}
	return words
}

// Source names a process: one of the catalogue with parameters, the process of a run, or
// a definition in YAML. One of Process, Run and YAML is set.
type Source struct {
	Process string `json:"process,omitempty"`
	Params  Params `json:"params,omitempty"`
	Run     string `json:"run,omitempty"`
	YAML    string `json:"yaml,omitempty"`
}

// Definition is the name of a file with the YAML of a process, in commands and errors.
const Definition = "./process.yaml"

const (
	mostStates   = 256 // states of a process on a page; what is computed grows as the cube
	mostAlphabet = 512 // tokens of a process on a page
)

// subject returns the process. Only files of a run are read.
func (s Source) subject(e *Engine) (found describe.Subject, err error) {
	given := 0
	for _, text := range []string{s.Process, s.Run, s.YAML} {
		if text != "" {
			given++
		}
	}
	switch {
	case given != 1 || s.Process == "" && len(s.Params) > 0:
		err = errors.New("give one of process (with params), run, or yaml")
	case s.YAML != "":
		var p process.Process
		if p, err = process.Parse(Definition, []byte(s.YAML)); err == nil {
			found = inspect.Defined(Definition, p)
		}
	case s.Run != "":
		var path string
		if path, err = e.path(s.Run); err == nil {
			found, err = inspect.Find(path, nil)
		}
	default:
		found, err = s.Params.of(s.Process)
	}
	if err != nil {
		return found, err
	}
	return found, checkSize(found.Process)
}

// of returns a process of the catalogue with the parameters.
func (p Params) of(name string) (describe.Subject, error) {
	entry, _, err := process.Resolve(name, nil)
	if err != nil {
		return describe.Subject{}, err
	}
	params, err := p.parse(entry.Params)
	if err != nil {
		return describe.Subject{}, err
	}
	return describe.Named(name, params)
}

// checkSize returns an error if a process is too large for a page.
func checkSize(p process.Sampler) error {
	if n := p.Alphabet(); n > mostAlphabet {
		return fmt.Errorf("%s has %d tokens; a page takes at most %d", p.Name(), n, mostAlphabet)
	}
	if o, ok := p.(process.Observer); ok && len(o.States()) > mostStates {
		return fmt.Errorf("%s has %d states; a page takes at most %d", p.Name(), len(o.States()), mostStates)
	}
	return nil
}

// words returns the words of a command line for the process.
func (s Source) words(runs string) []string {
	switch {
	case s.YAML != "":
		return []string{Definition}
	case s.Run != "":
		return []string{filepath.Join(runs, s.Run)}
	}
	return append([]string{s.Process}, s.Params.words()...)
}

// Model names a model: a run, the run after a step (first@500), or a hand-written model
// with its parameters (craft:coin).
type Model struct {
	Model  string `json:"model"`
	Params Params `json:"params,omitempty"`
}

// open opens the model.
func (m Model) open(e *Engine) (*inspect.Model, error) {
	name, crafted := inspect.CraftedName(m.Model)
	if !crafted {
		path, err := e.path(m.Model)
		if err != nil {
			return nil, err
		}
		if len(m.Params) > 0 {
			return nil, &inspect.ParamsError{Path: m.Model, Reason: "is a run; only craft:NAME takes parameters"}
		}
		return inspect.Open(path, nil)
	}
	var known []process.Param
	for _, c := range craft.Constructions() {
		if c.Name == name {
			known = c.Params
		}
	}
	params, err := m.Params.parse(known)
	if err != nil {
		return nil, err
	}
	if n, ok := params["n_ctx"].(float64); ok && n > mostTokens {
		return nil, fmt.Errorf("n_ctx = %v is more than %d, the most on a page", n, mostTokens)
	}
	return inspect.Open(m.Model, params)
}

// words returns the words of a command line for the model.
func (m Model) words(runs string) []string {
	if _, crafted := inspect.CraftedName(m.Model); crafted {
		return append([]string{m.Model}, m.Params.words()...)
	}
	return []string{filepath.Join(runs, m.Model)}
}
