package describe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"foretell/figure"
	"foretell/internal/random"
	"foretell/internal/strict"
	"foretell/internal/text"
	"foretell/process"
)

// Names of the drawings that [Draw] makes.
const (
	DrawStates    = "states"    // the graph of the hidden states
	DrawBeliefs   = "beliefs"   // the graph of an optimal observer's beliefs
	DrawGeometry  = "geometry"  // the positions of beliefs, constrained beliefs and linear beliefs
	DrawAttention = "attention" // the attention that builds the constrained beliefs
)

// Drawings lists the names that [Draw] takes; the first two are graphs.
func Drawings() []string { return []string{DrawStates, DrawBeliefs, DrawGeometry, DrawAttention} }

// Draw draws a process, with its name and parameters in the heading: one of [Drawings],
// or for "" the picture that fits best (see [Picture]). It returns an error if the
// process lacks what is asked for ([ErrNoHMM]), or has too much of it to draw.
func Draw(ctx context.Context, s Subject, what string) (*figure.Figure, error) {
	if what == "" {
		return Picture(ctx, s)
	}
	p, err := s.Optimum()
	if err != nil {
		return nil, err
	}
	switch what {
	case DrawGeometry:
		f, err := Geometry(ctx, p)
		if err != nil {
			return nil, err
		}
		note := f.Desc
		if len(f.Panels) == 1 { // points have colours
			note += " Equal colours mean equal beliefs."
		}
		s.head(f, "the geometry of its beliefs", note)
		return f, nil
	case DrawAttention:
		f, err := Attention(ctx, p)
		if err != nil {
			return nil, err
		}
		s.head(f, "attention that builds its constrained beliefs",
			"One pattern per head: rows are destinations, columns sources. Positions count from 1.")
		return f, nil
	}
	g, err := GraphOf(ctx, p, what)
	if err != nil {
		return nil, err
	}
	f, err := g.Figure()
	if err != nil {
		return nil, err
	}
	s.head(f, "its "+g.What, g.Desc, g.arrows())
	return f, nil
}

// GraphOf returns the graph of the states ([DrawStates]) or of the beliefs
// ([DrawBeliefs]). Its errors are those that [StateGraph] and [BeliefGraph] return; any
// other name is an error too.
func GraphOf(ctx context.Context, p process.Process, what string) (*Graph, error) {
	switch what {
	case DrawStates:
		return StateGraph(ctx, p)
	case DrawBeliefs:
		return BeliefGraph(ctx, p)
	}
	return nil, errors.New(strict.NotOneOf(what, Drawings()))
}

// Picture draws the picture that suits a process best. For a signal it is a sequence with
// the range that the optimal predictor expects; for your own recording, its trained and
// held-out parts; for a coin or lags, the posterior along a sequence; for a symbolic
// signal, a sequence with its retrieval steps; for a hidden Markov model, the graph of
// the states if there are few states, edges and beliefs, or else the geometry of the
// beliefs; for any other process, a sequence with the optimal predictor's probability of
// each token. The heading has the name and the parameters. Sequences have seed 1.
func Picture(ctx context.Context, s Subject) (*figure.Figure, error) {
	if r, ok := s.Process.(*process.Recording); ok {
		return recordingPicture(s, r), nil
	}
	if _, err := s.Optimum(); err != nil {
		return nil, err
	}
	for _, kind := range []func(Subject) (*figure.Figure, error){
		signalPicture, biasPicture, lagsPicture, retrievalPicture,
		func(s Subject) (*figure.Figure, error) { return machinePicture(ctx, s) },
	} {
		if f, err := kind(s); f != nil || err != nil {
			return f, err
		}
	}
	return tokensPicture(s)
}

const (
	pictureWidth = 600.0 // points
	longValue    = 72    // number of characters beyond which a parameter's value is shortened
)

// head sets the heading of a figure to the process's name and the given heading, and its
// notes to the parameters and the given notes.
func (s Subject) head(f *figure.Figure, heading string, notes ...string) {
	f.Heading = s.Process.Name() + ": " + heading
	f.Notes = nil
	if text := s.ParamsText(); text != "" {
		f.Notes = append(f.Notes, strings.ReplaceAll(text, " = ", "\u00a0=\u00a0")) // no line break within them
	}
	f.Notes = append(f.Notes, notes...)
}

// ParamsText returns the parameters on a line, as in "x = 0.15, a = 0.6", with long
// values shortened, or "" if the process has no parameters.
func (s Subject) ParamsText() string {
	var list []string
	for _, p := range s.Entry.Params {
		value := ValueText(s.Params[p.Name])
		if utf8.RuneCountInString(value) > longValue {
			value = text.Excerpt(process.FormatValue(s.Params[p.Name]), longValue)
		}
		list = append(list, p.Name+" = "+value)
	}
	return strings.Join(list, ", ")
}

// ValueText returns a parameter's value as text. It shortens a long list to its beginning
// and its length.
func ValueText(value any) string {
	const most, begin = 16, 5
	list, ok := value.([]float64)
	if !ok || len(list) <= most {
		return process.FormatValue(value)
	}
	return fmt.Sprintf("%s, …] (%d numbers)", strings.TrimSuffix(process.FormatValue(list[:begin]), "]"), len(list))
}

const (
	// Up to these numbers of beliefs, states and edges, the picture is the graph of the
	// states; beyond them it is the geometry of the beliefs.
	mostFewBeliefs = 64
	mostFewStates  = 24
	mostFewEdges   = 40
)

// machinePicture draws, for a hidden Markov model, the graph of its states if there are
// few states, edges and beliefs, or else the geometry of its beliefs. It returns nil for
// any other process.
func machinePicture(ctx context.Context, s Subject) (*figure.Figure, error) {
	m, ok := s.Process.(process.Machine)
	if !ok {
		return nil, nil
	}
	if presenter, ok := s.Process.(process.Presenter); ok && !m.Generalised() {
		found, err := presenter.Presentation(ctx)
		if err == nil && len(found.Beliefs) <= mostFewBeliefs {
			g, err := StateGraph(ctx, s.Process.(process.Process))
			if err == nil && len(g.Nodes) <= mostFewStates && len(g.Edges) <= mostFewEdges {
				return Draw(ctx, s, DrawStates)
			}
		}
	}
	return Draw(ctx, s, DrawGeometry)
}

// sequence returns the first sequence of a [Sample] with the given length and seed 1.
func (s Subject) sequence(length int) []int32 {
	tokens := make([]int32, length)
	s.Process.Sample(tokens, random.New(1, "sample", 0))
	return tokens
}

// along calls the function visit for each token of a sequence. It passes the index of the
// token, the optimal predictor's distribution of this token, and the predictor, which has
// observed only the earlier tokens.
func (s Subject) along(sequence []int32, visit func(t int, next []float64, p process.Predictor)) error {
	source, err := s.Optimum()
	if err != nil {
		return err
	}
	p, next := source.Predictor(), make([]float64, s.Process.Alphabet())
	for t, z := range sequence {
		p.Next(next)
		visit(t, next, p)
		if err := p.Observe(int(z)); err != nil {
			return err
		}
	}
	return nil
}
