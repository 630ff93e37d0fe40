package main

import (
	"fmt"
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
	cmd.Flags().StringArrayVar(params, "param", nil, "a parameter of a hand-written model, "+paramForms)
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
	params, err := parseParams(craftedParams(name), paramFlags, "a=2, or name=@FILE")
	if err != nil {
		return nil, err
	}
	m, err := craft.Make(name, params)
	return m, wrongUsage(err)
}

// craftedParams returns the parameters of a hand-written model, none if there is none of
// that name.
func craftedParams(name string) []process.Param {
	for _, c := range craft.Constructions() {
		if c.Name == name {
			return c.Params
		}
	}
	return nil
}
