package craft

import "foretell/model"

// Always is the name that stands for the constant 1 wherever a direction is read.
const Always = ""

// Design describes a transformer in words. A direction of the residual stream is
// made by naming it where something is written to it; reading a name that nothing
// earlier writes to is an error. [Design.Build] turns a design into weights.
type Design struct {
	// Tokens names the tokens 0, 1, …; a token's embedding is the direction of its name.
	Tokens []string
	// Positions names the directions that mark the positions, one each; nil for no
	// positional embedding. [Numbered] makes such names.
	Positions []string
	// Waves are positions told by angles, in place of Positions; the zero value is none.
	Waves Waves
	// NCtx is the longest context in tokens.
	NCtx int
	// Blocks are the layers.
	Blocks []Block
	// Logits says what the unembedding reads: From is a direction or Always, To a token.
	Logits []Move
	// Directions says where in the residual stream each direction lies. Without any,
	// each has an axis of its own, in the order in which they are first written to.
	Directions []Direction
}

// Direction is a unit vector of the residual stream with a name.
type Direction struct {
	Name   string
	Vector []float64 // (d_model)
}

// Block is one layer: heads, which read what is there before the block, then an MLP,
// which also reads what they wrote.
type Block struct {
	Heads []Head
	// Functions are what the MLP computes of numbers: Ramps of one direction each.
	Functions []Apply
	// Rules are what it looks up: one neuron a row.
	Rules []Rule
}

// Head is an attention head: where it looks and what it brings back.
type Head struct {
	// Attend adds up to the score of a source; nil attends uniformly. See [Weighted],
	// [Offset] and [Match].
	Attend []Score
	// Turns add up to the score by the distance of a source, where the design has Waves.
	Turns []Turn
	// Move says what of an attended source goes where. See [Copy].
	Move []Move
}

// Score adds Nats to the score of every source that has Key, as seen from every
// position that has Query; Always stands for any. Where the two directions carry q and
// k instead of 1 it adds q·k·Nats.
type Score struct {
	Query, Key string
	Nats       float64
}

// Move adds Times what is found in the direction From to the direction To.
type Move struct {
	From, To string
	Times    float64
}

// Apply adds a function of the direction From to the direction To.
type Apply struct {
	Function Curve
	From, To string
}

// Rule writes Times to the direction To where all the directions of If carry 1, and
// none of Unless. They carry 0 or 1 each: at most len(If)−1 of those of If in sum, less
// those of Unless, and the rule is silent.
type Rule struct {
	If, Unless []string
	To         string
	Times      float64
}

// stage is a part of the pass that writes to the residual stream.
type stage string

// writes calls visit with every direction that a design writes to, in the order of
// the pass.
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

// config is that of a design whose residual stream is dModel wide.
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
