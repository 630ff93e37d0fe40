package main

import (
	"errors"
	"fmt"

	"foretell/describe"
	"foretell/internal/text"

	"github.com/spf13/cobra"
)

func newProcess() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "process",
		Short: "List, show, sample and solve the processes that models are trained on",
		Long: `List, show, sample and solve the processes that models are trained on. NAME is a
process of ` + "`foretell process list`" + `, or the path of a YAML file that defines your own:

  name: lazy
  states: [A, B]
  tokens: [heads, tails]
  transitions:                 # transitions not listed have probability 0
    - {from: A, to: A, token: heads, p: 0.9}
    - {from: A, to: B, token: tails, p: 0.1}
    - {from: B, to: A, token: heads, p: 0.5}
    - {from: B, to: B, token: tails, p: 0.5}

or, instead of transitions, one matrix per token, with one row per source state:

  matrices: {heads: [[0.9, 0], [0.5, 0]], tails: [[0, 0.1], [0, 0.5]]}

To train a model on it, write the same lines, indented, under process: in the
training configuration. Your own signal, a file with one number per line, is the
process called recording:

  name: recording
  params: {signal: "@tide.csv", levels: 32}`,
		Example: `  foretell process list
  foretell process show mess3 --param x=0.5
  foretell process beliefs mess3 --tokens 0,1,1,2,0
  foretell process floor ./mine.yaml --positions 8
  foretell process show recording --param signal=@tide.csv --param levels=32 --out tide.svg`,
		Args: unknownCommand,
		RunE: helpOnGroup,
	}
	cmd.AddCommand(newProcessList(), newProcessShow(), newProcessSample(), newProcessBeliefs(), newProcessFloor(),
		newProcessCheck())
	return cmd
}

// aboutProcess makes a command with one argument, which names a process.
func aboutProcess(use, short, example string, run func(cmd *cobra.Command, s describe.Subject) error) *cobra.Command {
	var params []string
	cmd := &cobra.Command{
		Use: use + " NAME", Short: short, Example: example,
		Long: short + ".\nNAME is a process of `foretell process list`, a YAML file that defines one (see\n" +
			"`foretell process --help`), or a run's folder, such as runs/first, for the process that it\nwas trained on.",
		Args: oneArgument("NAME, such as mess3, or a file that defines a process; " +
			"`foretell process list` shows the names"),
		RunE: func(cmd *cobra.Command, args []string) error {
			done := late(cmd, "reading the process %s …", args[0])
			s, err := findProcess(args[0], params)
			done()
			if err != nil {
				return err
			}
			return run(cmd, s)
		},
		ValidArgsFunction: completeProcess,
	}
	addParams(cmd, &params, "the process", zoo())
	return cmd
}

// commandCannot extends the error for a process that is not a hidden Markov model: it
// adds the command's name and the command that draws such a process.
func commandCannot(cmd *cobra.Command, err error) error {
	if errors.Is(err, describe.ErrNoHMM) {
		line := "foretell process show"
		if args := cmd.Flags().Args(); len(args) > 0 {
			line += " " + text.ShellWord(args[0])
		}
		return fmt.Errorf("%s: %w; `%s --out FILE.svg` draws it instead", path(cmd), err, line)
	}
	return err
}

// addTokens gives a command the flag --tokens.
func addTokens(cmd *cobra.Command, tokens *string) {
	addWord(cmd, tokens, "tokens", "the observed `tokens`, such as 0,1,2 or their names")
}
