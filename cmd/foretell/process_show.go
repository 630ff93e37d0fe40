package main

import (
	"fmt"
	"io"
	"slices"

	"foretell/inspect"

	"github.com/spf13/cobra"
)

// graphs are what `process show` draws; from the third on they are no graphs in the
// sense of dot.
var graphs = []string{"states", "beliefs", "geometry", "attention"}

func newProcessShow() *cobra.Command {
	var format, graph string
	formats := []string{"text", "dot", "svg"}
	cmd := aboutProcess("show",
		"Show a process: parameters, matrices, stationary distribution, beliefs, spectrum, entropies; or draw it",
		`  foretell process show mess3 --param x=0.5 --param a=0.2
  foretell process show even --format svg --graph beliefs
  foretell process show mess3 --format svg --graph geometry`,
		func(cmd *cobra.Command, s inspect.Subject) error {
			if err := oneOf("--format", format, formats...); err != nil {
				return err
			}
			if err := oneOf("--graph", graph, graphs...); err != nil {
				return err
			}
			if format == "dot" && slices.Contains(graphs[2:], graph) {
				return wrongUsage(fmt.Errorf("--graph %s is a picture, not a graph; give --format svg", graph))
			}
			if format == "text" {
				d, err := inspect.Describe(s)
				if err != nil {
					return err
				}
				return show(cmd, d, 2, func(out io.Writer) { printDescription(out, d) })
			}
			if wantsJSON(cmd) {
				return wrongUsage(fmt.Errorf("--json and --format %s are both given; give one of them", format))
			}
			return drawProcess(cmd, s.Process, format, graph)
		})
	cmd.Flags().StringVar(&format, "format", "text", "text, dot (for Graphviz) or svg")
	cmd.Flags().StringVar(&graph, "graph", "states", "what dot and svg draw: the hidden states, or the beliefs of an "+
		"optimal observer where there are finitely many; svg also their geometry, beside the constrained and the linear "+
		"beliefs, and the attention that builds the constrained ones")
	completeFlag(cmd, "format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "graph", cobra.FixedCompletions(graphs, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}
