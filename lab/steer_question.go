package lab

import (
	"context"
	"strconv"

	"foretell/inspect"
)

// Steer asks what a model predicts when the activation after a sequence is moved to
// another belief. Stage is a hook name, "" for the last; Length is the number of tokens
// of the longest sequences that the regression is fitted to, 0 for the most that fits.
type Steer struct {
	Sequence
	Belief string `json:"belief,omitempty"` // as on a command line: 0.1,0.1,0.8; "" for the true one
	Stage  string `json:"stage,omitempty"`
	Length int    `json:"length,omitempty"`
}

// Command implements [Question].
func (q *Steer) Command(at Folders) []string {
	words := append([]string{"steer"}, q.words(at.Runs)...)
	if q.Belief != "" {
		words = append(words, "--belief", q.Belief)
	}
	if q.Stage != "" {
		words = append(words, "--stage", q.Stage)
	}
	if q.Length > 0 {
		words = append(words, "--length", strconv.Itoa(q.Length))
	}
	return words
}

func (q *Steer) answer(ctx context.Context, e *Engine) (Answer, error) {
	m, word, err := q.open(e)
	if err != nil {
		return Answer{}, err
	}
	r := inspect.SteerRequest{Word: word, Stage: q.Stage, Length: q.Length}
	if q.Belief != "" {
		if r.Belief, err = m.ParseBelief(q.Belief); err != nil {
			return Answer{}, err
		}
	}
	found, err := m.Steer(ctx, r)
	if err != nil {
		return Answer{}, plain(err)
	}
	shown := inspect.SteeredModel{Steered: found, Model: m.Path}
	return Answer{found, shown.Forms(e.line(q))}, nil
}
