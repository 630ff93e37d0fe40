package main

import (
	"foretell/inspect"
	"foretell/internal/columns"

	"github.com/spf13/cobra"
)

// modelArgument is the one argument of commands that look at a model.
const modelArgument = "MODEL, such as runs/first"

func newPredict() *cobra.Command {
	var seen observed
	var params []string
	var top int
	var out outFile
	cmd := &cobra.Command{
		Use:   "predict MODEL",
		Short: "Compare a model's next-token distribution with the optimal one",
		Long: `Compare a model's next-token distribution after some tokens with that of the optimal predictor
of the process that it was trained on. MODEL is a run's folder, a checkpoint's, the run as it was
after a step that it keeps (runs/first@500), a .safetensors file of foretell's alone, or craft:NAME
for a model whose weights are written by hand. Where no process is named, as by a GPT-2's folder of
Hugging Face's, the likeliest next tokens are shown alone; and so after tokens that cannot occur in
the process, such as a window of another recording, where JSON has null for the optimum.

` + craftedHelp(),
		Example: `  foretell predict runs/first --tokens 0,1,2
  foretell predict runs/first --tokens 0,1,2 --out next.svg
  foretell predict runs/tide --signal @today.csv
  foretell predict craft:coin --param a=2 --param b=5 --param n_ctx=1024 --tokens 2,1,1,0`,
		Args: oneArgument(modelArgument),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := out.check(cmd); err != nil {
				return err
			}
			m, err := openModel(cmd, args[0], params)
			if err != nil {
				return err
			}
			if err := inRange("--top", top, 0, 1<<20); err != nil {
				return err
			}
			word, err := seen.word(cmd, m, m.ParseWord)
			if err != nil {
				return err
			}
			found, err := m.Predict(word)
			if err != nil {
				return wrongUsage(err)
			}
			if _, missing := m.Process(); missing != nil && !m.Foreign {
				printMessage(cmd.ErrOrStderr(), "note: %v", missing)
			} else {
				noteImpossible(cmd, found.Impossible)
			}
			shown := &inspect.Predicted{Prediction: found, Model: m.Path, Word: word, Names: m.Names(), Top: top}
			return out.present(cmd, found, columns.Style{Gap: 3}, shown)
		},
		ValidArgsFunction: completeModel,
	}
	seen.add(cmd)
	cmd.Flags().IntVar(&top, "top", 0, "how many of the likeliest tokens are shown; 0: all of 12 at most, else 20")
	completeNothing(cmd, "top")
	out.add(cmd, "write the prediction", plotted...)
	addParams(cmd, &params, "a hand-written model", handWritten())
	return cmd
}

// noteImpossible says why only the model's prediction is shown, if there is no optimum.
func noteImpossible(cmd *cobra.Command, impossible error) {
	if impossible != nil {
		printMessage(cmd.ErrOrStderr(), "note: %v; so only the model's prediction is shown", impossible)
	}
}

// openModel opens any MODEL and passes its notes on.
func openModel(cmd *cobra.Command, arg string, paramFlags []string) (*inspect.Model, error) {
	params, err := parseParams(paramsOf(handWritten(), arg), paramFlags, "a=2, or name=@FILE")
	if err != nil {
		return nil, err
	}
	defer late(cmd, "opening the model %s …", arg)()
	m, err := inspect.Open(arg, params)
	if _, written := inspect.CraftedName(arg); written {
		err = wrongUsage(err)
	}
	if err != nil {
		return nil, aboutParams(err)
	}
	for _, note := range m.Notes() {
		printMessage(cmd.ErrOrStderr(), "note: %s", note)
	}
	return m, nil
}
