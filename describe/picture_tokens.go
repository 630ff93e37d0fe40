package describe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"foretell/figure"
	"foretell/process"
)

const (
	drawnTokens = 96   // number of tokens of a sequence that are drawn
	mostNamed   = 48   // largest alphabet whose token names are on the axis
	tokenLine   = 11.4 // height of a token on the axis, in points
)

// retrievalPicture draws a sequence with its retrieval steps, and the optimal predictor's
// probability of each token; it returns nil if the process has no retrieval steps.
func retrievalPicture(s Subject) (*figure.Figure, error) {
	r, ok := s.Process.(process.Retriever)
	if !ok {
		return nil, nil
	}
	sequence := s.sequence(drawnTokens)
	steps, err := r.Retrievals(sequence)
	if err != nil {
		return nil, err
	}
	f, err := s.tokens(sequence, []group{
		{"retrieval step: computed from earlier tokens", 2, func(t int) bool { return steps[t] }},
		{"any other token", figure.Grey, func(t int) bool { return !steps[t] }},
	})
	if err != nil {
		return nil, err
	}
	f.Desc = strings.Join(append(slices.Clone(s.Entry.Rules), f.Desc,
		"Retrieval steps, which the program computes from earlier tokens, are marked."), " ")
	count := 0
	for _, step := range steps {
		if step {
			count++
		}
	}
	s.head(f, "a sequence and its retrieval steps",
		append(slices.Clone(s.Entry.Rules),
			fmt.Sprintf("A sequence (seed 1): %d of its %d tokens are retrieval steps.", count, len(sequence)))...)
	return f, nil
}

// tokensPicture draws a sequence and the optimal predictor's probability of each token.
func tokensPicture(s Subject) (*figure.Figure, error) {
	f, err := s.tokens(s.sequence(drawnTokens), []group{{"tokens", 1, func(int) bool { return true }}})
	if err != nil {
		return nil, err
	}
	s.head(f, "a sequence and its optimal prediction", "A sequence (seed 1).")
	return f, nil
}

// group is a set of tokens of a sequence that are drawn alike: with a name in the legend
// and a class of colour and marker. The function has reports whether token t belongs to
// it.
type group struct {
	name  string
	class int
	has   func(t int) bool
}

// tokens draws a sequence, each group in its colour, and below it the probability that
// the optimal predictor gave each token.
func (s Subject) tokens(sequence []int32, groups []group) (*figure.Figure, error) {
	right, err := s.rightToken(sequence)
	if err != nil {
		return nil, err
	}
	all := right.Series[0]
	right.Series = nil
	above := s.tokenPanel(len(sequence))
	for _, g := range groups {
		token := figure.Series{Name: g.name, Color: g.class, Style: figure.Scatter}
		chance := token
		for t, z := range sequence {
			if g.has(t) {
				token.Add(all.X[t], float64(z))
				chance.Add(all.X[t], all.Y[t])
			}
		}
		if token.X != nil {
			above.Series = append(above.Series, token)
			right.Series = append(right.Series, chance)
		}
	}
	return &figure.Figure{
		Title: s.Process.Name() + ": a sequence and its optimal prediction",
		Desc: fmt.Sprintf("Above: %d tokens of a sequence (seed 1). Below: the probability that the optimal predictor "+
			"gave each of them, from the tokens before it.", len(sequence)),
		Panels: [][]figure.Panel{{above}, {right}}, Width: pictureWidth,
	}, nil
}

// tokenPanel returns a chart of tokens by position, to which the caller adds the series.
// The axis has the token names if there are at most 48. If there are more than 12, it
// shows only every fifth of the names that are numbers.
func (s Subject) tokenPanel(length int) figure.Chart {
	names := s.Process.Tokens()
	chart := figure.Chart{
		X: figure.Axis{Label: "position, tokens"}, Y: figure.Axis{Label: "token", Include: []float64{0}},
		Aspect: min(max(float64(len(names))*tokenLine/(pictureWidth-80), 0.16), 0.9),
	}
	if len(names) > mostNamed {
		return chart
	}
	every := 1
	if len(names) > 12 {
		every = 5
	}
	for z, name := range names {
		if name == strconv.Itoa(z) && z%every != 0 {
			names[z] = ""
		}
	}
	chart.Y.Names = names
	return chart
}

// rightToken draws the optimal predictor's probability of each token of a sequence.
func (s Subject) rightToken(sequence []int32) (figure.Chart, error) {
	dots := figure.Series{Color: 1, Style: figure.Scatter}
	err := s.along(sequence, func(t int, next []float64, _ process.Predictor) {
		dots.Add(float64(t+1), next[sequence[t]])
	})
	return figure.Chart{
		Title: "probability of each token before it appears",
		X:     figure.Axis{Label: "position, tokens"}, Y: figure.Axis{Label: "probability", Include: []float64{0, 1}},
		Series: []figure.Series{dots}, Aspect: 0.3,
	}, err
}
