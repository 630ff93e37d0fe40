package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"foretell/craft"
	"foretell/process"

	"github.com/spf13/cobra"
)

// craftPrefix begins the MODEL that is written by hand.
const craftPrefix = "craft:"

// craftedName returns the NAME of craft:NAME.
func craftedName(arg string) (name string, ok bool) { return strings.CutPrefix(arg, craftPrefix) }

// craftedHelp lists the hand-written models with their parameters.
func craftedHelp() string {
	text := "Models written by hand:"
	for _, c := range craft.Constructions() {
		text += fmt.Sprintf("\n  %s%s: %s (%s)", craftPrefix, c.Name, c.Summary, assignments(c.Params, func(p process.Param) any { return p.Default }))
	}
	return text
}

// addCraftedParams gives a command the flag --param for a hand-written model.
func addCraftedParams(cmd *cobra.Command, params *[]string) {
	cmd.Flags().StringArrayVar(params, "param", nil, "a parameter of a hand-written model, as `name=value`, or name=@FILE with the value as JSON; may be repeated")
	completeFlag(cmd, "param", completeCraftedParam)
}

// noParams returns an error if parameters are given for a MODEL that takes none.
func noParams(arg string, params []string) error {
	if len(params) == 0 {
		return nil
	}
	return wrongUsage(fmt.Errorf("--param: %s is no hand-written model (craft:NAME), and others take no parameters", arg))
}

// buildCrafted makes craft:NAME.
func buildCrafted(name string, paramFlags []string) (*craft.Crafted, error) {
	params := craft.Params{}
	for _, item := range paramFlags {
		param, text, ok := strings.Cut(item, "=")
		if !ok || param == "" || text == "" {
			return nil, wrongUsage(fmt.Errorf("--param: %q is not of the form name=value, such as a=2, or name=@FILE", item))
		}
		if _, twice := params[param]; twice {
			return nil, wrongUsage(fmt.Errorf("--param: %s is given twice", param))
		}
		value, err := parseJSONParam(param, text)
		if err != nil {
			return nil, err
		}
		params[param] = value
	}
	m, err := craft.Make(name, params)
	return m, wrongUsage(err)
}

// parseJSONParam reads the value of a parameter: JSON, or @FILE for a file that holds it.
func parseJSONParam(param, text string) (value any, err error) {
	data, what := []byte(text), strconv.Quote(text)
	if file, ok := strings.CutPrefix(text, "@"); ok {
		if data, err = os.ReadFile(file); err != nil {
			return nil, fmt.Errorf("--param %s: %w", param, err)
		}
		what = file
	}
	if err := json.Unmarshal(data, &value); err != nil {
		return nil, wrongUsage(fmt.Errorf("--param %s: %s is no JSON value, such as 0.5 or [1, 2]: %w", param, what, err))
	}
	return value, nil
}
