package lab

import (
	"context"
	"fmt"
	"strconv"

	"foretell/describe"
	"foretell/internal/build"
	"foretell/process"
)

// named is a kind of question.
type named struct {
	name string
	new  func() Question
}

// questions lists what pages can ask, by name.
var questions = append([]named{
	{"processes", func() Question { return &Processes{} }},
	{"process", func() Question { return &Process{} }},
	{"check", func() Question { return &Check{} }},
	{"floor", func() Question { return &Floor{} }},
	{"beliefs", func() Question { return &Beliefs{} }},
	{"sample", func() Question { return &Sample{} }},
	{"crafts", func() Question { return &Crafts{} }},
	{"predict", func() Question { return &Predict{} }},
	{"look", func() Question { return &Look{} }},
	{"portrait", func() Question { return &Portrait{} }},
	{"patch", func() Question { return &Patch{} }},
	{"ablate", func() Question { return &Ablate{} }},
	{"steer", func() Question { return &Steer{} }},
	{"walk", func() Question { return &Walk{} }},
	{"runs", func() Question { return &Runs{} }},
	{"run", func() Question { return &Run{} }},
	{"curves", func() Question { return &Curves{} }},
	{"lessons", func() Question { return &Lessons{} }},
	{"version", func() Question { return &Version{} }},
}, reportQuestions...)

// Names returns the names of the questions.
func Names() (names []string) {
	for _, q := range questions {
		names = append(names, q.name)
	}
	return names
}

// Version asks for the version of the program.
type Version struct{}

// Command implements [Question].
func (*Version) Command(Folders) []string { return []string{"--version"} }

func (*Version) answer(context.Context, *Engine) (Answer, error) {
	return Answer{Value: map[string]string{"version": build.Version()}}, nil
}

// Processes asks for the catalogue.
type Processes struct{}

// Command implements [Question].
func (*Processes) Command(Folders) []string { return []string{"process", "list"} }

func (*Processes) answer(context.Context, *Engine) (Answer, error) {
	list, err := describe.List()
	return Answer{list, list.Forms()}, err
}

// Process asks what is known about a process. Graph chooses the drawing of its .svg, see
// [describe.Drawings]; it is empty for the picture that fits best.
type Process struct {
	Source
	Graph string `json:"graph,omitempty"`
}

// Command implements [Question].
func (q *Process) Command(at Folders) []string {
	return append([]string{"process", "show"}, q.words(at.Runs)...)
}

func (q *Process) answer(ctx context.Context, e *Engine) (Answer, error) {
	s, err := q.subject(e)
	if err != nil {
		return Answer{}, err
	}
	d, err := describe.Process(ctx, s)
	return Answer{d, s.Forms(ctx, q.Graph)}, err
}

// Check asks for special properties of a process with hidden states.
type Check struct{ Source }

// Command implements [Question].
func (q *Check) Command(at Folders) []string {
	return append([]string{"process", "check"}, q.words(at.Runs)...)
}

func (q *Check) answer(ctx context.Context, e *Engine) (Answer, error) {
	s, _, err := q.optimum(e)
	if err != nil {
		return Answer{}, err
	}
	found, err := describe.Check(ctx, s)
	if err != nil {
		return Answer{}, err
	}
	return Answer{found, found.Forms()}, nil
}

// optimum returns the process, whose best possible prediction must be known.
func (s Source) optimum(e *Engine) (describe.Subject, process.Process, error) {
	found, err := s.subject(e)
	if err != nil {
		return found, nil, err
	}
	p, err := found.Optimum()
	return found, p, err
}

// Floor asks for the least possible loss at each position. Positions is 0 for the default
// of the process.
type Floor struct {
	Source
	Positions int `json:"positions,omitempty"`
}

// Command implements [Question].
func (q *Floor) Command(at Folders) []string {
	words := append([]string{"process", "floor"}, q.words(at.Runs)...)
	if q.Positions > 0 {
		words = append(words, "--positions", strconv.Itoa(q.Positions))
	}
	return words
}

func (q *Floor) answer(ctx context.Context, e *Engine) (Answer, error) {
	s, p, err := q.optimum(e)
	if err == nil {
		err = within("positions", q.Positions, 0, mostTokens)
	}
	if err != nil {
		return Answer{}, err
	}
	positions := q.Positions
	if positions == 0 {
		positions = describe.FloorPositions(p)
	}
	f, err := describe.Floor(ctx, s, positions)
	if err != nil {
		return Answer{}, err
	}
	return Answer{f, f.Forms()}, nil
}

// within returns an error unless low ≤ value ≤ high.
func within(name string, value, low, high int) error {
	if value < low || value > high {
		return fmt.Errorf("%s = %d is outside [%d, %d]", name, value, low, high)
	}
	return nil
}

// Beliefs asks for the beliefs along a sequence.
type Beliefs struct {
	Source
	Tokens string `json:"tokens"`
}

// Command implements [Question].
func (q *Beliefs) Command(at Folders) []string {
	words := append([]string{"process", "beliefs"}, q.words(at.Runs)...)
	return append(words, "--tokens", q.Tokens)
}

func (q *Beliefs) answer(ctx context.Context, e *Engine) (Answer, error) {
	s, _, err := q.optimum(e)
	if err != nil {
		return Answer{}, err
	}
	word, err := s.ParseWord(q.Tokens)
	if err == nil {
		err = within("number of tokens", len(word), 0, mostTokens)
	}
	if err != nil {
		return Answer{}, err
	}
	t, err := describe.Beliefs(ctx, s, word)
	if err != nil {
		return Answer{}, err
	}
	return Answer{t, t.Forms()}, nil
}

// Sample asks for sequences of a process.
type Sample struct {
	Source
	Number int    `json:"number"`
	Length int    `json:"length"`
	Seed   uint64 `json:"seed"`
}

// Command implements [Question].
func (q *Sample) Command(at Folders) []string {
	words := append([]string{"process", "sample"}, q.words(at.Runs)...)
	return append(words, "-n", strconv.Itoa(q.Number), "--length", strconv.Itoa(q.Length),
		"--seed", strconv.FormatUint(q.Seed, 10))
}

func (q *Sample) answer(ctx context.Context, e *Engine) (Answer, error) {
	s, err := q.subject(e)
	if err == nil {
		err = within("number", q.Number, 1, mostTokens)
	}
	if err == nil {
		err = within("length", q.Length, 1, mostTokens)
	}
	if err != nil {
		return Answer{}, err
	}
	sample := describe.Sample{Subject: s, Number: q.Number, Length: q.Length, Seed: q.Seed}
	if err := sample.Check(); err != nil {
		return Answer{}, err
	}
	forms := sample.Forms(ctx)
	value, err := raw(forms)
	return Answer{value, forms}, err
}
