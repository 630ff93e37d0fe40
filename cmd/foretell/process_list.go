package main

import (
	"fmt"
	"text/tabwriter"

	"foretell/process"

	"github.com/spf13/cobra"
)

// listing is an entry of `process list`.
type listing struct {
	Name     string         `json:"name"`
	Kind     string         `json:"kind"`
	Params   process.Params `json:"params"` // defaults
	States   int            `json:"states"` // 0 if there are none
	Alphabet int            `json:"alphabet"`
	Summary  string         `json:"summary"`
}

func newProcessList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the processes with their parameters' defaults", Example: "  foretell process list --json",
		Args: noArgument, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := listProcesses()
			if err != nil {
				return err
			}
			if wantsJSON(cmd) {
				return printJSON(cmd, list)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for i, e := range process.Catalogue() {
				defaults := assignments(e.Params, func(p process.Param) any { return p.Default })
				states := "–"
				if list[i].States > 0 {
					states = count(list[i].States, "state")
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", e.Name, defaults, states, count(list[i].Alphabet, "token"), e.Summary)
			}
			return w.Flush()
		},
	}
}

func listProcesses() ([]listing, error) {
	var list []listing
	for _, e := range process.Catalogue() {
		p, err := process.Build(e.Name, nil)
		if err != nil {
			return nil, err
		}
		item := listing{Name: e.Name, Kind: e.Kind, Params: process.Params{}, Alphabet: p.Alphabet(), Summary: e.Summary}
		for _, param := range e.Params {
			item.Params[param.Name] = param.Default
		}
		if h, ok := p.(*process.HMM); ok {
			item.States = h.NumStates()
		}
		list = append(list, item)
	}
	return list, nil
}
