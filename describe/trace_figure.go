package describe

import (
	"fmt"

	"foretell/figure"
)

// figure draws the beliefs along the sequence, the constrained and linear beliefs if the
// process has them, and the distribution of the next token. The heading and the notes
// have the name and the parameters of the process. It returns an error if the
// sequence has more than 512 tokens.
func (t *Trace) figure() (*figure.Figure, error) {
	if len(t.Word) > mostTokens {
		return nil, fmt.Errorf("%d tokens are too many for a picture, want at most %d", len(t.Word), mostTokens)
	}
	seen := figure.Axis{Label: "tokens seen"}
	if len(t.Word) <= mostCounted {
		seen = figure.Axis{Label: "last token seen", Names: append([]string{"none"}, t.Word...)}
	}
	states := make([]string, len(t.States))
	for k, name := range t.States {
		states[k] = "state " + name
	}
	next := make([]string, 0, len(t.Next[0]))
	for _, name := range t.of.Process.Tokens() {
		next = append(next, "token "+name)
	}
	f := &figure.Figure{
		Title: t.of.Process.Name() + ": beliefs along a sequence",
		Desc:  "An optimal observer's belief after each token, state by state, and its prediction of the next token.",
		Width: pictureWidth,
	}
	add := func(title, y string, rows [][]float64, names []string, before int) {
		if rows != nil {
			f.Panels = append(f.Panels, []figure.Panel{shares(title, seen, y, 0, rows, names, before)})
		}
	}
	add("belief", "probability of the state", t.Beliefs, states, 0)
	add("constrained belief: what one layer of attention can build", "entry of the state", t.Constrained, states, 0)
	add("linear belief: the best sum of functions of position and token", "entry of the state", t.Linear, states, 0)
	add("next token", "probability of the token", t.Next, next, len(states))
	t.of.head(f, "beliefs along a sequence", fmt.Sprintf("Log probability of its %d tokens: %s nats.", len(t.Word),
		sixDigits(t.LogProb)))
	return f, nil
}
