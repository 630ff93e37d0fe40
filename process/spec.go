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

// Spec says which process is meant, as a configuration or a file does: a process
// of the zoo with its parameters, or one that the user defines.
type Spec struct {
	// Name is that of an [Entry] of [Catalogue], such as "golden_mean", which tells the
	// names of Params, too; of a process that the user defines, its own.
	Name       string `yaml:"name" json:"name"`
	Params     Params `yaml:"params,omitempty" json:"params,omitempty"` // defaults for those left out
	Definition `yaml:",inline"`
}

// UnmarshalYAML reads the mapping of a configuration. A name alone is an error that says
// how it is written.
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
		example := "mess3"
		if slices.ContainsFunc(catalogue(), func(e Entry) bool { return e.Name == name }) {
			example = name
		}
		return fmt.Errorf("a mapping (key: value) is expected, not %s; want {name: %s}", quoted(name), example)
	}
	type plain Spec
	return unmarshal((*plain)(s))
}

// Definition is a hidden Markov model by its edges or its matrices. What is not
// listed has probability 0. With Right it is a generalised one, and entries may be
// of any sign; see [NewGeneralised].
type Definition struct {
	States      []string     `yaml:"states,omitempty" json:"states,omitempty"`
	Tokens      []string     `yaml:"tokens,omitempty" json:"tokens,omitempty"`
	Transitions []Transition `yaml:"transitions,omitempty" json:"transitions,omitempty"`
	// by token, then T^z[i][j]
	Matrices map[string][][]float64 `yaml:"matrices,omitempty" json:"matrices,omitempty"`
	Right    []float64              `yaml:"right,omitempty" json:"right,omitempty"`
}

// Transition is one edge: from a state, with probability P, emit a token and go to
// a state.
type Transition struct {
	From  string  `yaml:"from" json:"from"`
	To    string  `yaml:"to" json:"to"`
	Token string  `yaml:"token" json:"token"`
	P     float64 `yaml:"p" json:"p"`
}

// UnmarshalYAML reads the mapping of a configuration, in which p must be given: taken for
// 0, it would be another transition that is blamed.
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

// givenProbability is a probability that knows whether it was given.
type givenProbability struct {
	value float64
	given bool
}

func (p *givenProbability) UnmarshalYAML(unmarshal func(any) error) error {
	p.given = true
	return unmarshal(&p.value)
}

// FieldError says by its Path, such as "params.x" or "transitions[2].from", which field
// of a Spec is at fault, or which parameter, and by its Reason what would be right.
// Models and trainings have the same.
type FieldError = strict.FieldError

// Load makes the process that a YAML file describes: a Spec, in which an unknown
// key, a wrong type or an impossible value is an error with line and column. Files that
// the spec names it reads, see [Spec.WithFiles]. A sampler whose best prediction is not
// known is a [*NoOptimumError].
func Load(path string) (Process, error) { return withOptimum(LoadSampler(path)) }

// LoadSampler is Load, and takes samplers whose best prediction is not known, too.
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

// CheckYAML returns an error unless a file may hold YAML, by its name: numbers in a .csv
// are a parameter of the process recording.
func CheckYAML(path string) error {
	if !strings.EqualFold(filepath.Ext(path), ".csv") {
		return nil
	}
	return fmt.Errorf("%s: this is no YAML; numbers in a CSV are the parameter signal of the process recording, "+
		"as signal=@%s, or {name: recording, params: {signal: \"@%s\"}} in a configuration", path, path, path)
}

// Parse is Load for a file that is already in memory; name stands for it in errors. It
// reads no other file.
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

// Build makes the process, or returns a [*FieldError]; of a sampler whose best prediction
// is not known, a [*NoOptimumError].
func (s Spec) Build() (Process, error) { return withOptimum(s.BuildSampler()) }

// BuildSampler is Build, and takes samplers whose best prediction is not known, too.
func (s Spec) BuildSampler() (Sampler, error) {
	switch {
	case s.Name == "" && s.defined():
		return nil, strict.Fieldf("name", "is missing; give the process one of your own")
	case s.Name == "":
		return nil, strict.Fieldf("name", "is missing; `foretell process list` shows the processes")
	case s.ByCode():
		return nil, strict.Fieldf("name", "= %q is a process that Go code makes, which alone can make it again", s.Name)
	case s.defined() && len(s.Params) > 0:
		return nil, strict.Fieldf("params", "belong to a process of the zoo; leave them out, or states, "+
			"tokens and what goes with them")
	case s.defined():
		h, err := s.Definition.build(s.Name)
		if err != nil {
			return nil, err
		}
		return h, nil
	}
	p, err := BuildSampler(s.Name, s.Params)
	if err != nil && IsFile(s.Name) {
		return nil, strict.Fieldf("name", "= %q is a file's; write what the file says in its place: name, states, tokens, "+
			"and transitions or matrices", s.Name)
	}
	if err != nil {
		return nil, strict.Fieldf(s.culprit(err), "is not possible: %v", err)
	}
	return p, nil
}

// codePrefix begins the name of a process that Go code makes, as in go:mine.
const codePrefix = "go:"

// ByCode says whether the spec only names a process that Go code makes, as [SpecOf] does:
// there is nothing of which it could be built.
func (s Spec) ByCode() bool { return strings.HasPrefix(s.Name, codePrefix) && !s.defined() }

// SpecOf says of a process that Go code has made which it is: of a hidden Markov model
// its matrices, of which Build makes it again, of any other go:NAME, its name, with its
// [Fingerprint] as the parameter sha256.
func SpecOf(p Sampler) Spec {
	if h, ok := p.(*HMM); ok {
		s := Spec{Name: h.name, Definition: h.definition()}
		if _, err := s.Build(); err == nil {
			return s
		}
	}
	return Spec{Name: codePrefix + p.Name(), Params: Params{"sha256": Fingerprint(p)}}
}

// HMM is Build for a hidden Markov model. A process of another kind is an error, too.
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

// Plain returns s as a configuration says it: numbers that Go code has given as int are
// float64, and there are no parameters that are empty.
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

// Entry returns the catalogue's entry of the process, or false where there is none or
// the spec defines a process of its own.
func (s Spec) Entry() (Entry, bool) {
	entry, _, err := Resolve(s.Name, nil)
	return entry, err == nil && !s.defined()
}

// IsFile says whether the name of a process is the path of a file that defines it.
func IsFile(name string) bool {
	return strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") ||
		strings.HasSuffix(name, ".csv")
}

// defined says whether the spec defines its process.
func (s Spec) defined() bool {
	d := s.Definition
	return d.States != nil || d.Tokens != nil || d.Transitions != nil || d.Matrices != nil || d.Right != nil
}

// culprit returns the path of the field for which a process of the zoo cannot be
// made: its name, the parameter that is no process, as the error says, or the parameter
// that is wrong even on its own.
func (s Spec) culprit(err error) string {
	var inner *paramError
	if errors.As(err, &inner) {
		return "params." + inner.param // not tried again, or each process around it would double the work
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

// paramError is an error about the process that a parameter is.
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

// hmm builds the process of a spec, which a combinator takes as its parameter.
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
