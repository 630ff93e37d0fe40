package process

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"foretell/internal/strict"
)

// Spec specifies a process, as a configuration or a file does: a process of the zoo
// with its parameters, or a process that the user defines.
type Spec struct {
	// Name is the name of an [Entry] of the [Catalogue], such as "golden_mean"; the entry
	// also has the names of Params. For a process that the user defines, it is the name that
	// the user gives it.
	Name       string `yaml:"name" json:"name"`
	Params     Params `yaml:"params,omitempty" json:"params,omitempty"` // parameters left out have their defaults
	Definition `yaml:",inline"`
}

// UnmarshalYAML reads a YAML mapping, or the name of a file, which [Spec.WithFiles]
// reads. The name of a process alone is an error; the message shows how to write the
// mapping.
func (s *Spec) UnmarshalYAML(unmarshal func(any) error) error {
	var form strict.Form
	if err := unmarshal(&form); err != nil {
		return err
	}
	if form == strict.Text {
		var name string
		if err := unmarshal(&name); err != nil {
			return err
		}
		if IsFile(name) {
			*s = Spec{Name: name}
			return nil
		}
		example := "mess3"
		if slices.ContainsFunc(catalogue(), func(e Entry) bool { return e.Name == name }) {
			example = name
		}
		return fmt.Errorf("a mapping (key: value) is expected, not %s; want {name: %s}", quoted(name), example)
	}
	type plain Spec
	return unmarshal((*plain)(s))
}

// Definition is a hidden Markov model defined by its edges or its matrices. Transitions
// that are not listed have probability 0. With Right it is a generalised HMM, whose
// entries may have any sign; see [NewGeneralised].
type Definition struct {
	States      []string     `yaml:"states,omitempty" json:"states,omitempty"`
	Tokens      []string     `yaml:"tokens,omitempty" json:"tokens,omitempty"`
	Transitions []Transition `yaml:"transitions,omitempty" json:"transitions,omitempty"`
	// [token][i][j]: T^z[i,j]
	Matrices map[string][][]float64 `yaml:"matrices,omitempty" json:"matrices,omitempty"`
	Right    []float64              `yaml:"right,omitempty" json:"right,omitempty"`
}

// Transition is one edge: from state From, emit Token and go to state To with
// probability P.
type Transition struct {
	From  string  `yaml:"from" json:"from"`
	To    string  `yaml:"to" json:"to"`
	Token string  `yaml:"token" json:"token"`
	P     float64 `yaml:"p" json:"p"`
}

// UnmarshalYAML reads a YAML mapping. It requires p: if a missing p were read as 0, the
// error would be about another transition.
func (t *Transition) UnmarshalYAML(unmarshal func(any) error) error {
	var read struct {
		From  string           `yaml:"from"`
		To    string           `yaml:"to"`
		Token string           `yaml:"token"`
		P     givenProbability `yaml:"p"`
	}
	if err := unmarshal(&read); err != nil {
		return err
	}
	if !read.P.given {
		return errors.New("p is missing; give the probability of the transition")
	}
	*t = Transition{read.From, read.To, read.Token, read.P.value}
	return nil
}

// givenProbability is a probability that records whether it was given.
type givenProbability struct {
	value float64
	given bool
}

func (p *givenProbability) UnmarshalYAML(unmarshal func(any) error) error {
	p.given = true
	return unmarshal(&p.value)
}

// FieldError reports an invalid field of a Spec, or an invalid parameter. Its Path, such
// as "params.x" or "transitions[2].from", identifies the field, and its Reason says what
// would be right. Models and training runs report errors of the same type.
type FieldError = strict.FieldError

// Load makes the process that a YAML file describes. The file holds a Spec; an unknown
// key, a wrong type or an impossible value is an error with line and column. Load also
// reads files that the spec names, see [Spec.WithFiles]. For a sampler whose best
// prediction is not known, the error is a [*NoOptimumError].
func Load(path string) (Process, error) { return withOptimum(LoadSampler(path)) }

// LoadSampler is Load that also accepts samplers whose best prediction is not known.
func LoadSampler(path string) (Sampler, error) {
	data, err := strict.ReadNamed(path)
	if err != nil {
		return nil, err
	}
	if err := CheckYAML(path); err != nil {
		return nil, err
	}
	return parse(path, data, Spec.WithFiles)
}

// CheckYAML returns an error if a file's name shows that it does not hold YAML: a .csv
// file holds numbers, for the parameter signal of the process named recording.
func CheckYAML(path string) error {
	if !strings.EqualFold(filepath.Ext(path), ".csv") {
		return nil
	}
	return fmt.Errorf("%s: this is not YAML; "+
		"use a CSV file of numbers as the parameter signal of the process recording, "+
		"with signal=@%s, or {name: recording, params: {signal: \"@%s\"}} in a configuration", path, path, path)
}

// Parse is Load for a file that is already in memory; name is its name in errors. It
// reads no other files.
func Parse(name string, data []byte) (Process, error) {
	return withOptimum(parse(name, data, func(s Spec) (Spec, error) { return s, nil }))
}

func parse(name string, data []byte, complete func(Spec) (Spec, error)) (Sampler, error) {
	var spec Spec
	document, err := strict.Parse(name, data)
	if err != nil {
		return nil, err
	}
	if err := document.Decode(&spec); err != nil {
		return nil, err
	}
	spec, err = complete(spec)
	if err != nil {
		return nil, document.Explain(err)
	}
	p, err := spec.BuildSampler()
	if err != nil {
		return nil, document.Explain(err)
	}
	return p, nil
}

// Build makes the process, or returns a [*FieldError]. For a sampler whose best
// prediction is not known, the error is a [*NoOptimumError].
func (s Spec) Build() (Process, error) { return withOptimum(s.BuildSampler()) }

// BuildSampler is Build that also accepts samplers whose best prediction is not known.
func (s Spec) BuildSampler() (Sampler, error) {
	switch {
	case s.Name == "" && s.defined():
		return nil, strict.Fieldf("name", "is missing; give your process a name")
	case s.Name == "":
		return nil, strict.Fieldf("name", "is missing; give the name of a process, such as mess3")
	case s.ByCode():
		return nil, strict.Fieldf("name",
			"= %q is a process made by Go code, and only that code can make it again", s.Name)
	case s.defined() && len(s.Params) > 0:
		return nil, strict.Fieldf("params", "belong to a process of the zoo; leave out either params, or states, "+
			"tokens and the other fields of a definition")
	case s.defined():
		h, err := s.Definition.build(s.Name)
		if err != nil {
			return nil, err
		}
		return h, nil
	}
	p, err := BuildSampler(s.Name, s.Params)
	if err != nil && IsFile(s.Name) {
		return nil, strict.Fieldf("name", "= %q is the name of a file; write the contents of the file here instead: "+
			"name, states, tokens, and transitions or matrices", s.Name)
	}
	if err != nil {
		return nil, strict.Fieldf(s.culprit(err), "is not possible: %v", err)
	}
	return p, nil
}

// codePrefix begins the names of processes that Go code makes, as in go:mine.
const codePrefix = "go:"

// ByCode reports whether the spec only names a process that Go code makes, as [SpecOf]
// does. Such a process cannot be built from its spec.
func (s Spec) ByCode() bool { return strings.HasPrefix(s.Name, codePrefix) && !s.defined() }

// SpecOf returns a spec that identifies a process made by Go code. For a hidden Markov
// model it has the matrices, from which Build can make it again. For any other process
// it is the name go:NAME, with the [Fingerprint] as parameter sha256.
func SpecOf(p Sampler) Spec {
	if h, ok := p.(*HMM); ok {
		s := Spec{Name: h.name, Definition: h.definition()}
		if _, err := s.Build(); err == nil {
			return s
		}
	}
	return Spec{Name: codePrefix + p.Name(), Params: Params{"sha256": Fingerprint(p)}}
}

// YAML returns s as a file that [Load] reads. The text has been read back: it holds s, to
// the last bit. An error has one line and names a field that YAML cannot express, or that
// is too large.
func (s Spec) YAML() ([]byte, error) { return strict.Marshal(s.Plain()) }

// HMM is Build for a hidden Markov model. For a process of another kind it returns an
// error.
func (s Spec) HMM() (*HMM, error) {
	p, err := s.Build()
	if err != nil {
		return nil, err
	}
	h, ok := p.(*HMM)
	if !ok {
		return nil, strict.Fieldf("name", "= %q is not a hidden Markov model", p.Name())
	}
	return h, nil
}

// Plain returns s in the form that reading a configuration gives: numbers that Go code
// has given as int become float64, and empty Params become nil.
func (s Spec) Plain() Spec {
	if len(s.Params) == 0 {
		s.Params = nil
		return s
	}
	s.Params = maps.Clone(s.Params)
	for name, v := range s.Params {
		switch v := v.(type) {
		case int:
			s.Params[name] = float64(v)
		case Spec:
			s.Params[name] = v.Plain()
		case []Spec:
			plain := slices.Clone(v)
			for i := range plain {
				plain[i] = plain[i].Plain()
			}
			s.Params[name] = plain
		}
	}
	return s
}

// Entry returns the catalogue's entry of the process. It returns false if there is no
// such entry, or if the spec defines the process itself.
func (s Spec) Entry() (Entry, bool) {
	entry, _, err := Resolve(s.Name, nil)
	return entry, err == nil && !s.defined()
}

// IsFile reports whether the name of a process is the path of a file that defines it.
func IsFile(name string) bool {
	return strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") ||
		strings.HasSuffix(name, ".csv")
}

// defined reports whether the spec defines its process.
func (s Spec) defined() bool {
	d := s.Definition
	return d.States != nil || d.Tokens != nil || d.Transitions != nil || d.Matrices != nil || d.Right != nil
}

// culprit returns the path of the field that is at fault when a process of the zoo cannot
// be made: its name, the parameter whose process cannot be made, according to the error,
// or the first parameter that is invalid even on its own.
func (s Spec) culprit(err error) string {
	var inner *paramError
	if errors.As(err, &inner) {
		return "params." + inner.param // no new attempt: each enclosing process would double the work
	}
	at := slices.IndexFunc(catalogue(), func(e Entry) bool { return e.Name == s.Name })
	if at < 0 {
		return "name"
	}
	for _, param := range catalogue()[at].Params {
		if value, given := s.Params[param.Name]; given {
			if _, err := BuildSampler(s.Name, Params{param.Name: value}); err != nil {
				return "params." + param.Name
			}
		}
	}
	return "params"
}

// hmm returns the hidden Markov model that a parameter of a combinator names.
func (p Params) hmm(combinator, name string) (*HMM, error) {
	h, err := p.Spec(name).hmm(combinator, name)
	if err != nil {
		return nil, &paramError{name, err}
	}
	return h, nil
}

// paramError is an error in a process that is the value of a parameter.
type paramError struct {
	param string
	error
}

func (e *paramError) Unwrap() error { return e.error }

// hmms returns the hidden Markov models that a parameter of a combinator lists.
func (p Params) hmms(combinator, name string) ([]*HMM, error) {
	var list []*HMM
	for i, spec := range p.Specs(name) {
		h, err := spec.hmm(combinator, fmt.Sprintf("%s[%d]", name, i))
		if err != nil {
			return nil, &paramError{name, err}
		}
		list = append(list, h)
	}
	return list, nil
}

// hmm builds the process of a spec that is the parameter of a combinator.
func (s Spec) hmm(combinator, param string) (*HMM, error) {
	p, err := s.Build()
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", combinator, param, err)
	}
	h, ok := p.(*HMM)
	if !ok {
		return nil, fmt.Errorf("%s: %s = %s is not a hidden Markov model", combinator, param, p.Name())
	}
	return h, nil
}
