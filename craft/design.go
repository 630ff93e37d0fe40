package craft

import "foretell/model"

// Always is the name of the constant 1. It can be read like a direction.
const Always = ""

// Design describes a transformer by named directions of the residual stream. Writing to a
// name creates its direction; reading a name that nothing earlier writes to is an error.
// [Design.Build] turns a design into weights.
type Design struct {
	// Tokens are the names of the tokens 0, 1, …. A token's embedding is the direction with
	// its name.
	Tokens []string
	// Positions names one direction for each position; nil for no positional embedding.
	// [Numbered] makes such a list.
	Positions []string
	// Waves replaces Positions by positions that are given by angles. Its zero value adds no
	// positions.
	Waves Waves
	// NCtx is the longest context in tokens.
	NCtx int
	// Blocks are the layers.
	Blocks []Block
	// Logits are what the unembedding reads: From is a direction or Always, To is a token.
	Logits []Move
	// Directions are the vectors of the directions in the residual stream. If nil, each
	// direction has its own axis, in the order in which they are first written to.
	Directions []Direction
}

// Direction is a unit vector of the residual stream with a name.
type Direction struct {
	Name   string
	Vector []float64 // of length d_model
}

// Block is one layer: heads, which read the residual stream before the block, then an
// MLP, which also reads what the heads wrote.
type Block struct {
	Heads []Head
	// Functions are functions of one direction each, computed by the MLP with one neuron for
	// each ramp.
	Functions []Apply
	// Rules are the MLP's lookup table, with one neuron for each rule.
	Rules []Rule
}

// Head is an attention head: where it attends and what it moves.
type Head struct {
	// Attend lists scores, which add up for each source; nil attends uniformly. See
	// [Weighted], [Offset] and [Match].
	Attend []Score
	// Turns add scores that depend on the distance of a source, if the design has Waves.
	Turns []Turn
	// Move lists the directions that are copied from an attended source. See [Copy].
	Move []Move
}

// Score adds Nats to the attention score of each source that has the direction Key, at
// each position that has the direction Query. The name [Always] matches every source or
// position. If the two directions have the values q and k instead of 1, it adds q·k·Nats.
type Score struct {
	Query, Key string
	Nats       float64
}

// Move adds the coefficient of the direction From, multiplied by Times, to the direction
// To.
type Move struct {
	From, To string
	Times    float64
}

// Apply adds a function of the direction From to the direction To.
type Apply struct {
	Function Curve
	From, To string
}

// Rule adds Times to the direction To if every direction in If is 1 and every direction
// in Unless is 0. Each of these directions must be 0 or 1. The rule's neuron is silent if
// the sum over If minus the sum over Unless is at most len(If)−1.
type Rule struct {
	If, Unless []string
	To         string
	Times      float64
}

// stage names a part of the forward pass that writes to the residual stream, such as "the
// MLP of block 0".
type stage string

// writes calls visit with every direction that a design writes to, in the order of the
// forward pass.
func (d Design) writes(visit func(by stage, direction string)) {
	for _, name := range d.Tokens {
		visit("the token embedding", name)
	}
	for _, name := range d.Positions {
		visit("the positional embedding", name)
	}
	for i, b := range d.Blocks {
		for _, h := range b.Heads {
			for _, m := range h.Move {
				visit(attentionOf(i), m.To)
			}
		}
		for _, a := range b.Functions {
			visit(mlpOf(i), a.To)
		}
		for _, r := range b.Rules {
			visit(mlpOf(i), r.To)
		}
	}
}

// config returns the configuration for a residual stream of width dModel.
func (d Design) config(dModel int) model.Config {
	c := model.Config{
		DModel: dModel, NLayers: len(d.Blocks), DHead: 1, NCtx: d.NCtx, DVocab: len(d.Tokens),
		ActFn: "relu", NormalizationType: "none", PositionalEmbeddingType: "none",
	}
	switch {
	case d.Positions != nil:
		c.PositionalEmbeddingType = "learned"
	case d.Waves.Kind != "":
		c.PositionalEmbeddingType = d.Waves.Kind
	}
	for _, b := range d.Blocks {
		c.NHeads = append(c.NHeads, max(1, len(b.Heads)))
		c.DMLP = max(c.DMLP, len(b.neurons()))
		for _, h := range b.Heads {
			c.DHead = max(c.DHead, len(h.queries()), len(h.targets()))
		}
	}
	if d.Waves.Kind == Rotary {
		c.DHead = max(c.DHead, d.Waves.Width)
	}
	c.AttnOnly = c.DMLP == 0
	return c
}
