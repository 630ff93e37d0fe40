package main

import (
	"fmt"
	"strings"

	"foretell/process"

	"github.com/spf13/cobra"
)

func newProcess() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "process",
		Short: "List, show, sample and solve the processes that models are trained on",
		Long: `List, show, sample and solve the processes that models are trained on. NAME is a process
of ` + "`foretell process list`" + `, or the path of a YAML file with one of your own:

  name: lazy
  states: [A, B]
  tokens: [heads, tails]
  transitions:                 # what is not listed has probability 0
    - {from: A, to: A, token: heads, p: 0.9}
    - {from: A, to: B, token: tails, p: 0.1}
    - {from: B, to: A, token: heads, p: 0.5}
    - {from: B, to: B, token: tails, p: 0.5}

or, in place of the transitions, a matrix for each token, a row for each state that it leaves:

  matrices: {heads: [[0.9, 0], [0.5, 0]], tails: [[0, 0.1], [0, 0.5]]}

To train a model on it, write the same lines, indented, under process: in the training's configuration.`,
		Example: `  foretell process list
  foretell process show mess3 --param x=0.5
  foretell process beliefs mess3 --tokens 0,1,1,2,0
  foretell process floor ./mine.yaml --positions 8`,
		Args: unknownCommand,
		RunE: helpOnGroup,
	}
	cmd.AddCommand(newProcessList(), newProcessShow(), newProcessSample(), newProcessBeliefs(), newProcessFloor(), newProcessCheck())
	return cmd
}

// aboutProcess makes a command whose one argument is the name of a process.
func aboutProcess(use, short, example string, run func(cmd *cobra.Command, p subject) error) *cobra.Command {
	var params []string
	cmd := &cobra.Command{
		Use: use + " NAME", Short: short, Example: example,
		Long: short + ".\nNAME is a process of `foretell process list`, or a YAML file with one of your own, as `foretell process --help` has it.",
		Args: oneArgument("NAME, such as mess3, or a file that defines a process; `foretell process list` shows the names"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := buildProcess(args[0], params)
			if err != nil {
				return err
			}
			return run(cmd, p)
		},
		ValidArgsFunction: completeProcess,
	}
	cmd.Flags().StringArrayVar(&params, "param", nil, "a parameter of the process, "+paramForms)
	completeFlag(cmd, "param", completeParam)
	return cmd
}

// asHMM returns p as a hidden Markov model, or an error that names the command.
func asHMM(cmd *cobra.Command, p process.Process) (*process.HMM, error) {
	h, ok := p.(*process.HMM)
	if !ok {
		return nil, fmt.Errorf("%s: %s is not a hidden Markov model", path(cmd), p.Name())
	}
	return h, nil
}

// assignments writes parameters in the order of the catalogue: "x=0.15 a=0.6".
func assignments(params []process.Param, value func(process.Param) any) string {
	var list []string
	for _, p := range params {
		list = append(list, p.Name+"="+process.FormatValue(value(p)))
	}
	return strings.Join(list, " ")
}

// square cuts a row-major n×n matrix into rows.
func square(flat []float64, n int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = flat[i*n : (i+1)*n]
	}
	return rows
}
