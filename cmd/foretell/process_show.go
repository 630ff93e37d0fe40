package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"foretell/process"

	"github.com/spf13/cobra"
)

func newProcessShow() *cobra.Command {
	return aboutProcess("show", "Show a process: parameters with their ranges, matrices, stationary distribution, spectrum, entropy rate",
		"  foretell process show mess3 --param x=0.5 --param a=0.2", showProcess)
}

// parameter is a parameter of a process with its value.
type parameter struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Default float64 `json:"default"`
	Range   string  `json:"range"`
	Summary string  `json:"summary"`
}

// solved is what `process show` shows of a hidden Markov model.
type solved struct {
	Name             string                 `json:"name"`
	Summary          string                 `json:"summary"`
	Params           map[string]float64     `json:"params"`
	Parameters       []parameter            `json:"parameters"` // the same with what is allowed, in the order of the definition
	States           []string               `json:"states"`
	Tokens           []string               `json:"tokens"`
	Matrices         map[string][][]float64 `json:"matrices"` // by token
	Stationary       []float64              `json:"stationary"`
	EntropyRate      float64                `json:"entropy_rate"`
	EntropyRateError float64                `json:"entropy_rate_error"`
	Chance           float64                `json:"chance"`
	Spectrum         *attended              `json:"spectrum,omitempty"`
	SpectrumError    string                 `json:"spectrum_error,omitempty"`
}

func showProcess(cmd *cobra.Command, p process.Process) error {
	h, err := asHMM(cmd, p)
	if err != nil {
		return err
	}
	s, err := solve(h)
	if err != nil {
		return err
	}
	if wantsJSON(cmd) {
		return printJSON(cmd, s)
	}
	return s.print(cmd.OutOrStdout())
}

func solve(h *process.HMM) (*solved, error) {
	floor, err := h.Floor(1)
	if err != nil {
		return nil, err
	}
	entry := entryOf(h.Name())
	s := &solved{
		Name: h.Name(), Summary: entry.Summary, Params: h.Params(), States: h.States(), Tokens: h.Tokens(),
		Matrices: map[string][][]float64{}, Stationary: h.Stationary(),
		EntropyRate: floor.EntropyRate, EntropyRateError: floor.EntropyRateError, Chance: floor.Chance,
	}
	for _, param := range entry.Params {
		s.Parameters = append(s.Parameters, parameter{param.Name, s.Params[param.Name], param.Default, param.Range, param.Summary})
	}
	for z, name := range s.Tokens {
		s.Matrices[name] = square(h.Transition(z), h.NumStates())
	}
	if spectrum, err := h.Spectrum(); err != nil {
		s.SpectrumError = err.Error()
	} else {
		s.Spectrum = attend(spectrum)
	}
	return s, nil
}

func (s *solved) print(out io.Writer) error {
	values := assignments(entryOf(s.Name).Params, func(p process.Param) float64 { return s.Params[p.Name] })
	fmt.Fprintf(out, "%s %s: %s, %s\n%s\n\n", s.Name, values, count(len(s.States), "state"), count(len(s.Tokens), "token"), s.Summary)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, p := range s.Parameters {
		fmt.Fprintf(w, "%s = %g\tin %s\tdefault %g\t%s\n", p.Name, p.Value, p.Range, p.Default, p.Summary)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, token := range s.Tokens {
		fmt.Fprintf(out, "\nT^%s[i,j] = Pr(emit %s, go to j | in i)\n", token, token)
		for i, row := range s.Matrices[token] {
			fmt.Fprintf(out, "  %s  %s\n", s.States[i], numbers(row))
		}
	}
	fmt.Fprintf(out, "\nstationary distribution  %s\n", numbers(s.Stationary))
	fmt.Fprintf(out, "entropy rate             %s nats (± %.1g)\n", number(s.EntropyRate), s.EntropyRateError)
	fmt.Fprintf(out, "chance                   %s nats\n", number(s.Chance))
	if s.SpectrumError != "" {
		_, err := fmt.Fprintf(out, "spectrum of T            %s\n", s.SpectrumError)
		return err
	}
	return s.Spectrum.print(out)
}
