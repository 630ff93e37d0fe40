package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"foretell/process"
)

// paramForms says in a flag's help how a parameter is given.
const paramForms = "as `name=value`, or name=@FILE with the value as JSON; may be repeated"

// processParams returns the parameters of a process of the zoo, none if there is none of
// that name.
func processParams(name string) []process.Param {
	for _, entry := range process.Catalogue() {
		if entry.Name == name {
			return entry.Params
		}
	}
	return nil
}

// parseParams reads the values of --param name=value. Those of names that are not known
// it reads, too: whose parameters they are has to say that they are none.
func parseParams(known []process.Param, list []string, example string) (process.Params, error) {
	params := process.Params{}
	for _, item := range list {
		name, text, ok := strings.Cut(item, "=")
		if !ok || name == "" || text == "" {
			return nil, wrongUsage(fmt.Errorf("--param: %q is not of the form name=value, such as %s", item, example))
		}
		if _, twice := params[name]; twice {
			return nil, wrongUsage(fmt.Errorf("--param: %s is given twice", name))
		}
		var param process.Param
		if at := slices.IndexFunc(known, func(p process.Param) bool { return p.Name == name }); at >= 0 {
			param = known[at]
		}
		value, err := parseParam(param, "--param "+name, text)
		if err != nil {
			return nil, err
		}
		params[name] = value
	}
	return params, nil
}

// parseParam reads the value of a parameter: the text of a flag, or @FILE for a file that
// holds it as JSON. A parameter that is a text is as it stands, whatever it begins with.
func parseParam(param process.Param, flag, text string) (any, error) {
	_, isText := param.Default.(string)
	if file, ok := strings.CutPrefix(text, "@"); ok && !isText {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		var compact bytes.Buffer // on one line, without tabs, which YAML would not have
		if err := json.Compact(&compact, data); err != nil {
			return nil, wrongUsage(fmt.Errorf("%s: %s is no JSON value, such as 0.5 or [1, 2]: %w", flag, file, err))
		}
		text = compact.String()
	}
	value, err := param.Parse(flag, text)
	return value, wrongUsage(err)
}
