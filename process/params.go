package process

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/strict"
)

// Params are parameters of a process by name. A value is a number (float64, or int
// when Go code gives it), a text (string), a list of numbers ([]float64), a matrix
// by rows ([][]float64), a process (Spec, or a text that names one of the zoo) or a
// list of processes ([]Spec).
type Params map[string]any

// UnmarshalYAML reads the mapping of a configuration.
func (p *Params) UnmarshalYAML(unmarshal func(any) error) error {
	var read map[string]paramValue
	if err := unmarshal(&read); err != nil {
		return err
	}
	*p = nil
	if len(read) > 0 {
		*p = Params{}
	}
	for name, v := range read {
		(*p)[name] = v.any
	}
	return nil
}

// paramValue reads the value of a parameter, whose type follows from its form.
type paramValue struct{ any }

func (v *paramValue) UnmarshalYAML(unmarshal func(any) error) error {
	var natural any
	if err := unmarshal(&natural); err != nil {
		return err
	}
	list, _ := natural.([]any)
	switch natural := natural.(type) {
	case int:
		v.any = float64(natural)
		return nil
	case map[string]any:
		return decodeAs[Spec](&v.any, unmarshal)
	case []any:
		switch {
		case slices.ContainsFunc(list, isProcess):
			var list []listedSpec
			if err := unmarshal(&list); err != nil {
				return err
			}
			specs := make([]Spec, len(list))
			for i, item := range list {
				specs[i] = Spec(item)
			}
			v.any = specs
			return nil
		case slices.ContainsFunc(list, func(item any) bool { _, ok := item.([]any); return ok }):
			return decodeAs[[][]float64](&v.any, unmarshal)
		}
		return decodeAs[[]float64](&v.any, unmarshal)
	}
	v.any = natural
	return nil
}

func isProcess(item any) bool {
	switch item.(type) {
	case string, map[string]any:
		return true
	}
	return false
}

// listedSpec is a Spec in a list, where a text names a process of the zoo.
type listedSpec Spec

func (s *listedSpec) UnmarshalYAML(unmarshal func(any) error) error {
	var natural any
	if err := unmarshal(&natural); err != nil {
		return err
	}
	if name, ok := natural.(string); ok {
		s.Name = name
		return nil
	}
	return unmarshal((*Spec)(s))
}

func decodeAs[T any](to *any, unmarshal func(any) error) error {
	var value T
	if err := unmarshal(&value); err != nil {
		return err
	}
	*to = value
	return nil
}

// ParseParam reads a parameter's value as a command line gives it, in YAML:
// "0.15", "ABC", "[[0.9, 0.1], [0.5, 0.5]]", "{name: mess3, params: {x: 0.05}}". Where
// the process of that name wants a text, it is the text as it stands.
func ParseParam(process, param, text string) (any, error) {
	for _, entry := range catalogue() {
		for _, p := range entry.Params {
			if _, ok := p.Default.(string); ok && entry.Name == process && p.Name == param {
				return text, nil
			}
		}
	}
	var v paramValue
	if err := strict.Unmarshal("--param "+param, []byte(text), &v); err != nil {
		return nil, err
	}
	return v.any, nil
}

// convert returns v as a value of the type that p's default has.
func (p Param) convert(v any) (value any, ok bool) {
	switch p.Default.(type) {
	case float64:
		if whole, isInt := v.(int); isInt {
			return float64(whole), true
		}
		value, ok = v.(float64)
	case string:
		value, ok = v.(string)
	case []float64:
		value, ok = v.([]float64)
	case [][]float64:
		value, ok = v.([][]float64)
	case Spec:
		if name, isName := v.(string); isName {
			return Spec{Name: name}, true
		}
		value, ok = v.(Spec)
	case []Spec:
		value, ok = v.([]Spec)
	default:
		panic(fmt.Sprintf("process: parameter %s has a default of type %T", p.Name, p.Default))
	}
	return value, ok
}

// wanted says what a value of p is.
func (p Param) wanted() string {
	switch p.Default.(type) {
	case string:
		return "a text; put a number in quotes"
	case []float64:
		return "a list of numbers, such as [0.5, 0.5]"
	case [][]float64:
		return "a matrix by rows, such as [[0.9, 0.1], [0.5, 0.5]]"
	case Spec:
		return "a process, such as mess3 or {name: mess3, params: {x: 0.05}}"
	case []Spec:
		return "a list of processes, such as [mess3, {name: mess3, params: {x: 0.05}}]"
	}
	return "a number"
}

// number, text and so on return a value that Build has converted.
func (p Params) number(name string) float64     { return p[name].(float64) }
func (p Params) text(name string) string        { return p[name].(string) }
func (p Params) list(name string) []float64     { return p[name].([]float64) }
func (p Params) matrix(name string) [][]float64 { return p[name].([][]float64) }

// hmm returns the hidden Markov model that a parameter of a combinator names.
func (p Params) hmm(combinator, name string) (*HMM, error) {
	return p[name].(Spec).hmm(combinator, name)
}

// hmms returns the hidden Markov models that a parameter of a combinator lists.
func (p Params) hmms(combinator, name string) ([]*HMM, error) {
	var list []*HMM
	for i, spec := range p[name].([]Spec) {
		h, err := spec.hmm(combinator, fmt.Sprintf("%s[%d]", name, i))
		if err != nil {
			return nil, err
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

// whole returns a parameter that has to be a whole number in [low, high].
func (p Params) whole(process, name string, low, high int) (int, error) {
	v := p.number(name)
	if !(v >= float64(low) && v <= float64(high)) || v != float64(int(v)) {
		return 0, fmt.Errorf("%s: %s = %g is not a whole number in [%d, %d]", process, name, v, low, high)
	}
	return int(v), nil
}

// FormatValue writes the value of a parameter as ParseParam reads it: a text as it
// stands, everything else as YAML on one line.
func FormatValue(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []float64:
		return formatList(v)
	case [][]float64:
		return formatList(v)
	case []Spec:
		return formatList(v)
	case Spec:
		return v.format()
	}
	return fmt.Sprint(v)
}

func formatList[T any](list []T) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = FormatValue(v)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

func (s Spec) format() string {
	if s.defined() {
		text, err := json.Marshal(s) // which is YAML, too
		if err != nil {
			panic(fmt.Sprintf("process: %v", err)) // of numbers that no process has
		}
		return string(text)
	}
	if len(s.Params) == 0 {
		return s.Name
	}
	var params []string
	for _, name := range slices.Sorted(maps.Keys(s.Params)) {
		value := FormatValue(s.Params[name])
		if text, ok := s.Params[name].(string); ok {
			value = strconv.Quote(text) // or 101 would be a number
		}
		params = append(params, name+": "+value)
	}
	return fmt.Sprintf("{name: %s, params: {%s}}", s.Name, strings.Join(params, ", "))
}
