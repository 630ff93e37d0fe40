package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"foretell/describe"
	"foretell/document"

	"github.com/spf13/cobra"
)

// showOptions are the flags of `process show`.
type showOptions struct {
	format, graph string
	all           bool
	out           outFile
}

func newProcessShow() *cobra.Command {
	var o showOptions
	formats, graphs := []string{"text", "csv", "dot", "svg"}, describe.Drawings()
	cmd := aboutProcess("show",
		"Show a process: what it is, how well it can be predicted, with --all everything known; or draw it",
		`  foretell process show mess3 --param x=0.5 --param a=0.2
  foretell process show coin --out coin.svg
  foretell process show sine --out sine.html
  foretell process show even --graph beliefs --out even.svg`,
		func(cmd *cobra.Command, s describe.Subject) error {
			if err := oneOf("--format", o.format, formats...); err != nil {
				return err
			}
			if o.graph != "" || cmd.Flags().Changed("graph") {
				if err := oneOf("--graph", o.graph, graphs...); err != nil {
					return err
				}
			}
			if err := o.check(cmd); err != nil {
				return err
			}
			s.All = o.all
			defer late(cmd, "computing the properties of %s …", s.Process.Name())()
			return o.show(cmd, s)
		})
	cmd.Flags().StringVar(&o.format, "format", "text", "text, csv (the transitions), dot (for Graphviz) or svg, on stdout")
	cmd.Flags().StringVar(&o.graph, "graph", "", "what to draw (default: chosen for the process): "+
		"states, the hidden states; beliefs, the beliefs of an ideal observer, if there are finitely many; "+
		"geometry, optimal, constrained and linear beliefs side by side; "+
		"attention, the pattern that builds the constrained beliefs; dot has states and beliefs only")
	cmd.Flags().BoolVar(&o.all, "all", false,
		"print everything, and compute what takes more than a second or two")
	o.out.add(cmd, "write a picture, page, graph, table or everything", ".svg", ".html", ".dot", ".csv", ".json")
	completeFlag(cmd, "format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "graph", cobra.FixedCompletions(graphs, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// check sets the format from the flags, and returns an error if they contradict each
// other.
func (o *showOptions) check(cmd *cobra.Command) error {
	formatted := cmd.Flags().Changed("format")
	if err := o.out.check(cmd, nil); err != nil {
		return err
	}
	switch {
	case o.out.path != "" && formatted:
		return wrongUsage(fmt.Errorf("--format and --out are both given; the ending of --out sets the format"))
	case o.out.path != "":
		o.format = o.out.ending[1:]
	case o.graph != "" && !formatted && !wantsJSON(cmd):
		o.format = "svg"
	}
	text := !slices.Contains([]string{"svg", "dot"}, o.format)
	switch {
	case o.graph != "" && text:
		return wrongUsage(fmt.Errorf("--graph %s makes a picture; "+
			"give --out FILE.svg or --format svg", o.graph))
	case o.format == "dot" && slices.Contains(describe.Drawings()[2:], o.graph):
		return wrongUsage(fmt.Errorf("--graph %s is a picture, not a graph; give --format svg", o.graph))
	case wantsJSON(cmd) && o.format != "text":
		return wrongUsage(fmt.Errorf("--json and --format %s are both given; give one of them", o.format))
	}
	return nil
}

// show prints the properties of a process, draws it, or writes either to a file.
func (o *showOptions) show(cmd *cobra.Command, s describe.Subject) error {
	write := func(w io.Writer) error {
		return o.cannot(cmd, s.Forms(cmd.Context(), o.graph).Write(w, "."+o.format))
	}
	switch {
	case o.out.path != "":
		return o.out.write(cmd, document.Forms{o.out.ending: write})
	case o.format != "text":
		return write(cmd.OutOrStdout())
	}
	d, err := describe.Process(cmd.Context(), s)
	if err != nil {
		return err
	}
	return show(cmd, d, 2, d.Forms().Print)
}

// cannot extends the error for a process that cannot be drawn in the requested way: it
// adds the flags that can draw it.
func (o *showOptions) cannot(cmd *cobra.Command, err error) error {
	switch {
	case errors.Is(err, describe.ErrNoHMM):
		return commandCannot(cmd, err)
	case errors.Is(err, describe.ErrTooMany):
		return fmt.Errorf("%w; give --format dot", err)
	case err != nil && o.graph == describe.DrawBeliefs:
		return fmt.Errorf("--graph beliefs: %w; --graph geometry draws them without a graph", err)
	}
	return err
}
