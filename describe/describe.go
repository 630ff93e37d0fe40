package describe

import (
	"context"
	"errors"
	"math"
	"slices"

	"foretell/process"
	"foretell/theory"

	"gonum.org/v1/gonum/stat"
)

// signalContext is the context length of the models in EE269 2026, the source of the
// signals. Facts about signals are computed for this context length.
const signalContext = 64

// Description is what is known about a process. Fields that do not apply to it are left
// out.
type Description struct {
	Name        string                 `json:"name"`
	Process     string                 `json:"process"` // the same as Name; every result has this field
	Summary     string                 `json:"summary"`
	Rules       []string               `json:"rules,omitempty"` // how to read a sequence, see [process.Entry]
	Params      process.Params         `json:"params"`
	Parameters  []Parameter            `json:"parameters"` // values with their ranges, in the order of the definition
	Generalised bool                   `json:"generalised"`
	States      []string               `json:"states,omitempty"`
	Tokens      []string               `json:"tokens"`                // token names (other results have numbers here)
	StateNames  []string               `json:"state_names,omitempty"` // the same as States
	TokenNames  []string               `json:"token_names"`           // the same as Tokens
	NumStates   int                    `json:"n_states,omitempty"`
	NumTokens   int                    `json:"n_tokens"`
	Matrices    map[string][][]float64 `json:"matrices,omitempty"` // T^z: [token z][state][next state]
	Right       []float64              `json:"right,omitempty"`    // right vector r of a generalised process, by state
	Stationary  []float64              `json:"stationary,omitempty"`
	*Rates                             // nil if the optimum is not known
	// Chance is the loss of the best constant guess, in nats: at position 1; for a signal,
	// over the positions 1 … 65, one more than the context (see [process.Floor]); for your
	// own recording, over the held-out part, or over everything if nothing is held out.
	Chance       float64       `json:"chance"`
	ChanceOf     string        `json:"-"` // text to append to Chance, such as " (of the held-out part)", or ""
	Beliefs      *BeliefCounts `json:"beliefs,omitempty"`
	BeliefsError string        `json:"beliefs_error,omitempty"` // why Beliefs is nil
	Ceiling      *Ceiling      `json:"ceiling,omitempty"`       // nil if the process is not a signal
	CeilingError string        `json:"ceiling_error,omitempty"` // why Ceiling is nil
	// Memorised reports that entropies and ceiling assume a predictor that has memorised the
	// one recording from which sequences are drawn as windows.
	Memorised     bool              `json:"memorised,omitempty"`
	Recording     *Recording        `json:"recording,omitempty"` // nil unless the process is your own recording
	Spectrum      *Spectrum         `json:"spectrum,omitempty"`
	SpectrumError string            `json:"spectrum_error,omitempty"` // why Spectrum is nil
	Linear        *Linear           `json:"linear,omitempty"`
	LinearError   string            `json:"linear_error,omitempty"` // why Linear is nil
	Notes         []process.Problem `json:"notes,omitempty"`
	// NotComputed lists the parts that are left out because each would take more than a
	// second or two, with the reason and an estimate of the cost; see [Subject].All.
	NotComputed map[process.Part]string `json:"not_computed,omitempty"`

	all   bool // see [Subject]
	flags Flags
}

// Rates are the entropy rate, which is the limit of the floor (the optimal loss by
// position), and the excess entropy, which is the sum of the floor minus this limit over
// all positions.
type Rates struct {
	EntropyRate        float64  `json:"entropy_rate"` // in nats, like the other numbers
	EntropyRateError   float64  `json:"entropy_rate_error"`
	ExcessEntropy      *float64 `json:"excess_entropy,omitempty"`
	ExcessEntropyError *float64 `json:"excess_entropy_error,omitempty"`
	NoExcessEntropy    string   `json:"-"`         // why ExcessEntropy is nil
	Estimated          bool     `json:"estimated"` // whether both errors are estimates instead of bounds
}

// Parameter is a parameter of a process and its value.
type Parameter struct {
	Name    string `json:"name"`
	Value   any    `json:"value"`
	Default any    `json:"default"`
	Range   string `json:"range"`
	Summary string `json:"summary"`
}

// BeliefCounts describes the beliefs of an optimal observer if there are finitely many.
type BeliefCounts struct {
	Recurrent             int     `json:"recurrent"`
	Transient             int     `json:"transient"`
	Entropy               float64 `json:"entropy"` // of the recurrent beliefs, nats
	StatisticalComplexity float64 `json:"statistical_complexity"`
}

// Ceiling is the greatest accuracy that any model of a signal can reach.
type Ceiling struct {
	Context  int     `json:"context"`         // largest number of tokens that the model sees
	Accuracy float64 `json:"accuracy"`        // mean over the positions 2 … context+1
	Error    float64 `json:"error,omitempty"` // half-width of Accuracy if it is estimated, else 0
	// Retrieval is the share of tokens that can be computed from earlier ones (retrieval
	// steps). On these tokens the ceiling is 1.
	Retrieval *float64 `json:"retrieval,omitempty"`
}

// Process returns what is known about a process. It takes a few seconds at most: unless
// s.All is set, parts that would take longer are listed in NotComputed instead. For a
// signal (an entry of that Kind) it includes the greatest accuracy. It returns an error
// if the floor cannot be computed, if s.All needs more memory than the machine has, or if
// ctx ends.
func Process(ctx context.Context, s Subject) (*Description, error) {
	d := s.described()
	if r, ok := s.Process.(*process.Recording); ok {
		d.addRecording(r)
		return d, nil
	}
	p, err := s.Optimum()
	if err != nil {
		return nil, err
	}
	positions := 1
	if s.Entry.Kind == "signal" {
		positions += signalContext
	}
	floor, err := chanceAt(ctx, p, positions)
	if err != nil {
		return nil, err
	}
	d.Chance, d.ChanceOf, d.Memorised, d.Rates = floor.Chance, chanceOf(ctx, p, floor), process.Memorised(p), &Rates{}
	if d.EntropyRate, d.EntropyRateError, err = p.EntropyRate(ctx); err != nil {
		return nil, err
	}
	d.addStates(p)
	d.StateNames, d.NumStates = d.States, len(d.States)
	d.addExcessEntropy(ctx, p)
	d.addBeliefs(ctx, p)
	for _, part := range []struct {
		process.Part
		add func(context.Context, process.Process)
	}{{process.PartSpectrum, d.addSpectrum}, {process.PartLinear, d.addLinear}, {process.PartNotes, d.addNotes}} {
		reason, err := s.leftOut(p, part.Part)
		switch {
		case err != nil:
			return nil, err
		case reason == "":
			part.add(ctx, p)
		default:
			d.leaveOut(part.Part, reason)
		}
	}
	if s.Entry.IsSignal(p) {
		d.addCeiling(ctx, p)
	}
	return d, ctx.Err() // if ctx ended, the parts above recorded it as the reason for a missing fact
}

// described returns the part of the description that needs no computation.
func (s Subject) described() *Description {
	p := s.Process
	d := &Description{
		Name: p.Name(), Process: p.Name(), Summary: s.Entry.Summary, Rules: s.Entry.Rules, Params: s.Params,
		Tokens: p.Tokens(), TokenNames: p.Tokens(), NumTokens: p.Alphabet(), all: s.All, flags: s.Flags,
	}
	for _, param := range s.Entry.Params {
		value := s.Params[param.Name]
		d.Parameters = append(d.Parameters, Parameter{param.Name, value, param.Default, param.Range, param.Summary})
	}
	return d
}

// chanceAt returns the floor of the given number of positions, or of fewer if the budget
// does not allow all of them. Callers use only its chance and its number of positions.
func chanceAt(ctx context.Context, p process.Process, positions int) (process.Floor, error) {
	b, ok := p.(process.Bounded)
	if !ok {
		return p.Floor(ctx, positions)
	}
	floor, err := b.FloorWithin(ctx, positions, process.SolveProducts)
	var spent *process.BudgetError
	if errors.As(err, &spent) {
		return spent.Floor, nil
	}
	return floor, err
}

// addStates adds the hidden states and the transition matrices.
func (d *Description) addStates(p process.Sampler) {
	if o, ok := p.(process.Observer); ok {
		d.States = o.States()
	}
	if c, ok := p.(process.Chain); ok {
		d.Stationary = c.Stationary()
	}
	m, ok := p.(process.Machine)
	if !ok {
		return
	}
	d.Generalised, d.States, d.Matrices = m.Generalised(), m.States(), map[string][][]float64{}
	for z, name := range d.Tokens {
		d.Matrices[name] = square(m.Transition(z), len(d.States))
	}
	if d.Generalised {
		d.Right = m.Right()
	}
}

// addExcessEntropy adds the excess entropy, or the reason why it is missing.
func (d *Description) addExcessEntropy(ctx context.Context, p process.Process) {
	l, ok := p.(process.Limiter)
	if !ok {
		d.NoExcessEntropy = "not known for this process"
		return
	}
	limits, err := l.Limits(ctx)
	if err != nil {
		d.NoExcessEntropy = err.Error()
		return
	}
	d.NoExcessEntropy, d.Estimated = limits.NoExcessEntropy, limits.Estimated
	if limits.NoExcessEntropy == "" && !math.IsInf(limits.ExcessEntropyError, 1) {
		d.ExcessEntropy, d.ExcessEntropyError = &limits.ExcessEntropy, &limits.ExcessEntropyError
	}
}

// addBeliefs counts the beliefs, or records why it cannot.
func (d *Description) addBeliefs(ctx context.Context, p process.Process) {
	presenter, ok := p.(process.Presenter)
	if !ok {
		d.BeliefsError = d.Name + ": not known for this process"
		return
	}
	found, err := presenter.Presentation(ctx)
	if err != nil {
		d.BeliefsError = err.Error()
		return
	}
	d.Beliefs = &BeliefCounts{
		Recurrent: found.Recurrent(), Transient: found.Transient(),
		Entropy: found.BeliefEntropy(), StatisticalComplexity: found.StatisticalComplexity(),
	}
}

// leaveOut records that a part of the description is left out, with the reason.
func (d *Description) leaveOut(part process.Part, reason string) {
	if d.NotComputed == nil {
		d.NotComputed = map[process.Part]string{}
	}
	d.NotComputed[part] = reason
}

// addNotes adds the problems that the process reports about itself. It ignores the error
// of Check, which can only be ctx's.
func (d *Description) addNotes(ctx context.Context, p process.Process) {
	if c, ok := p.(process.Checker); ok {
		d.Notes, _ = c.Check(ctx)
	}
}

// addSpectrum adds the spectrum if the process has one.
func (d *Description) addSpectrum(ctx context.Context, p process.Process) {
	h, ok := p.(*process.HMM)
	if !ok {
		return
	}
	found, err := theory.Of(h).Spectrum(ctx)
	if err != nil {
		d.SpectrumError = err.Error()
		return
	}
	d.Spectrum = describeSpectrum(found)
}

// addCeiling adds the greatest accuracy, averaged over the positions 2 … 65 that the
// models in EE269 2026 predict.
func (d *Description) addCeiling(ctx context.Context, p process.Process) {
	found, err := process.SolveCeiling(ctx, p, 1+signalContext)
	if err != nil {
		d.CeilingError = err.Error()
		return
	}
	d.Ceiling = &Ceiling{Context: signalContext, Accuracy: stat.Mean(found.ByPosition[1:], nil)}
	if found.Error != nil {
		d.Ceiling.Error = stat.Mean(found.Error[1:], nil)
	}
	if found.Retrieval != nil {
		share := stat.Mean(found.Retrieval[1:], nil)
		d.Ceiling.Retrieval = &share
	}
}

// square divides a row-major matrix into rows of n entries.
func square(flat []float64, n int) [][]float64 { return slices.Collect(slices.Chunk(flat, n)) }
