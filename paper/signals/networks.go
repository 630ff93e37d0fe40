package signals

import (
	"fmt"

	"foretell/claim"
	"foretell/model"
	"foretell/process"
	"foretell/run"
	"foretell/train"
)

// contextLength is the lecture's K, the number of tokens in a model's context.
const contextLength = 64

// eventWeight is the weight of a retrieval step in the loss (“Loss Weighting”).
const eventWeight = 10

// Training settings that the lecture does not state, chosen before the first training
// run: the width of the MLP, and Adam at a constant rate on fresh windows from the
// beginnings of sequences. The lecture only speaks of “epochs” and gives a time, about 48
// minutes on a CPU for all models.
const (
	flatWidth    = 256 // width of the MLP's hidden layer
	windowsAStep = 64  // batch size
	rate         = 1e-3
	evaluations  = 20  // number of evaluations during a training run
	evaluatedOn  = 256 // number of windows in an evaluation
)

// architecture is one of the lecture's three models.
type architecture string

const (
	linear architecture = "Linear"
	mlp    architecture = "MLP"
	gpt    architecture = "GPT"
)

var architectures = []architecture{linear, mlp, gpt}

// network is one of the lecture's models on a signal. As in the lecture, its loss is only
// on the token after the window.
type network struct {
	signal
	architecture
	layers int  // number of layers of a GPT
	even   bool // retrieval steps have the same loss weight as other tokens
	set    int  // number of windows in a finite training set; 0: fresh windows
}

// of returns the network with an architecture, to be trained on a signal. A GPT has the
// lecture's three layers.
func of(s signal, a architecture) network {
	n := network{signal: s, architecture: a}
	if a == gpt {
		n.layers = 3
	}
	return n
}

// deep returns a copy of the network with the given number of layers.
func (n network) deep(layers int) network { n.layers = layers; return n }

// from returns a copy of the network, to be trained on a finite set of the given number
// of windows.
func (n network) from(set int) network { n.set = set; return n }

// unweighted returns a copy of the network, to be trained with equal loss weights.
func (n network) unweighted() network { n.even = true; return n }

// model returns the network's model configuration.
func (n network) model() model.Config {
	switch n.architecture {
	case linear:
		return model.Config{Architecture: "flat", DModel: 8, NCtx: contextLength}
	case mlp:
		return model.Config{Architecture: "flat", DModel: 8, NLayers: 1, DMLP: flatWidth, NCtx: contextLength}
	}
	return model.Config{
		DModel: 64, NLayers: n.layers, NHeads: model.Heads{4}, NCtx: contextLength, UnembedBias: new(false),
	}
}

// symbolic reports whether the signal has retrieval steps.
func (s signal) symbolic() bool { return s != sine && s != mackeyGlass }

// training returns the training run of a network.
func (l *lab) training(n network) claim.Training {
	steps := l.steps
	if n.signal == sine {
		steps = l.sineSteps
	}
	t := claim.Training{
		Name: n.folder(), Label: n.label(), Snapshots: []int{steps / 2},
		Config: train.Config{
			Process: process.Spec{Name: n.signal.name}, Model: n.model(),
			Train: train.Options{
				Seed: 1, BatchSize: windowsAStep, NumSteps: steps, LR: rate, LossPositions: []int{contextLength},
				TrainSequences: n.set, EvaluateEvery: steps / evaluations, EvaluateSequences: evaluatedOn,
			},
		},
	}
	if n.symbolic() && !n.even {
		t.Config.Train.EventWeight = eventWeight
	}
	if n.signal == mackeyGlass {
		t.Watch = run.Watch{heldOutLoss: lossAhead}
	}
	return t
}

func (l *lab) trainings(list []network) []claim.Training {
	all := make([]claim.Training, len(list))
	for i, n := range list {
		all[i] = l.training(n)
	}
	return all
}

// folder returns the name of the network's run folder.
func (n network) folder() string {
	name := "window-" + n.signal.name + "-" + string(n.architecture)
	if n.architecture == gpt {
		name += fmt.Sprint(n.layers)
	}
	if n.even {
		name += "-even"
	}
	if n.set > 0 {
		name += fmt.Sprintf("-of%d", n.set)
	}
	return name
}

// label returns a readable name for the network.
func (n network) label() string {
	text := n.title + ", " + string(n.architecture)
	if n.architecture == gpt {
		text += fmt.Sprintf(", L = %d", n.layers)
	}
	if n.even {
		text += ", even weights"
	}
	if n.set > 0 {
		text += fmt.Sprintf(", %d windows", n.set)
	}
	return text
}
