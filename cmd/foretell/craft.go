package main

import (
	"fmt"

	"foretell/craft"
	"foretell/inspect"
	"foretell/process"

	"github.com/spf13/cobra"
)

// craftedHelp lists the hand-written models with their parameters.
func craftedHelp() string {
	text := "Models written by hand:"
	for _, c := range craft.Constructions() {
		text += fmt.Sprintf("\n  %s%s: %s (%s)", inspect.CraftPrefix, c.Name, c.Summary, defaults(c.Params))
	}
	return text
}

// addCraftedParams gives a command the flag --param for a hand-written model.
func addCraftedParams(cmd *cobra.Command, params *[]string) {
	cmd.Flags().StringArrayVar(params, "param", nil, "a parameter of a hand-written model, "+paramForms)
	completeFlag(cmd, "param", completeCraftedParam)
}

// openModel opens any MODEL and passes its notes on.
func openModel(cmd *cobra.Command, arg string, paramFlags []string) (*inspect.Model, error) {
	name, written := inspect.CraftedName(arg)
	params, err := parseParams(craftedParams(name), paramFlags, "a=2, or name=@FILE")
	if err != nil {
		return nil, err
	}
	m, err := inspect.Open(arg, params)
	if written {
		err = wrongUsage(err)
	}
	if err != nil {
		return nil, aboutParams(err)
	}
	for _, note := range m.Notes() {
		fmt.Fprintln(cmd.ErrOrStderr(), "note: "+note)
	}
	return m, nil
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
