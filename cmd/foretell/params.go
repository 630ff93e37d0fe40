package main

import (
	"fmt"
	"slices"

	"foretell/craft"
	"foretell/inspect"
	"foretell/internal/limit"
	"foretell/process"

	"github.com/spf13/cobra"
)

// adjustable is what takes parameters: a process of the zoo or a hand-written model.
type adjustable struct {
	argument string // of the command line, such as "craft:coin"
	name     string
	summary  string
	params   []process.Param
}

// zoo lists the processes that have a name.
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

// craftedHelp lists the hand-written models with their parameters, but for some.
func craftedHelp(without ...string) string {
	text := "Models written by hand:"
	for _, m := range handWritten() {
		if slices.Contains(without, m.argument) {
			continue
		}
		text += fmt.Sprintf("\n  %s: %s (%s)", m.argument, m.summary, inspect.Defaults(m.params))
	}
	return text
}

// addParams gives a command the flag --param for one of a list, which its first argument
// names.
func addParams(cmd *cobra.Command, params *[]string, what string, list []adjustable) {
	cmd.Flags().StringArrayVar(params, "param", nil,
		"a parameter of "+what+", as `name=value`, or name=@FILE with the value as JSON or "+
			"numbers one a line; may be repeated")
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

// paramsOf returns the parameters of what an argument names, none if that is not in the
// list.
func paramsOf(list []adjustable, argument string) []process.Param {
	at := slices.IndexFunc(list, func(of adjustable) bool { return of.argument == argument })
	if at < 0 {
		return nil
	}
	return list[at].params
}

// parseParams reads the values of --param name=value. A file that cannot be read is no
// wrong usage.
func parseParams(known []process.Param, list []string, example string) (process.Params, error) {
	params, err := process.ParseParams("--param", known, list, example)
	if limit.Unread(err) {
		return nil, err
	}
	return params, wrongUsage(err)
}
