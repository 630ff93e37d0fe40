package process

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"foretell/internal/strict"
	"foretell/internal/text"
)

// Params are parameters by name, of a process or of anything else with named
// parameters, such as a hand-written model. A value is a number (float64; int is also
// accepted from Go code), a text (string), a list of numbers ([]float64), a matrix by
// rows ([][]float64), a process (Spec, or a text that names a process of the zoo) or a
// list of processes ([]Spec).
type Params map[string]any

// Param is one parameter.
type Param struct {
	Name    string
	Default any    // of the parameter's type: float64, string, []float64, [][]float64, Spec or []Spec
	Range   string // what is allowed, such as "(0, 0.5]"
	Summary string // what the parameter means, in one line
}

// ResolveParams returns a value of the right type for every known parameter: the given
// value, or else the default. Errors begin with owner, the name of the process or model.
// ResolveParams returns an error if a parameter is unknown or a value has the wrong type;
// the error about a type wraps a [*FieldError] with the parameter's name. ResolveParams
// does not check ranges; the owner does.
func ResolveParams(owner string, known []Param, given Params) (Params, error) {
	all := text.Each(known, func(p Param) string { return p.Name })
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("%s: unknown parameter %q: %s", owner, name, strict.Choice(name, all))
		}
	}
	full := make(Params, len(known))
	for _, p := range known {
		full[p.Name] = p.Default
		if v, ok := given[p.Name]; ok {
			if full[p.Name], ok = p.convert(v); !ok {
				return nil, badParam(owner, p.Name, "= %s is not %s", quoted(v), p.wanted())
			}
		}
	}
	return full, nil
}

// convert returns v converted to the type of p's default.
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

// wanted describes a valid value of p.
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

// Number returns a parameter that is a number. Like the other methods for a type, it
// expects the result of [ResolveParams], and panics if the parameter has another type.
func (p Params) Number(name string) float64 { return p[name].(float64) }

// Text returns a parameter that is a text.
func (p Params) Text(name string) string { return p[name].(string) }

// List returns a parameter that is a list of numbers.
func (p Params) List(name string) []float64 { return p[name].([]float64) }

// Matrix returns a parameter that is a matrix, as a list of rows. The rows may differ in
// length.
func (p Params) Matrix(name string) [][]float64 { return p[name].([][]float64) }

// Spec returns a parameter that is a process.
func (p Params) Spec(name string) Spec { return p[name].(Spec) }

// Specs returns a parameter that is a list of processes.
func (p Params) Specs(name string) []Spec { return p[name].([]Spec) }

// Whole returns a parameter that must be a whole number in [low, high]; math.MinInt and
// math.MaxInt mean no bound. An error wraps a [*FieldError].
func (p Params) Whole(owner, name string, low, high int) (int, error) {
	return whole(owner, name, p.Number(name), low, high)
}

// Wholes is [Params.Whole] for a list of numbers, all of which must be whole.
func (p Params) Wholes(owner, name string, low, high int) ([]int, error) {
	list := make([]int, len(p.List(name)))
	for i, v := range p.List(name) {
		var err error
		if list[i], err = whole(owner, fmt.Sprintf("%s[%d]", name, i), v, low, high); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// whole returns v, the parameter at path, as a whole number in [low, high].
func whole(owner, path string, v float64, low, high int) (int, error) {
	const exact = 1 << 53 // a float64 represents every whole number up to here exactly
	n := int(v)
	if math.Abs(v) <= exact && float64(n) == v && low <= n && n <= high {
		return n, nil
	}
	if low == math.MinInt && high == math.MaxInt {
		return 0, badParam(owner, path, "= %g is not a whole number", v)
	}
	if high == math.MaxInt {
		return 0, badParam(owner, path, "= %g is not a whole number of %d or more", v, low)
	}
	return 0, badParam(owner, path, "= %g is not a whole number in [%d, %d]", v, low, high)
}

// checkProbability returns an error unless p, the value of a parameter, is in [0, 1].
func checkProbability(owner, param string, p float64) error {
	if !(p >= 0 && p <= 1) {
		return badParam(owner, param, "= %g is outside [0, 1]", p)
	}
	return nil
}

// badParam returns an error about a parameter.
func badParam(owner, path, format string, arguments ...any) error {
	return fmt.Errorf("%s: %w", owner, strict.Fieldf(path, format, arguments...))
}
