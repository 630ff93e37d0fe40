package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"foretell/process"

	"github.com/spf13/cobra"
)

func newProcessBeliefs() *cobra.Command {
	var tokens string
	cmd := aboutProcess("beliefs", "Show the optimal observer's beliefs along a sequence, and the constrained ones",
		"  foretell process beliefs mess3 --tokens 0,1,1,2,0",
		func(cmd *cobra.Command, p subject) error {
			h, err := asHMM(cmd, p.Process)
			if err != nil {
				return err
			}
			word, err := parseTokens(tokens, h.Tokens())
			if err != nil {
				return err
			}
			t, err := trace(h, word)
			if err != nil {
				return wrongUsage(err)
			}
			if wantsJSON(cmd) {
				return printJSON(cmd, t)
			}
			return t.print(cmd, h, word)
		})
	addTokens(cmd, &tokens)
	return cmd
}

// addTokens gives a command the flag --tokens.
func addTokens(cmd *cobra.Command, tokens *string) {
	cmd.Flags().StringVar(tokens, "tokens", "", "the tokens observed, as `0,1,2` or by their names")
	completeFlag(cmd, "tokens", cobra.NoFileCompletions)
}

// beliefTrace is what an observer of a word knows: row t is after t tokens.
type beliefTrace struct {
	Beliefs     [][]float64 `json:"beliefs"`
	Constrained [][]float64 `json:"constrained"`
	Next        [][]float64 `json:"next"`
	LogProb     float64     `json:"log_prob"`
}

func trace(h *process.HMM, word []int) (*beliefTrace, error) {
	beliefs, err := h.Beliefs(word)
	if err != nil {
		return nil, err
	}
	logProb, err := h.LogProb(word)
	if err != nil {
		return nil, err
	}
	t := &beliefTrace{Beliefs: beliefs, LogProb: logProb}
	for n, belief := range beliefs {
		r, err := h.Constrained(word[:n])
		if err != nil {
			return nil, err
		}
		t.Constrained, t.Next = append(t.Constrained, r), append(t.Next, h.Next(belief))
	}
	return t, nil
}

func (t *beliefTrace) print(cmd *cobra.Command, h *process.HMM, word []int) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 3, ' ', 0)
	fmt.Fprintf(w, "token\tbelief (%s)\tconstrained\tnext token (%s)\n", strings.Join(h.States(), " "), strings.Join(h.Tokens(), " "))
	for n := range t.Beliefs {
		token := "–"
		if n > 0 {
			token = h.Tokens()[word[n-1]]
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", token, numbers(t.Beliefs[n]), numbers(t.Constrained[n]), numbers(t.Next[n]))
	}
	fmt.Fprintf(w, "log probability of the tokens: %s nats\n", number(t.LogProb))
	return w.Flush()
}
