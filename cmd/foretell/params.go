package main

import (
	"fmt"
	"slices"

	"foretell/craft"
	"foretell/describe"
	"foretell/inspect"
	"foretell/internal/limit"
	"foretell/process"

	"github.com/spf13/cobra"
)

// adjustable is a process or a hand-written model that takes parameters.
type adjustable struct {
	argument string // the argument that names it on the command line, such as "craft:coin"
	name     string
	summary  string
	params   []process.Param
}

// zoo lists the built-in processes.
func zoo() (list []adjustable) {
	for _, e := range process.Catalogue() {
		list = append(list, adjustable{e.Name, e.Name, e.Summary, e.Params})
	}
	return list
}

// handWritten lists the models that are written by hand.
func handWritten() (list []adjustable) {
	for _, c := range craft.Constructions() {
		list = append(list, adjustable{inspect.CraftPrefix + c.Name, c.Name, c.Summary, c.Params})
	}
	return list
}

// craftedHelp lists the hand-written models, except those in without, and parameters.
func craftedHelp(without ...string) string {
	text := "Models written by hand:"
	for _, m := range handWritten() {
		if slices.Contains(without, m.argument) {
			continue
		}
		text += fmt.Sprintf("\n  %s: %s (%s)", m.argument, m.summary, describe.Defaults(m.params))
	}
	return text
}

// addParams gives a command the flag --param for the item of list that it is called with.
func addParams(cmd *cobra.Command, params *[]string, what string, list []adjustable) {
	cmd.Flags().StringArrayVar(params, "param", nil,
		"a parameter of "+what+": `name=value`, or name=@FILE for a file with JSON or one "+
			"number per line; may be repeated")
	completeFlag(cmd, "param", func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var offers []string
		for _, of := range list {
			for _, p := range of.params {
				if len(args) == 0 || of.argument == args[0] {
					about := of.name + ": in " + p.Range + ", " + p.Summary
					offers = append(offers, cobra.CompletionWithDesc(p.Name+"=", about))
				}
			}
		}
		return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

// paramsOf returns the parameters of the item of list that an argument names, or nil.
func paramsOf(list []adjustable, argument string) []process.Param {
	at := slices.IndexFunc(list, func(of adjustable) bool { return of.argument == argument })
	if at < 0 {
		return nil
	}
	return list[at].params
}

// parseParams reads the values of --param name=value. An error is wrong usage, unless a
// file cannot be read.
func parseParams(known []process.Param, list []string, example string) (process.Params, error) {
	params, err := process.ParseParams("--param", known, list, example)
	if limit.Unread(err) {
		return nil, err
	}
	return params, wrongUsage(err)
}
