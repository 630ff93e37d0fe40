package main

import (
	"foretell/inspect"
	"foretell/internal/terminal"

	"github.com/spf13/cobra"
)

// modelArgument describes the argument of commands that look at a model.
const modelArgument = "MODEL, such as runs/first"

// modelHelp explains the argument MODEL.
const modelHelp = `MODEL is a run's folder, a checkpoint's folder, the run after one of the steps that
it keeps (runs/first@500), a single .safetensors file, a Hugging Face GPT-2
folder, or craft:NAME for a model whose weights are written by hand.`

func newPredict() *cobra.Command {
	var seen observed
	var params []string
	var top int
	var out outFile
	cmd := &cobra.Command{
		Use:   "predict MODEL",
		Short: "Compare a model's next-token distribution with the optimal one",
		Long: `Compare a model's next-token distribution after a sequence with the prediction of
the optimal predictor of the process that the model was trained on. If the process is not
known, as for a GPT-2, or if the sequence has probability 0 under the process,
only the model's most likely next tokens are shown, and the optimum in JSON is
null.

` + modelHelp + "\n\n" + craftedHelp(),
		Example: `  foretell predict runs/first --tokens 0,1,2
  foretell predict runs/first --tokens 0,1,2 --out next.svg
  foretell predict runs/tide --signal @today.csv
  foretell predict craft:coin --param a=2 --param b=5 --param n_ctx=1024 --tokens 2,1,1,0`,
		Args:    oneArgument(modelArgument),
		PreRunE: out.check,
		RunE: func(cmd *cobra.Command, args []string) error {
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
			noteOptimum(cmd, m, found.Impossible)
			shown := &inspect.Predicted{Prediction: found, Model: m.Path, Word: word, Names: m.Names(), Top: top}
			return out.present(cmd, found, terminal.Style{Gap: 3}, shown.Forms(lineGiven(cmd)))
		},
		ValidArgsFunction: completeModel,
	}
	seen.add(cmd)
	cmd.Flags().IntVar(&top, "top", 0, "number of most likely tokens to show; 0: all if there are at most 12, else 20")
	completeNothing(cmd, "top")
	out.add(cmd, "write the prediction", plotted...)
	addParams(cmd, &params, "a hand-written model", handWritten())
	return cmd
}

// noteOptimum prints why there is no optimal prediction, where that is so.
func noteOptimum(cmd *cobra.Command, m *inspect.Model, impossible error) {
	if lacking := m.Lacking(); lacking != nil {
		printMessage(cmd.ErrOrStderr(), "note: %v", lacking)
	} else {
		noteImpossible(cmd, impossible)
	}
}

// noteImpossible prints why the tokens cannot occur, if impossible is not nil.
func noteImpossible(cmd *cobra.Command, impossible error) {
	if impossible != nil {
		printMessage(cmd.ErrOrStderr(), "note: %v; only the model's prediction is shown", impossible)
	}
}

// openModel opens any MODEL and prints its notes.
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
	for _, note := range m.Notes {
		printMessage(cmd.ErrOrStderr(), "note: %s", note)
	}
	return m, nil
}
