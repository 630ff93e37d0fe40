package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"foretell/craft"
	"foretell/inspect"
	"foretell/paper"
	"foretell/process"
	"foretell/run"

	"github.com/spf13/cobra"
)

// completeFlag says what the shell offers for a flag's value. A flag that the
// command lacks is a mistake of the program.
func completeFlag(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic("foretell: " + err.Error())
	}
}

// completeProcess offers the names of processes, and files, which may define one.
func completeProcess(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, e := range process.Catalogue() {
		names = append(names, cobra.CompletionWithDesc(e.Name, e.Summary))
	}
	return names, cobra.ShellCompDirectiveDefault
}

// completeParam offers the parameters of the process that the command line names,
// or of all of them.
func completeParam(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, e := range process.Catalogue() {
		for _, p := range e.Params {
			if len(args) == 0 || e.Name == args[0] {
				names = append(names, cobra.CompletionWithDesc(p.Name+"=", e.Name+": in "+p.Range+", "+p.Summary))
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completePaper offers the names of papers that are not given yet.
func completePaper(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, p := range paper.Papers {
		if !slices.Contains(args, p.Name) {
			names = append(names, cobra.CompletionWithDesc(p.Name, p.Title))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeClaims offers the ids of claims after those that the list has already.
func completeClaims(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	p, err := papersNamed(args)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	before := typed[:strings.LastIndex(typed, ",")+1]
	var ids []string
	for _, row := range p.Rows {
		if !strings.Contains(","+before, ","+row.ID+",") {
			ids = append(ids, cobra.CompletionWithDesc(before+row.ID, row.Statement))
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeRun offers the folders of runs, and what they are: those in the usual places
// and those whose name begins as typed. Without any it offers every folder.
func completeRun(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var offers, seen []string
	for _, info := range slices.Concat(runsBelow("runs"), runsBelow("reports"), runsAt(typed+"*"), runsAt(typed+"/*")) {
		if strings.HasPrefix(info.Dir, typed) && !slices.Contains(seen, info.Dir) {
			seen = append(seen, info.Dir)
			offers = append(offers, cobra.CompletionWithDesc(info.Dir, describeRun(info)))
		}
	}
	if len(offers) == 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// runsBelow lists the runs below a folder; none where it cannot be read.
func runsBelow(root string) []run.Info {
	list, _ := run.List(root)
	return list
}

// runsAt lists the runs in the folders that a pattern fits; none if it is no pattern.
func runsAt(pattern string) (list []run.Info) {
	folders, _ := filepath.Glob(pattern)
	for _, folder := range folders {
		if info, ok := run.Describe(folder); ok {
			list = append(list, info)
		}
	}
	return list
}

// describeRun says of a run what it learns and how far it has come.
func describeRun(info run.Info) string {
	switch {
	case info.Err != nil:
		return "its config.yaml cannot be read"
	case info.Steps == 0:
		return "a model"
	case info.Complete:
		return fmt.Sprintf("%s, %d steps", info.Process, info.Steps)
	}
	return fmt.Sprintf("%s, step %d of %d", info.Process, info.Step, info.Steps)
}

// completeModel offers runs and hand-written models.
func completeModel(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	offers, directive := completeRun(cmd, args, typed)
	for _, c := range craft.Constructions() {
		if name := inspect.CraftPrefix + c.Name; len(args) == 0 && strings.HasPrefix(name, typed) {
			offers = append(offers, cobra.CompletionWithDesc(name, c.Summary))
		}
	}
	if len(offers) > 0 {
		directive = cobra.ShellCompDirectiveNoFileComp
	}
	return offers, directive
}

// completeCraftedParam offers the parameters of the hand-written model that the
// command line names, or of all of them.
func completeCraftedParam(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, c := range craft.Constructions() {
		for _, p := range c.Params {
			if len(args) == 0 || inspect.CraftPrefix+c.Name == args[0] {
				names = append(names, cobra.CompletionWithDesc(p.Name+"=", c.Name+": in "+p.Range+", "+p.Summary))
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeConfig offers YAML files.
func completeConfig(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeFolder offers folders.
func completeFolder(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}
