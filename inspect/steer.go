package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/text"
	"foretell/model"
	"foretell/probe"
	"foretell/process"
)

// Steered is what a model predicts after a sequence when the activation of its last token
// is moved so that a regression reads another belief there, next to the optimal
// prediction for that belief.
type Steered struct {
	Tokens []int32  `json:"tokens"`
	Names  []string `json:"names"` // names of all tokens of the model; their numbers if they have no names
	States []string `json:"states"`
	Stage  string   `json:"stage"` // hook name of the stage whose activation is moved

	Words  int            `json:"words"`  // sequences that the regression is fitted to
	Length int            `json:"length"` // tokens in the longest of them
	R2     probe.Estimate `json:"r2"`     // how well it reads the beliefs from the stage

	// True is the optimal observer's belief after the sequence. It is nil if the sequence
	// has probability 0.
	True    []float64   `json:"true_belief"`
	Belief  []float64   `json:"belief"`  // the belief to which the activation is moved
	Optimal []float64   `json:"optimal"` // the best prediction of the next token for it
	Moves   []SteerMove `json:"moves"`   // none, the shortest and the likeliest
}

// SteerMove is a move of an activation, see [probe.Analysis.SteerEach].
type SteerMove struct {
	Name     string    `json:"name"`     // unchanged, shortest or likeliest
	Distance float64   `json:"distance"` // length of the move, in the units of the activations
	Read     []float64 `json:"read"`     // the belief that the regression reads after it
	Model    []float64 `json:"model"`    // the model's prediction after it
	KL       float64   `json:"kl"`       // from the optimal prediction for the belief, nats
}

// SteerRequest holds the arguments of [Model.Steer].
type SteerRequest struct {
	Word   []int32   // the sequence
	Belief []float64 // what the regression is to read, see [Model.ParseBelief]; nil means the true belief
	Stage  string    // hook name of a stage of the residual stream; "" means the last one
	Length int       // tokens in the longest sequences of the fit; 0 means as long as possible
}

// mostSteered is the largest number of sequences that the regression is fitted to. A page
// fits it again whenever the belief is dragged.
const mostSteered = 4000

// Steer moves the activation after a sequence to another belief. The regression is fitted
// to all sequences of up to r.Length tokens, or of fewer if they are more than 4,000. It
// returns an error if the process has no hidden states, if its beliefs do not vary
// ([probe.ConstantError]), if the sequence does not fit the model, or if another argument
// is wrong ([intervene.ArgumentError]).
func (m *Model) Steer(ctx context.Context, r SteerRequest) (*Steered, error) {
	source, observer, err := m.observer()
	if err == nil {
		err = cmp.Or(checkLength(m.Config(), r.Word), m.CheckWord(r.Word))
	}
	if err != nil {
		return nil, err
	}
	stages := m.Config().ResidualStages()
	s := &Steered{
		Tokens: r.Word, States: observer.States(), Stage: cmp.Or(r.Stage, stages[len(stages)-1]), Belief: r.Belief,
	}
	beliefs, err := observer.Beliefs(r.Word)
	if err == nil {
		s.True = beliefs[len(beliefs)-1]
	}
	if s.Belief == nil && err != nil {
		return nil, fmt.Errorf("%w; give a belief to move to", err)
	}
	if s.Belief == nil {
		s.Belief = s.True
	} else if err := checkBelief(source, observer, s.Belief); err != nil {
		return nil, err
	}
	s.Optimal = observer.Next(s.Belief)
	if !slices.Contains(stages, s.Stage) {
		return nil, wrong("%q is not a stage of the residual stream; want one of %s",
			s.Stage, strings.Join(stages, ", "))
	}
	for z := range m.Config().DVocab {
		s.Names = append(s.Names, m.Names().Of(int32(z)))
	}
	longest, err := m.wordLength(r.Length)
	if err != nil {
		return nil, err
	}
	words, err := wordsUpTo(ctx, source, longest, mostSteered)
	if err != nil {
		return nil, err
	}
	return s, s.move(ctx, m.network.inFloat32(), words)
}

// observer returns the model's process, which must have hidden states.
func (m *Model) observer() (process.Process, process.Observer, error) {
	source, err := m.Process()
	if err != nil {
		return nil, nil, err
	}
	o, ok := source.(process.Observer)
	if !ok || len(o.States()) == 0 {
		return nil, nil, fmt.Errorf("%s has no hidden states, so it has no belief to move", source.Name())
	}
	return source, o, nil
}

// move fits the regression, and fills in what the model predicts after each move.
func (s *Steered) move(ctx context.Context, m *model.Transformer[float32], words *process.Prefixes) error {
	varies, err := probe.Beliefs.Varies(ctx, words)
	if err == nil && !varies {
		err = &probe.ConstantError{Target: probe.Beliefs}
	}
	if err != nil {
		return err
	}
	on := probe.Stage(s.Stage)
	a, err := probe.Analyze(ctx, m, words, probe.Plan{
		Features: []probe.Features{on}, Targets: []probe.Target{probe.Beliefs}, Workers: 1,
	})
	if err == nil {
		err = a.Fit(ctx)
	}
	if err != nil {
		return err
	}
	s.R2, s.Words, s.Length = estimateOf(a.Regress(probe.Beliefs, on)), occurring(words), words.Length
	moved, err := a.SteerWord(ctx, probe.Beliefs, on, s.Tokens, s.Belief)
	if err != nil {
		return err
	}
	for _, one := range []struct {
		name string
		probe.MovedWord
	}{{"unchanged", moved.Unchanged}, {"shortest", moved.Shortest}, {"likeliest", moved.Likeliest}} {
		s.Moves = append(s.Moves, SteerMove{
			Name: one.name, Distance: one.Distance, Read: one.Read, Model: model.Probabilities(one.Logits),
			KL: model.Divergence(s.Optimal, one.Logits),
		})
	}
	return nil
}

// ParseBelief parses a belief over the states of the model's process, such as
// 0.2,0.3,0.5.
func (m *Model) ParseBelief(list string) ([]float64, error) {
	source, o, err := m.observer()
	if err != nil {
		return nil, err
	}
	example := fmt.Sprintf("give a number for each of the states %s, such as %s",
		strings.Join(o.States(), ", "), exampleBelief(len(o.States())))
	if strings.TrimSpace(list) == "" {
		return nil, errors.New("no belief is given; " + example)
	}
	var belief []float64
	for field := range strings.SplitSeq(list, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
		if err != nil {
			return nil, fmt.Errorf("%.40q is not a number; %s", field, example)
		}
		belief = append(belief, x)
	}
	return belief, checkBelief(source, o, belief)
}

// beliefSum is how far the sum of a belief may be from 1, so that a belief can be written
// with few digits.
const beliefSum = 1e-3

// checkBelief returns an error unless an observer can hold a belief: it has a number for
// each state, and its prediction is a distribution. The numbers are probabilities of sum
// 1, except for a generalised process.
func checkBelief(source process.Process, o process.Observer, belief []float64) error {
	states := o.States()
	if len(belief) != len(states) {
		return fmt.Errorf("%s given; want one for each of the states %s, such as %s",
			text.Count(len(belief), "number"), strings.Join(states, ", "), exampleBelief(len(states)))
	}
	machine, ok := source.(process.Machine)
	generalised := ok && machine.Generalised()
	sum := 0.0
	for i, x := range belief {
		if math.IsNaN(x) || math.IsInf(x, 0) || x < 0 && !generalised {
			return fmt.Errorf("the belief in %s is %g; want a probability", states[i], x)
		}
		sum += x
	}
	if !generalised && math.Abs(sum-1) > beliefSum {
		return fmt.Errorf("the probabilities have the sum %.6g; want 1", sum)
	}
	next := 0.0
	for _, q := range o.Next(belief) {
		next += q
	}
	if math.Abs(next-1) > beliefSum {
		return fmt.Errorf("no observer of %s holds this belief: its predictions have the sum %.6g, and not 1",
			source.Name(), next)
	}
	return nil
}

// exampleBelief returns a belief over n states as a user would write it.
func exampleBelief(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = "0"
	}
	list[0] = "1"
	if n > 1 {
		list[0], list[1] = "0.5", "0.5"
	}
	return strings.Join(list, ",")
}
