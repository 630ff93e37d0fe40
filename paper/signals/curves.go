package signals

import (
	"context"
	"math"
	"slices"

	"foretell/claim"
	"foretell/process"
)

const (
	// convergedGap is the share of the gap between chance and floor that a model on the sine
	// must close to count as converged.
	convergedGap = 0.99
	// moves is the smallest change of a loss, in nats, that counts as a rise or fall. All
	// evaluations of a training run use the same held-out windows.
	moves = 0.01
	// rises is the threshold for overfitting: how far a validation loss must rise above its
	// minimum, in nats.
	rises = 0.05
	// farBelow defines “far below”: a loss is above the floor by at most this share of the
	// amount by which the better baseline's loss is above the floor.
	farBelow = 0.5
	// plateau defines “plateau early”: at most this share of the whole fall of a loss is in
	// the second half of the steps.
	plateau = 0.05
	// trainingSet is the number of windows in the finite training sets. The lecture states
	// neither this number nor how many windows an epoch has.
	trainingSet = 2048
	// printedRise is the epoch after which the MLP overfits according to the lecture.
	printedRise = 15
)

// overfitted lists the signals on which the MLP is also trained on a finite set of
// windows. The lecture says that the MLP overfits these signals, and it cannot overfit
// windows that never repeat.
var overfitted = []signal{switching, routing}

// trainingCurves returns row S6: the three models' training curves.
func (l *lab) trainingCurves() claim.Row {
	list := mainNetworks()
	for _, s := range overfitted {
		list = append(list, of(s, mlp).from(trainingSet))
	}
	return texts.Fill(claim.Row{
		ID: "S6", Kind: claim.Picture, StandsOn: []string{"S3", "S4", "S5"}, Setting: l.setting,
		Trainings: l.trainings(list), RuleCommit: "cad45c0", ChangedAfterResult: true,
		First: claim.FirstBy("a55cbe0", curves.first),
		Test: claim.Steps[curves]{
			Measure: l.measureCurves, Judge: curves.judge, Tabulate: curves.tabulate, Draw: curves.draw,
		}.Test,
	}, map[string]any{
		"evaluations": evaluations, "closed": 100 * convergedGap, "rises": rises, "plateau": 100 * plateau,
		"farBelow": farBelow, "windows": trainingSet, "moves": moves, "chosen": shared.Notes[0],
	})
}

// curves are the training curves of the main table's models.
type curves struct {
	signals []signalCurves
	finite  []finiteCurve
}

// signalCurves are the curves on one signal, by architecture.
type signalCurves struct {
	signal
	floor float64
	of    [3]along
}

// along is a loss along a training run, in nats, starting before the first step.
type along struct {
	steps  []float64
	loss   []float64 // on held-out windows
	seen   []float64 // on windows of the recording used for training; Mackey–Glass only
	closed []float64 // share of the gap between chance and floor that is closed
}

// finiteCurve holds the curves of two MLPs, one trained on a finite set of windows and
// one on fresh windows.
type finiteCurve struct {
	signal
	finite, fresh along
}

func (l *lab) measureCurves(ctx context.Context, s *claim.Study) (curves, error) {
	var found curves
	for _, on := range allSignals {
		p, err := on.process()
		if err != nil {
			return found, err
		}
		c := signalCurves{signal: on}
		if c.floor, err = floorOf(ctx, p); err != nil {
			return found, err
		}
		for i, a := range architectures {
			if c.of[i], err = l.along(ctx, s, of(on, a)); err != nil {
				return found, err
			}
		}
		found.signals = append(found.signals, c)
	}
	for _, on := range overfitted {
		finite, err := l.along(ctx, s, of(on, mlp).from(trainingSet))
		if err != nil {
			return found, err
		}
		fresh, err := l.along(ctx, s, of(on, mlp))
		if err != nil {
			return found, err
		}
		found.finite = append(found.finite, finiteCurve{on, finite, fresh})
	}
	return found, nil
}

// along reads a network's training curve from the metrics of its run.
func (l *lab) along(ctx context.Context, s *claim.Study, n network) (along, error) {
	var a along
	measured, err := l.measured(ctx, s, n)
	if err != nil {
		return a, err
	}
	for _, row := range measured.rows {
		a.steps = append(a.steps, float64(row.Step))
		a.loss = append(a.loss, row.LossEval)
		if row.GapClosed != nil {
			a.closed = append(a.closed, *row.GapClosed)
		}
		if n.signal == mackeyGlass {
			a.seen = append(a.seen, row.LossEval)
			a.loss[len(a.loss)-1] = row.Watch[heldOutLoss]
		}
	}
	return a, nil
}

// end returns the last loss.
func (a along) end() float64 { return a.loss[len(a.loss)-1] }

// at returns the loss after a share of the steps.
func (a along) at(share float64) float64 {
	return a.loss[int(math.Round(share*float64(len(a.loss)-1)))]
}

// late returns how much of the whole fall of the loss is in the second half of the steps,
// as a share.
func (a along) late() float64 {
	way := a.loss[0] - a.end()
	return (a.at(0.5) - a.end()) / max(way, moves)
}

// least returns the index of the lowest loss.
func (a along) least() int { return slices.Index(a.loss, slices.Min(a.loss)) }

// convergedAt returns the first step at which the closed share of the gap is at least
// convergedGap, or 0 if there is no such step.
func (a along) convergedAt() float64 {
	for i, closed := range a.closed {
		if closed >= convergedGap {
			return a.steps[i]
		}
	}
	return 0
}

// floorOf returns the least possible mean loss on the token after a window, in nats.
func floorOf(ctx context.Context, p process.Process) (float64, error) {
	floor, err := p.Floor(ctx, contextLength+1)
	if err != nil {
		return 0, err
	}
	return floor.ByPosition[contextLength], nil
}
