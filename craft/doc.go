// Package craft builds transformers by hand. The result is an ordinary
// [model.Transformer]: it reads tokens, returns logits, calls hooks, and can be saved and
// converted to float32.
//
// # Directions
//
// A hand-written model keeps each quantity in a separate direction of the residual
// stream. Directions have names. Writing to a name creates its direction: the embedding
// of token z is the direction named Tokens[z], Positions names the directions of
// positions, and a head or an MLP creates the directions that it writes to. A part of the
// forward pass that reads a direction reads its coefficient. This is 1 for the direction
// of the token at the position, 0 for the directions of other tokens, and an average for
// a direction that a head has written.
//
// [Design.Build] rejects a design whose directions interfere: two that are not
// orthogonal, or one that two different parts of the forward pass write to, so that
// neither could be read alone. (This is the mistake in the model of Gemini 2025; see
// [PrintedCoin].) It also rejects a design that reads a direction to which nothing
// writes, which catches misspelt names.
//
// # Heads
//
// A [Head] is two lists: where it attends, and what it moves.
//
//	Attend: Uniform()                               every source equally
//	        Weighted(map[string]float64{"BOS": 2})  by token: BOS counts twice
//	        Offset(positions, 3)                    three positions back
//	        Match(queries, keys)                    sources whose key matches the query
//	Move:   Copy(from, to)                          1 if the source has the direction
//	        []Move{{"heads", "mean", 1}}            the same by hand, with a factor
//
// With attention spread over n sources a head writes the average over the sources. For
// example, if the tokens are flips of a coin, uniform attention that moves "heads" writes
// the fraction of flips that were heads. Peaked attention ([Peak]) copies from one
// source. Each direction that a head's queries read takes one dimension of its queries
// and keys. Each direction that the head writes to takes one dimension of its values.
// d_head is large enough for the head that needs most dimensions.
//
// In a design whose positions are given by angles ([Waves]), sinusoidal or rotary as in
// the model, heads can attend by distance. Each [Turn] adds to the score a cosine that is
// largest at a given distance:
//
//	Turns: w.Peaked([]int{k}, 25, nCtx, 1e-18)      25 positions back, all but 1e-18 of the attention
//	w.LastOf([]string{"key"}, nCtx, 1e-18)          the last source that is a key
//
// # MLPs
//
// A [Curve] is a piecewise-linear function, the sum of [Ramp] neurons. It can be a curve
// [Through] points, a [Step], a [Bump] (an indicator), a [Table] over integers, or any
// concave or convex function within a stated error ([Approximate]). A [Rule] is a neuron
// that fires if several directions are present and others are absent: one row of a lookup
// table over tokens.
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
//	logits, err := m.Logits([]int32{0, 1, 1}) // (3,2): the logits after each token
//	_, cache, err := m.RunWithCache([]int32{0, 1, 1}, 1, "blocks.0.attn.hook_pattern")
//
// # Constructions
//
// [Constructions] returns the models that have a name on the command line (foretell
// predict craft:coin), and [Make] makes them. [Coin] predicts a coin of unknown bias.
// [Induction] infers the lag of interleaved Markov chains. Its heads are concatenated
// (residual: concat), so its directions are named blocks of the stream, and it is written
// block by block and not as a Design. [Delay], [SwitchingDelay], [Routing] and [Brackets]
// predict signals in which the next token must be looked up among earlier ones.
package craft
