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

// UnmarshalYAML reads parameters from a YAML mapping.
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

// paramValue reads the value of a parameter; the form of the YAML determines its type.
type paramValue struct{ any }

func (v *paramValue) UnmarshalYAML(unmarshal func(any) error) error {
	var form strict.Form
	if err := unmarshal(&form); err != nil {
		return err
	}
	switch form {
	case strict.Number:
		return decodeAs[float64](&v.any, unmarshal)
	case strict.Mapping:
		return decodeAs[Spec](&v.any, unmarshal)
	case strict.List:
		return v.unmarshalList(unmarshal)
	}
	return unmarshal(&v.any)
}

// unmarshalList reads a list of processes, a matrix, or a list of numbers.
func (v *paramValue) unmarshalList(unmarshal func(any) error) error {
	var forms []strict.Form
	if err := unmarshal(&forms); err != nil {
		return err
	}
	switch {
	case len(forms) > 0 && forms[0] == strict.Number: // a list that begins with a number is not a list of processes
	case slices.Contains(forms, strict.Text) || slices.Contains(forms, strict.Mapping):
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
	case slices.Contains(forms, strict.List):
		return decodeAs[[][]float64](&v.any, unmarshal)
	}
	return decodeAs[[]float64](&v.any, unmarshal)
}

// listedSpec is a Spec in a list, where a text may name a process of the zoo.
type listedSpec Spec

func (s *listedSpec) UnmarshalYAML(unmarshal func(any) error) error {
	var form strict.Form
	if err := unmarshal(&form); err != nil {
		return err
	}
	if form == strict.Text {
		return unmarshal(&s.Name)
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

// Parse reads a value of p from a command line. It is YAML, which includes JSON: "0.15",
// "[[0.9, 0.1], [0.5, 0.5]]", "{name: mess3, params: {x: 0.05}}". If p is a text, the
// value is the text itself. Errors begin with source, the place where the value was
// given.
func (p Param) Parse(source, text string) (any, error) {
	if _, ok := p.Default.(string); ok {
		return text, nil
	}
	var v paramValue
	if err := strict.Unmarshal(source, []byte(text), &v); err != nil {
		return nil, err
	}
	return v.any, nil
}

// FormatValue writes the value of a parameter in a form that [Param.Parse] reads: a
// text as it is, anything else as YAML on one line. It writes a value whose type no
// parameter has as JSON, or as the name of its type.
func FormatValue(v any) string {
	switch v := v.(type) {
	case string:
		return v
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
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("a Go value of type %T", v)
	}
	return string(text)
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
		text, err := json.Marshal(s) // JSON is also YAML
		if err != nil {
			panic(fmt.Sprintf("process: %v", err)) // a NaN or an infinity, which no process has
		}
		return string(text)
	}
	switch {
	case s.Name == "" && len(s.Params) == 0:
		return "{}"
	case len(s.Params) == 0:
		return s.Name
	}
	var params []string
	for _, name := range slices.Sorted(maps.Keys(s.Params)) {
		value := FormatValue(s.Params[name])
		if text, ok := s.Params[name].(string); ok {
			value = strconv.Quote(text) // otherwise the text 101 would be read as a number
		}
		params = append(params, name+": "+value)
	}
	return fmt.Sprintf("{name: %s, params: {%s}}", s.Name, strings.Join(params, ", "))
}

// quoted writes a value for an error message.
func quoted(v any) string {
	if text, ok := v.(string); ok {
		return strconv.Quote(text)
	}
	return FormatValue(v)
}
