// Package craft writes transformers by hand. What comes out is an ordinary
// [model.Transformer]: tokens in, logits out, looked into by hooks, saved, converted
// to float32.
//
// # Directions
//
// A hand-written model keeps each thing that it knows in a direction of the residual
// stream of its own. Directions have names. They come into being where something is
// written to them: token z's embedding is the direction named Tokens[z], a position's is
// named in Positions, and a head or an MLP makes the directions that it writes to. A
// part of the pass that reads a direction finds the coefficient of it there: 1 for this
// token's own name, 0 for another's, a number for what a head has averaged.
//
// [Design.Build] refuses a design whose directions interfere: two that are not
// orthogonal, or one that two different parts of the pass write to, of which neither
// could be read alone. (That is the mistake in the model of Gemini 2025; see
// [PrintedCoin].) It also refuses to read what nobody wrote, so a misspelt name does
// not go unnoticed.
//
// # Heads
//
// A [Head] is two lists: where it looks and what it brings back.
//
//	Attend: Uniform()                               every source alike
//	        Weighted(map[string]float64{"BOS": 2})  by token: BOS counts twice
//	        Offset(positions, 3)                    three positions back
//	        Match(queries, keys)                    where a source's key matches my query
//	Move:   Copy(from, to)                          the value is 1 where the source has it
//	        []Move{{"heads", "mean", 1}}            the same by hand, with a factor
//
// With attention spread over n sources the head writes the average of what they have,
// so "heads" moved by uniform attention is the fraction of heads. Peaked attention
// ([Peak]) brings back one source's. Each direction that a head looks from takes one of
// its dimensions for queries and keys, each that it writes to one for values; d_head is
// what the largest head needs.
//
// A design whose positions are told by angles ([Waves]), sinusoidal or rotary as in the
// model, has heads that look by distance. Each [Turn] adds a cosine of the distance from
// an offset to the score:
//
//	Turns: w.Peaked([]int{k}, 25, nCtx, 1e-18)      25 positions back, with all but 1e-18
//	w.LastOf([]string{"key"}, nCtx, 1e-18)          the last source that is a key
//
// # MLPs
//
// A [Curve] is a piecewise-linear function as a sum of [Ramp] neurons: [Through] given
// points, a [Step], a [Bump] (an indicator), a [Table] over integers, or with
// [Approximate] any concave or convex function within a stated error. A [Rule] is
// a neuron that fires where several directions are present, unless others are: a row of a
// lookup table over tokens.
//
// # From description to model
//
//	m, err := craft.Design{
//		Tokens: []string{"tails", "heads"},
//		NCtx:   8,
//		Blocks: []craft.Block{{
//			Heads: []craft.Head{{Attend: craft.Uniform(), Move: []craft.Move{{"heads", "share", 1}}}},
//		}},
//		Logits: []craft.Move{{"share", "heads", 4}, {craft.Always, "heads", -2}},
//	}.Build()
//	logits, err := m.Logits([]int32{0, 1, 1}) // (3,2): what it says after each token
//	_, cache, err := m.RunWithCache([]int32{0, 1, 1}, 1, "blocks.0.attn.hook_pattern")
//
// # Constructions
//
// [Constructions] lists the models that have a name on the command line (foretell
// predict craft:coin); [Make] makes them. [Coin] predicts a coin of unknown bias.
// [Induction] tells the lag of interleaved Markov chains; its heads are concatenated
// (residual: concat), so that its directions are blocks of the stream with names, and it
// is written block by block and not as a Design. [Delay], [SwitchingDelay], [Routing] and
// [Brackets] predict signals whose tokens have to be looked up.
package craft
