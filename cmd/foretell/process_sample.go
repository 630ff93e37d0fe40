package main

import (
	"cmp"
	"fmt"

	"foretell/describe"
	"foretell/document"

	"github.com/spf13/cobra"
)

// longestSample bounds --length, because one sequence is held in memory.
const longestSample = 1 << 24

func newProcessSample() *cobra.Command {
	var sample describe.Sample
	var out outFile
	cmd := aboutProcess("sample", "Sample sequences from the start of the process",
		`  foretell process sample mess3 -n 3 --length 20 --seed 1
  foretell process sample mess3 -n 1000 --length 64 --out mess3.csv`,
		func(cmd *cobra.Command, s describe.Subject) error {
			if sample.Number < 1 {
				return wrongUsage(fmt.Errorf("--number %d must be at least 1", sample.Number))
			}
			if err := cmp.Or(inRange("--length", sample.Length, 1, longestSample), out.check(cmd, nil)); err != nil {
				return err
			}
			sample.Subject = s
			if err := sample.Check(); err != nil {
				return wrongUsage(err)
			}
			forms := sample.Forms(cmd.Context())
			switch {
			case out.ending == ".svg":
				return out.write(cmd, forms)
			case out.path != "":
				return out.stream(cmd, forms[out.ending])
			case wantsJSON(cmd):
				return forms.Write(cmd.OutOrStdout(), ".json")
			}
			return forms.Write(cmd.OutOrStdout(), document.Terminal)
		})
	cmd.Flags().IntVarP(&sample.Number, "number", "n", 1, "number of sequences")
	cmd.Flags().IntVar(&sample.Length, "length", 10, "tokens in a sequence")
	cmd.Flags().Uint64Var(&sample.Seed, "seed", 1, "random seed; the same seed gives the same sequences")
	out.add(cmd, "write the sequences", ".csv", ".json", ".svg")
	completeNothing(cmd, "number", "length", "seed")
	return cmd
}
