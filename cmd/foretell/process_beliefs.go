package main

import (
	"errors"

	"foretell/describe"

	"github.com/spf13/cobra"
)

func newProcessBeliefs() *cobra.Command {
	var tokens string
	var out outFile
	cmd := aboutProcess("beliefs", "Show an ideal observer's, constrained and linear beliefs along a sequence",
		"  foretell process beliefs mess3 --tokens 0,1,1,2,0",
		func(cmd *cobra.Command, s describe.Subject) error {
			if _, err := s.Optimum(); err != nil {
				return err
			}
			word, err := s.ParseWord(tokens)
			if err != nil {
				return aboutTokens(err)
			}
			if err := out.check(cmd, nil); err != nil {
				return err
			}
			done := late(cmd, "computing the beliefs of %s …", s.Process.Name())
			t, err := describe.Beliefs(cmd.Context(), s, word)
			done()
			if errors.Is(err, describe.ErrNoHMM) {
				return commandCannot(cmd, err)
			}
			if err != nil {
				return wrongUsage(err)
			}
			if out.path != "" {
				return out.write(cmd, t.Forms())
			}
			return show(cmd, t, 3, t.Forms().Print)
		})
	addTokens(cmd, &tokens)
	out.add(cmd, "write the beliefs", ".svg", ".csv", ".json")
	return cmd
}
