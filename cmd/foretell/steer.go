package main

import (
	"fmt"

	"foretell/inspect"
	"foretell/internal/terminal"

	"github.com/spf13/cobra"
)

func newSteer() *cobra.Command {
	var tokens, belief string
	var r inspect.SteerRequest
	var params []string
	var out outFile
	cmd := &cobra.Command{
		Use:   "steer MODEL",
		Short: "Move a model's activation to another belief, and see its prediction",
		Long: `Move the activation of the last token, at a stage of the residual stream, so that
a regression reads another belief there. The prediction after the move is shown
next to the best prediction for that belief, after the shortest move and after the
likeliest one, which is the shortest in units of the activations' standard
deviation in each direction. If the model predicts from the belief that the
regression reads, its prediction follows. probe --steer measures this over many
sequences and beliefs.

The regression is fitted to all sequences of up to --length tokens, shortened if
there are more than 4,000. The process needs hidden states.

` + modelHelp,
		Example: `  foretell steer runs/first --tokens 0,1,2 --belief 0.1,0.1,0.8
  foretell steer runs/first --tokens 0 --belief 0,0.5,0.5 --stage blocks.0.hook_resid_mid --out steered.svg`,
		Args:    oneArgument(modelArgument),
		PreRunE: out.check,
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := openModel(cmd, args[0], params)
			if err != nil {
				return err
			}
			if r.Word, err = m.ParseWord(tokens); err != nil {
				return aboutTokens(err)
			}
			if cmd.Flags().Changed("belief") {
				if r.Belief, err = m.ParseBelief(belief); err != nil {
					return wrongUsage(fmt.Errorf("--belief: %w", err))
				}
			}
			found, err := m.Steer(cmd.Context(), r)
			if err != nil {
				return aboutArguments(err)
			}
			shown := &inspect.SteeredModel{Steered: found, Model: m.Path}
			return out.present(cmd, found, terminal.Style{Gap: 3}, shown.Forms(lineGiven(cmd)))
		},
		ValidArgsFunction: completeModel,
	}
	addTokens(cmd, &tokens)
	flags := cmd.Flags()
	flags.StringVar(&belief, "belief", "", "the `belief` to move to: a probability for each state,\n"+
		"such as 0.1,0.1,0.8 (default the best possible observer's)")
	flags.StringVar(&r.Stage, "stage", "", "hook name of the `stage` whose activation is moved (default the last)")
	flags.IntVar(&r.Length, "length", 0, "length of the longest sequences of the fit\n(default as long as possible)")
	completeNothing(cmd, "belief", "stage", "length")
	out.add(cmd, "write the answer", plotted...)
	addParams(cmd, &params, "a hand-written model", handWritten())
	return cmd
}
