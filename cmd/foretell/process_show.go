package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"foretell/process"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/stat"
)

// graphs are what `process show` draws; from the third on they are no graphs in the
// sense of dot.
var graphs = []string{"states", "beliefs", "geometry", "attention"}

func newProcessShow() *cobra.Command {
	var format, graph string
	cmd := aboutProcess("show", "Show a process: parameters, matrices, stationary distribution, beliefs, spectrum, entropies; or draw it",
		`  foretell process show mess3 --param x=0.5 --param a=0.2
  foretell process show even --format svg --graph beliefs
  foretell process show mess3 --format svg --graph geometry`,
		func(cmd *cobra.Command, p subject) error {
			if err := oneOf("--format", format, "text", "dot", "svg"); err != nil {
				return err
			}
			if err := oneOf("--graph", graph, graphs...); err != nil {
				return err
			}
			if format == "dot" && slices.Contains(graphs[2:], graph) {
				return wrongUsage(fmt.Errorf("--graph %s is a picture, not a graph; give --format svg", graph))
			}
			if format == "text" {
				return showProcess(cmd, p)
			}
			if wantsJSON(cmd) {
				return wrongUsage(fmt.Errorf("--json and --format %s are both given; give one of them", format))
			}
			return drawProcess(cmd, p, format, graph)
		})
	cmd.Flags().StringVar(&format, "format", "text", "text, dot (for Graphviz) or svg")
	cmd.Flags().StringVar(&graph, "graph", "states", "what dot and svg draw: the hidden states, or the beliefs of an optimal observer where there are finitely many; svg also their geometry, beside the constrained beliefs, and the attention that builds these")
	completeFlag(cmd, "format", cobra.FixedCompletions([]string{"text", "dot", "svg"}, cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "graph", cobra.FixedCompletions(graphs, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// parameter is a parameter of a process with its value.
type parameter struct {
	Name    string `json:"name"`
	Value   any    `json:"value"`
	Default any    `json:"default"`
	Range   string `json:"range"`
	Summary string `json:"summary"`
}

// solved is what `process show` shows of a process; what is about hidden states is
// left out where there are none.
type solved struct {
	Name               string                 `json:"name"`
	Summary            string                 `json:"summary"`
	Params             process.Params         `json:"params"`
	Parameters         []parameter            `json:"parameters"` // the same with what is allowed, in the order of the definition
	Generalised        bool                   `json:"generalised"`
	States             []string               `json:"states,omitempty"`
	Tokens             []string               `json:"tokens"`
	Matrices           map[string][][]float64 `json:"matrices,omitempty"` // by token
	Right              []float64              `json:"right,omitempty"`    // of a generalised process
	Stationary         []float64              `json:"stationary,omitempty"`
	EntropyRate        float64                `json:"entropy_rate"`
	EntropyRateError   float64                `json:"entropy_rate_error"`
	ExcessEntropy      *float64               `json:"excess_entropy,omitempty"`
	ExcessEntropyError *float64               `json:"excess_entropy_error,omitempty"`
	Estimated          bool                   `json:"estimated"` // the errors of both
	Chance             float64                `json:"chance"`
	Beliefs            *countedBeliefs        `json:"beliefs,omitempty"`
	BeliefsError       string                 `json:"beliefs_error,omitempty"`
	Ceiling            *ceiling               `json:"ceiling,omitempty"` // of a signal
	Spectrum           *attended              `json:"spectrum,omitempty"`
	SpectrumError      string                 `json:"spectrum_error,omitempty"`
	Notes              []process.Problem      `json:"notes,omitempty"`

	noExcess string // why the excess entropy is not defined
}

// ceiling is the greatest accuracy that a model of a signal can reach.
type ceiling struct {
	Context   int      `json:"context"`             // tokens that the model sees at most
	Accuracy  float64  `json:"accuracy"`            // mean over the positions 2 … context+1
	Retrieval *float64 `json:"retrieval,omitempty"` // share of these that are retrieval steps, where the ceiling is 1
}

// signalContext is that of seed 003's models, for which signals are shown.
const signalContext = 64

// countedBeliefs is what there is to say of finitely many beliefs.
type countedBeliefs struct {
	Recurrent             int     `json:"recurrent"`
	Transient             int     `json:"transient"`
	Entropy               float64 `json:"entropy"` // of the recurrent ones, nats
	StatisticalComplexity float64 `json:"statistical_complexity"`
}

func showProcess(cmd *cobra.Command, p subject) error {
	s, err := solve(p)
	if err != nil {
		return err
	}
	if wantsJSON(cmd) {
		return printJSON(cmd, s)
	}
	return s.print(cmd.OutOrStdout())
}

func solve(p subject) (*solved, error) {
	signal, positions := p.entry.Kind == "signal", 1
	if signal {
		positions += signalContext
	}
	floor, err := p.Floor(positions)
	if err != nil {
		return nil, err
	}
	s := &solved{Name: p.Name(), Summary: p.entry.Summary, Params: p.params, Chance: floor.Chance}
	s.EntropyRate, s.EntropyRateError = p.EntropyRate()
	for _, param := range p.entry.Params {
		s.Parameters = append(s.Parameters, parameter{param.Name, p.params[param.Name], param.Default, param.Range, param.Summary})
	}
	switch p := p.Process.(type) {
	case *process.HMM:
		s.addStates(p)
	case *process.Coin:
		s.Tokens = p.Tokens()
		s.BeliefsError = "coin: no hidden states; the observer counts heads and tails, without end"
		s.noExcess = "the floors fall too slowly for their sum above the rate to have a limit"
	case *process.Interleaved:
		lags := p.Lags()
		s.Tokens, s.Stationary = p.Tokens(), p.Stationary()
		s.BeliefsError = fmt.Sprintf("interleaved: no hidden states; the observer keeps a posterior over %s and the last %s",
			count(len(lags), "lag"), count(lags[len(lags)-1], "token"))
		if len(lags) > 1 {
			s.noExcess = "the process is not stationary"
		}
	case *process.Recording:
		excess := p.ExcessEntropy()
		s.Tokens, s.ExcessEntropy, s.ExcessEntropyError = p.Tokens(), &excess, &s.EntropyRateError
		s.BeliefsError = p.Name() + ": no hidden states; the observer holds the offsets of the recording that agree with the tokens"
	case *process.Symbolic:
		s.Tokens = p.Tokens()
		s.BeliefsError = p.Name() + ": no hidden states; the observer knows all that the program has in memory"
		s.noExcess = "a sequence begins at the program's start, and is not stationary"
	}
	if signal {
		return s, s.addCeiling(p.Process)
	}
	return s, nil
}

// addCeiling adds the greatest accuracy at the positions that a model of the seed predicts.
func (s *solved) addCeiling(p process.Process) error {
	found, err := p.(interface {
		Ceiling(positions int) (process.Ceiling, error)
	}).Ceiling(1 + signalContext)
	if err != nil {
		return err
	}
	s.Ceiling = &ceiling{Context: signalContext, Accuracy: stat.Mean(found.ByPosition[1:], nil)}
	if found.Retrieval != nil {
		share := stat.Mean(found.Retrieval[1:], nil)
		s.Ceiling.Retrieval = &share
	}
	return nil
}

// addStates adds what is known of a process with hidden states.
func (s *solved) addStates(h *process.HMM) {
	s.Generalised, s.States, s.Tokens, s.Stationary = h.Generalised(), h.States(), h.Tokens(), h.Stationary()
	s.Matrices = map[string][][]float64{}
	for z, name := range s.Tokens {
		s.Matrices[name] = square(h.Transition(z), h.NumStates())
	}
	if s.Generalised {
		s.Right = h.Right()
	}
	limits := h.Limits()
	s.ExcessEntropy, s.ExcessEntropyError, s.Estimated = &limits.ExcessEntropy, &limits.ExcessEntropyError, limits.Estimated
	if p, err := h.Presentation(); err != nil {
		s.BeliefsError = err.Error()
	} else {
		s.Beliefs = &countedBeliefs{p.Recurrent(), p.Transient(), p.BeliefEntropy(), p.StatisticalComplexity()}
	}
	if spectrum, err := h.Spectrum(); err != nil {
		s.SpectrumError = err.Error()
	} else {
		s.Spectrum = attend(spectrum)
	}
	s.Notes = h.Check()
}

func (s *solved) print(out io.Writer) error {
	if err := s.printHead(out); err != nil {
		return err
	}
	for _, token := range s.Tokens {
		if s.Matrices == nil {
			break
		}
		what := fmt.Sprintf("Pr(emit %s, go to j | in i)", token)
		if s.Generalised {
			what = "the generalised matrix of token " + token
		}
		fmt.Fprintf(out, "\nT^%s[i,j] = %s\n", token, what)
		for i, row := range s.Matrices[token] {
			fmt.Fprintf(out, "  %s  %s\n", s.States[i], numbers(row))
		}
	}
	fmt.Fprintln(out)
	if s.Generalised {
		fmt.Fprintf(out, "right vector r           %s\n", numbers(s.Right))
	}
	if s.Stationary != nil {
		fmt.Fprintf(out, "stationary distribution  %s\n", numbers(s.Stationary))
	}
	s.printEntropies(out)
	if s.Spectrum != nil {
		if err := s.Spectrum.print(out); err != nil {
			return err
		}
	} else if s.SpectrumError != "" {
		fmt.Fprintf(out, "spectrum of T            %s\n", s.SpectrumError)
	}
	for _, n := range s.Notes {
		fmt.Fprintf(out, "note: %s\n", n.Text)
	}
	return nil
}

// printHead prints the name, the size, the summary and the parameters.
func (s *solved) printHead(out io.Writer) error {
	name := s.Name
	if len(s.Parameters) > 0 {
		name += " "
	}
	for i, p := range s.Parameters {
		if i > 0 {
			name += " "
		}
		name += p.Name + "=" + process.FormatValue(p.Value)
	}
	size := count(len(s.Tokens), "token")
	if s.States != nil {
		size = count(len(s.States), "state") + ", " + size
	}
	if s.Generalised {
		size += ", generalised"
	}
	fmt.Fprintf(out, "%s: %s\n%s\n", name, size, s.Summary)
	if len(s.Parameters) == 0 {
		return nil
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, p := range s.Parameters {
		fmt.Fprintf(w, "%s = %s\tin %s\tdefault %s\t%s\n", p.Name, process.FormatValue(p.Value), p.Range, process.FormatValue(p.Default), p.Summary)
	}
	return w.Flush()
}

// printEntropies prints the limits and what is known of the beliefs.
func (s *solved) printEntropies(out io.Writer) {
	estimated := ""
	if s.Estimated {
		estimated = ", estimated"
	}
	fmt.Fprintf(out, "entropy rate             %s nats (± %.1g%s)\n", number(s.EntropyRate), s.EntropyRateError, estimated)
	if s.ExcessEntropy != nil {
		fmt.Fprintf(out, "excess entropy           %s nats (± %.1g%s)\n", number(*s.ExcessEntropy), *s.ExcessEntropyError, estimated)
	} else if s.noExcess != "" {
		fmt.Fprintf(out, "excess entropy           not defined: %s\n", s.noExcess)
	}
	fmt.Fprintf(out, "chance                   %s nats\n", number(s.Chance))
	s.Ceiling.print(out)
	if b := s.Beliefs; b != nil {
		fmt.Fprintf(out, "beliefs                  %d recurrent, %d transient\n", b.Recurrent, b.Transient)
		fmt.Fprintf(out, "belief entropy           %s nats\n", number(b.Entropy))
		fmt.Fprintf(out, "statistical complexity   %s nats\n", number(b.StatisticalComplexity))
		return
	}
	fmt.Fprintf(out, "beliefs                  %s\n", s.BeliefsError)
}

// print prints nothing where there is no ceiling.
func (c *ceiling) print(out io.Writer) {
	if c == nil {
		return
	}
	fmt.Fprintf(out, "accuracy ceiling         %s, mean over the tokens 2 … %d\n", number(c.Accuracy), c.Context+1)
	if c.Retrieval != nil {
		fmt.Fprintf(out, "retrieval steps          %s of these tokens; on them alone the ceiling is 1\n", number(*c.Retrieval))
	}
}
