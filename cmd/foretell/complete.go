package main

import (
	"slices"
	"strings"

	"foretell/claim"
	"foretell/internal/text"
	"foretell/paper"
	"foretell/run"

	"github.com/spf13/cobra"
)

// completeFlag sets the shell's completions of a flag's value. It panics if the command
// does not have the flag.
func completeFlag(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic("foretell: " + err.Error())
	}
}

// completeNothing offers no completion, not even files, for these flags.
func completeNothing(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		completeFlag(cmd, flag, cobra.NoFileCompletions)
	}
}

// completeProcess offers the names of processes, and files, which may define a process.
func completeProcess(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, p := range zoo() {
		names = append(names, cobra.CompletionWithDesc(p.argument, p.summary))
	}
	return names, cobra.ShellCompDirectiveDefault
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

// completeClaims offers the ids of claims that the list does not have yet.
func completeClaims(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	p, err := papersNamed(args)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	before := typed[:strings.LastIndex(typed, ",")+1]
	var ids []string
	for _, row := range p.Rows(claim.Quick) {
		if !strings.Contains(","+before, ","+row.ID+",") {
			ids = append(ids, cobra.CompletionWithDesc(before+row.ID, row.Statement))
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeRun offers the runs below runs/ and reports/ and those whose path begins with
// the typed text, with descriptions; folders if there are no such runs.
func completeRun(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var offers []string
	for _, info := range run.Suggest(typed) {
		if text.Escape(info.Dir) == info.Dir { // the shell reads one offer per line
			offers = append(offers, cobra.CompletionWithDesc(info.Dir, text.Escape(info.String())))
		}
	}
	if len(offers) == 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// completeModel offers runs and hand-written models for the first argument.
func completeModel(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	offers, directive := completeRun(cmd, args, typed)
	for _, m := range handWritten() {
		if strings.HasPrefix(m.argument, typed) {
			offers = append(offers, cobra.CompletionWithDesc(m.argument, m.summary))
		}
	}
	if len(offers) > 0 {
		directive = cobra.ShellCompDirectiveNoFileComp
	}
	return offers, directive
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
