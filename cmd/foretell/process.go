package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"foretell/internal/random"
	"foretell/process"

	"github.com/spf13/cobra"
)

func newProcess() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "process",
		Short: "List, show, sample and solve the processes that models are trained on",
		Example: `  foretell process list
  foretell process show mess3 --param x=0.5
  foretell process beliefs mess3 --tokens 0,1,1,2,0`,
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.Args = func(_ *cobra.Command, args []string) error { return unknownCommand(cmd, args) }
	cmd.AddCommand(newProcessList(), newProcessShow(), newProcessSample(), newProcessBeliefs(), newProcessFloor(), newProcessCheck())
	return cmd
}

// aboutProcess makes a command whose one argument is the name of a process.
func aboutProcess(use, short, example string, run func(cmd *cobra.Command, p process.Process) error) *cobra.Command {
	var params []string
	cmd := &cobra.Command{
		Use: use + " NAME", Short: short, Example: example,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := buildProcess(args[0], params)
			if err != nil {
				return err
			}
			return run(cmd, p)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, e := range process.Catalogue() {
				if len(args) == 0 {
					names = append(names, e.Name+"\t"+e.Summary)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().StringArrayVar(&params, "param", nil, "a parameter of the process, as name=number; may be repeated")
	return cmd
}

// asHMM returns p as a hidden Markov model, or an error that names the command.
func asHMM(cmd *cobra.Command, p process.Process) (*process.HMM, error) {
	h, ok := p.(*process.HMM)
	if !ok {
		return nil, fmt.Errorf("%s: %s is not a hidden Markov model", cmd.Name(), p.Name())
	}
	return h, nil
}

// listing is an entry of `process list`.
type listing struct {
	Name     string             `json:"name"`
	Kind     string             `json:"kind"`
	Params   map[string]float64 `json:"params"` // defaults
	States   int                `json:"states"`
	Alphabet int                `json:"alphabet"`
	Summary  string             `json:"summary"`
}

func newProcessList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the processes with their parameters' defaults", Example: "  foretell process list --json",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var list []listing
			for _, e := range process.Catalogue() {
				p, err := process.Build(e.Name, nil)
				if err != nil {
					return err
				}
				item := listing{Name: e.Name, Kind: e.Kind, Params: map[string]float64{}, Alphabet: p.Alphabet(), Summary: e.Summary}
				for _, param := range e.Params {
					item.Params[param.Name] = param.Default
				}
				if h, ok := p.(*process.HMM); ok {
					item.States = h.NumStates()
				}
				list = append(list, item)
			}
			if wantsJSON(cmd) {
				return printJSON(cmd, list)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for i, e := range process.Catalogue() {
				var params []string
				for _, p := range e.Params {
					params = append(params, fmt.Sprintf("%s=%g", p.Name, p.Default))
				}
				fmt.Fprintf(w, "%s\t%s\t%d states\t%d tokens\t%s\n", e.Name, strings.Join(params, " "), list[i].States, list[i].Alphabet, e.Summary)
			}
			return w.Flush()
		},
	}
}

func newProcessShow() *cobra.Command {
	return aboutProcess("show", "Show a process: matrices, stationary distribution, spectrum, entropy rate",
		"  foretell process show mess3 --param x=0.5 --param a=0.2", showProcess)
}

func showProcess(cmd *cobra.Command, p process.Process) error {
	h, err := asHMM(cmd, p)
	if err != nil {
		return err
	}
	floor, err := h.Floor(1)
	if err != nil {
		return err
	}
	spectrum, spectrumErr := h.Spectrum()
	if wantsJSON(cmd) {
		matrices := map[string][][]float64{}
		for z, name := range h.Tokens() {
			matrices[name] = square(h.Transition(z), h.NumStates())
		}
		out := map[string]any{
			"name": h.Name(), "params": h.Params(), "states": h.States(), "tokens": h.Tokens(), "matrices": matrices,
			"stationary": h.Stationary(), "entropy_rate": floor.EntropyRate, "entropy_rate_error": floor.EntropyRateError, "chance": floor.Chance,
		}
		if spectrumErr == nil {
			out["eigenvalues"], out["multiplicities"] = spectrum.Eigenvalues, spectrum.Multiplicities
		} else {
			out["spectrum_error"] = spectrumErr.Error()
		}
		return printJSON(cmd, out)
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%s %v: %d states, %d tokens\n", h.Name(), h.Params(), h.NumStates(), h.Alphabet())
	for z, name := range h.Tokens() {
		fmt.Fprintf(out, "\nT^%s[i,j] = Pr(emit %s, go to j | in i)\n", name, name)
		for i, row := range square(h.Transition(z), h.NumStates()) {
			fmt.Fprintf(out, "  %s  %s\n", h.States()[i], numbers(row))
		}
	}
	fmt.Fprintf(out, "\nstationary distribution  %s\n", numbers(h.Stationary()))
	fmt.Fprintf(out, "entropy rate             %s nats (± %.1g)\n", number(floor.EntropyRate), floor.EntropyRateError)
	fmt.Fprintf(out, "chance                   %s nats\n", number(floor.Chance))
	if spectrumErr != nil {
		fmt.Fprintf(out, "spectrum of T            %v\n", spectrumErr)
		return nil
	}
	fmt.Fprint(out, "spectrum of T           ")
	for k, lambda := range spectrum.Eigenvalues {
		fmt.Fprintf(out, " %s (×%d)", number(lambda), spectrum.Multiplicities[k])
	}
	fmt.Fprintln(out)
	return nil
}

// square cuts a row-major n×n matrix into rows.
func square(flat []float64, n int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = flat[i*n : (i+1)*n]
	}
	return rows
}

func newProcessSample() *cobra.Command {
	var n, length int
	var seed uint64
	cmd := aboutProcess("sample", "Sample sequences from the stationary start",
		"  foretell process sample mess3 -n 3 --length 20 --seed 1",
		func(cmd *cobra.Command, p process.Process) error {
			if n < 1 || length < 1 {
				return wrongUsage(fmt.Errorf("process sample: -n %d and --length %d must be at least 1", n, length))
			}
			sequences := make([][]int32, n)
			for i := range sequences {
				sequences[i] = make([]int32, length)
				p.Sample(sequences[i], random.New(seed, "sample", uint64(i)))
			}
			if wantsJSON(cmd) {
				return printJSON(cmd, map[string]any{"tokens": sequences})
			}
			for _, s := range sequences {
				text := make([]string, len(s))
				for i, token := range s {
					text[i] = fmt.Sprint(token)
				}
				fmt.Fprintln(cmd.OutOrStdout(), strings.Join(text, " "))
			}
			return nil
		})
	cmd.Flags().IntVarP(&n, "number", "n", 1, "number of sequences")
	cmd.Flags().IntVar(&length, "length", 10, "tokens in a sequence")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed; the same one gives the same sequences")
	return cmd
}

func newProcessBeliefs() *cobra.Command {
	var tokens string
	cmd := aboutProcess("beliefs", "Show the optimal observer's beliefs along a sequence, and the constrained ones",
		"  foretell process beliefs mess3 --tokens 0,1,1,2,0",
		func(cmd *cobra.Command, p process.Process) error {
			h, err := asHMM(cmd, p)
			if err != nil {
				return err
			}
			word, err := parseTokens(tokens)
			if err != nil {
				return err
			}
			return showBeliefs(cmd, h, word)
		})
	cmd.Flags().StringVar(&tokens, "tokens", "", "the tokens observed, as 0,1,2")
	return cmd
}

func showBeliefs(cmd *cobra.Command, h *process.HMM, word []int) error {
	beliefs, err := h.Beliefs(word)
	if err != nil {
		return wrongUsage(err)
	}
	logProb, err := h.LogProb(word)
	if err != nil {
		return wrongUsage(err)
	}
	var constrained, next [][]float64
	for t, belief := range beliefs {
		r, err := h.Constrained(word[:t])
		if err != nil {
			return wrongUsage(err)
		}
		constrained, next = append(constrained, r), append(next, h.Next(belief))
	}
	if wantsJSON(cmd) {
		return printJSON(cmd, map[string]any{"beliefs": beliefs, "constrained": constrained, "next": next, "log_prob": logProb})
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 3, ' ', 0)
	fmt.Fprintf(w, "token\tbelief (%s)\tconstrained\tnext token (%s)\n", strings.Join(h.States(), " "), strings.Join(h.Tokens(), " "))
	for t := range beliefs {
		token := "–"
		if t > 0 {
			token = h.Tokens()[word[t-1]]
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", token, numbers(beliefs[t]), numbers(constrained[t]), numbers(next[t]))
	}
	fmt.Fprintf(w, "log probability of the tokens: %s nats\n", number(logProb))
	return w.Flush()
}

func newProcessFloor() *cobra.Command {
	var positions int
	cmd := aboutProcess("floor", "Compute the least possible loss at each position, and the entropy rate",
		"  foretell process floor mess3 --param x=0.05 --param a=0.85 --positions 10",
		func(cmd *cobra.Command, p process.Process) error {
			if positions < 1 {
				return wrongUsage(fmt.Errorf("process floor: --positions %d must be at least 1", positions))
			}
			floor, err := p.Floor(positions)
			if err != nil {
				return err
			}
			if wantsJSON(cmd) {
				return printJSON(cmd, map[string]any{
					"floor": floor.ByPosition, "entropy_rate": floor.EntropyRate,
					"entropy_rate_error": floor.EntropyRateError, "chance": floor.Chance,
				})
			}
			out := cmd.OutOrStdout()
			for t, h := range floor.ByPosition {
				fmt.Fprintf(out, "position %-3d  %s nats\n", t+1, number(h))
			}
			fmt.Fprintf(out, "entropy rate  %s nats (± %.1g)\nchance        %s nats\n", number(floor.EntropyRate), floor.EntropyRateError, number(floor.Chance))
			return nil
		})
	cmd.Flags().IntVar(&positions, "positions", 10, "number of positions")
	return cmd
}

func newProcessCheck() *cobra.Command {
	return aboutProcess("check", "Say what is remarkable about a process: states that no word tells apart, beliefs that are plain to see",
		"  foretell process check even",
		func(cmd *cobra.Command, p process.Process) error {
			h, err := asHMM(cmd, p)
			if err != nil {
				return err
			}
			problems := h.Check()
			if wantsJSON(cmd) {
				if problems == nil {
					problems = []process.Problem{}
				}
				return printJSON(cmd, map[string]any{"problems": problems})
			}
			for _, problem := range problems {
				fmt.Fprintf(cmd.OutOrStdout(), "note: %s\n", problem.Text)
			}
			if len(problems) == 0 {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: nothing to report\n", h.Name())
			}
			return nil
		})
}
