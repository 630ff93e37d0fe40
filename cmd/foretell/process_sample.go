package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"foretell/internal/random"
	"foretell/process"

	"github.com/spf13/cobra"
)

// longestSample bounds --length, because a sequence is held in memory.
const longestSample = 1 << 24

func newProcessSample() *cobra.Command {
	var n, length int
	var seed uint64
	cmd := aboutProcess("sample", "Sample sequences from the start of the process",
		"  foretell process sample mess3 -n 3 --length 20 --seed 1",
		func(cmd *cobra.Command, p subject) error {
			if n < 1 {
				return wrongUsage(fmt.Errorf("--number %d must be at least 1", n))
			}
			if err := inRange("--length", length, 1, longestSample); err != nil {
				return err
			}
			next := sampler(p, length, seed)
			if wantsJSON(cmd) {
				return writeSampleJSON(cmd.OutOrStdout(), n, next)
			}
			return writeSample(cmd.OutOrStdout(), n, next)
		})
	cmd.Flags().IntVarP(&n, "number", "n", 1, "number of sequences")
	cmd.Flags().IntVar(&length, "length", 10, "tokens in a sequence")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed; the same one gives the same sequences")
	for _, flag := range []string{"number", "length", "seed"} {
		completeFlag(cmd, flag, cobra.NoFileCompletions)
	}
	return cmd
}

// sampler returns a function that gives the i-th sequence, valid until the next.
func sampler(p process.Process, length int, seed uint64) func(i int) []int32 {
	tokens := make([]int32, length)
	return func(i int) []int32 {
		p.Sample(tokens, random.New(seed, "sample", uint64(i)))
		return tokens
	}
}

// writeSample writes n sequences, one a line, as they come.
func writeSample(w io.Writer, n int, next func(i int) []int32) error {
	for i := range n {
		line := strings.Trim(fmt.Sprint(next(i)), "[]")
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// writeSampleJSON writes {"tokens":[…]} a sequence at a time: there may be more
// of them than fit into memory.
func writeSampleJSON(w io.Writer, n int, next func(i int) []int32) error {
	before := `{"tokens":[`
	for i := range n {
		row, err := json.Marshal(next(i))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s%s", before, row); err != nil {
			return err
		}
		before = ","
	}
	_, err := fmt.Fprintln(w, "]}")
	return err
}
