package signals

import (
	"fmt"

	"foretell/claim"
	"foretell/model"
	"foretell/process"
	"foretell/run"
	"foretell/train"
)

// contextLength is the lecture's K: how many tokens a model sees.
const contextLength = 64

// eventWeight is the weight of a retrieval step in the loss (“Loss Weighting”).
const eventWeight = 10

// What the lecture leaves open of its trainings, chosen before any of them was run: Adam
// at a constant rate, on fresh windows from the beginning of sequences, and how wide the
// MLP is. It says “epochs” and a time, about 48 minutes on a CPU for all of it.
const (
	flatWidth    = 256 // of the MLP's one hidden layer
	windowsAStep = 64
	rate         = 1e-3
	evaluations  = 20 // of each training
	evaluatedOn  = 256
)

// architecture is one of the lecture's three models.
type architecture string

const (
	linear architecture = "Linear"
	mlp    architecture = "MLP"
	gpt    architecture = "GPT"
)

var architectures = []architecture{linear, mlp, gpt}

// network is one of the lecture's models, trained as the lecture does: the token after
// the window is learned, and nothing else.
type network struct {
	signal
	architecture
	layers int  // of a GPT
	even   bool // retrieval steps weigh as any token
	set    int  // windows of a finite training set; 0 for fresh ones
}

// of is an architecture on a signal, a GPT with the lecture's three layers.
func of(s signal, a architecture) network {
	n := network{signal: s, architecture: a}
	if a == gpt {
		n.layers = 3
	}
	return n
}

func (n network) deep(layers int) network { n.layers = layers; return n }
func (n network) from(set int) network    { n.set = set; return n }
func (n network) unweighted() network     { n.even = true; return n }

// model is the configuration of the network.
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

// symbolic says whether the signal has retrieval steps.
func (s signal) symbolic() bool { return s != sine && s != mackeyGlass }

// training is the run of a network.
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

// folder is the name of the network's run.
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

// label is the network among others, for people.
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
