package process

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/datafile"
	"foretell/internal/decimal"
	"foretell/internal/limit"
	"foretell/internal/strict"
)

// ParseParams reads values from a command line or a form. Each assignment is name=value
// or name=@FILE, where FILE holds the value as JSON or, for a list, as one column of a
// table: @tide.csv:2 is the second column, @tide.csv:level the column named level. A text
// parameter is taken literally, whatever it begins with. Unknown names are parsed too;
// [ResolveParams] rejects them. Errors begin with source, the place where the values were
// given, and show the example of an assignment. ParseParams returns an error if an
// assignment has another form, if a name is given twice, if a value cannot be parsed, or
// if a file cannot be read.
func ParseParams(source string, known []Param, assignments []string, example string) (Params, error) {
	params := Params{}
	for _, assignment := range assignments {
		name, text, ok := strings.Cut(assignment, "=")
		if !ok || name == "" || text == "" {
			return nil, fmt.Errorf("%s: %q is not of the form name=value, such as %s", source, assignment, example)
		}
		if _, twice := params[name]; twice {
			return nil, fmt.Errorf("%s: %s is given twice", source, name)
		}
		var param Param
		if at := slices.IndexFunc(known, func(p Param) bool { return p.Name == name }); at >= 0 {
			param = known[at]
		}
		value, err := param.parse(source+" "+name, text)
		if err != nil {
			return nil, err
		}
		params[name] = value
	}
	return params, nil
}

// parse reads a value of p, or the file that holds it.
func (p Param) parse(source, text string) (any, error) {
	_, isText := p.Default.(string)
	file, ok := strings.CutPrefix(text, "@")
	if !ok || isText {
		value, err := p.Parse(source, text)
		if meant := p.meant(value); meant != "" {
			return nil, fmt.Errorf("%s: %q is not %s; %s", source, text, p.wanted(), meant)
		}
		return value, err
	}
	if _, isList := p.Default.([]float64); isList {
		list, err := datafile.Numbers(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", source, err)
		}
		return list, nil
	}
	data, err := limit.ReadFile(file, "a value", datafile.MostBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	var compact bytes.Buffer // on one line and without tabs, which YAML does not allow
	if err := json.Compact(&compact, data); err != nil {
		return nil, fmt.Errorf("%s: %s is not a JSON value, such as 0.5 or [1, 2]: %w", source, file, err)
	}
	return p.Parse(source, compact.String())
}

// meant returns a hint if a text was given for a list of numbers and one can guess what
// was meant: a file without its @, or numbers without brackets. Otherwise it is empty.
func (p Param) meant(value any) string {
	text, isText := value.(string)
	if _, isList := p.Default.([]float64); !isList || !isText {
		return ""
	}
	if datafile.NamesTable(text) {
		return "write a file as @" + text
	}
	for field := range strings.SplitSeq(text, ",") {
		if _, err := decimal.Parse(strings.TrimSpace(field), 64); err != nil {
			return ""
		}
	}
	return "did you mean [" + text + "]?"
}

// fitsConfiguration returns an error unless the numbers of a file, with all their
// digits, fit into a configuration. The error says with how many digits they would fit.
func fitsConfiguration(path string, list []float64) error {
	const room = strict.MaxBytes - 1<<16 // the remainder is for the other fields
	size := func(digits int) (bytes int) {
		for _, x := range list {
			bytes += len(strconv.FormatFloat(x, 'g', digits, 64)) + len(", ")
		}
		return bytes
	}
	all := size(-1)
	if all <= room {
		return nil
	}
	for digits := 15; digits > 2; digits-- {
		if size(digits) <= room {
			return fmt.Errorf("%s has %d numbers of %d bytes in all, which do not fit into a configuration "+
				"of at most %d bytes; they fit if rounded to %d digits", path, len(list), all, strict.MaxBytes, digits)
		}
	}
	return fmt.Errorf("%s has %d numbers, which do not fit into a configuration of at most %d bytes; give fewer",
		path, len(list), strict.MaxBytes)
}

// read returns the spec in the file that s names.
func (s Spec) read() (Spec, error) {
	if len(s.Params) > 0 {
		return s, strict.Fieldf("params", "belong to a process of the zoo; write them into %s", s.Name)
	}
	found, err := specIn(s.Name)
	if err != nil {
		return s, strict.Fieldf("name", "is not possible: %v", err)
	}
	return found.WithFiles()
}

// specIn reads the spec in a file.
func specIn(path string) (found Spec, err error) {
	if err := CheckYAML(path); err != nil {
		return found, err
	}
	data, err := strict.ReadNamed(path)
	if err != nil {
		return found, err
	}
	document, err := strict.Parse(path, data)
	if err != nil {
		return found, err
	}
	if err := document.Decode(&found); err != nil {
		return found, err
	}
	if IsFile(found.Name) && !found.defined() {
		return found, fmt.Errorf("%s only names another file, %s; name that file", path, found.Name)
	}
	return found, nil
}

// WithFiles returns s with every list of numbers that is given as a file, as in
//
//	{name: recording, params: {signal: "@tide.csv"}}
//
// replaced by the numbers read from the file, as by [ParseParams]. A text names a file if
// it begins with @, or is the name of a .csv file or a column of one. Paths are relative
// to the current directory, wherever the spec comes from. A spec whose name is a file,
// such as ./mine.yaml, is replaced by the spec in that file. An error wraps a
// [*FieldError].
func (s Spec) WithFiles() (Spec, error) {
	if IsFile(s.Name) && !s.defined() {
		return s.read()
	}
	entry, known := s.Entry()
	if !known {
		return s, nil
	}
	cloned := false
	for _, p := range entry.Params {
		text, isText := s.Params[p.Name].(string)
		path, marked := strings.CutPrefix(text, "@")
		_, isList := p.Default.([]float64)
		if !isList || !isText || !marked && !datafile.NamesTable(text) {
			continue
		}
		list, err := datafile.Numbers(path)
		if folder, lost := os.Getwd(); errors.Is(err, os.ErrNotExist) && lost == nil && !filepath.IsAbs(path) {
			err = fmt.Errorf("%w (looked for in the current folder, %s)", err, folder)
		}
		if err == nil {
			err = fitsConfiguration(path, list)
		}
		if err != nil {
			return s, strict.Fieldf("params."+p.Name, "is not possible: %v", err)
		}
		if !cloned {
			s.Params, cloned = maps.Clone(s.Params), true
		}
		s.Params[p.Name] = list
	}
	return s, nil
}
