// Package walk explains the forward pass of a small transformer number by number. The
// result is a text for students: each step shows a formula in symbols, then the formula
// with its numbers, then its result, then one sentence of explanation.
//
// [New] returns a [Document], which is data: sections contain steps, and steps contain
// equations, which are trees of operations on named matrices. [Formats] lists the output
// formats. The numbers are the model's own activations in float64 (convert a trained
// model with model.Convert). Every formula is computed and compared with these
// activations before it is shown. The HTML page also contains the formulas as data: when
// the reader points at a number or focuses it, the page shows the sum from which the
// number was computed.
//
// The last section is direct logit attribution: the contribution of each embedding, head,
// MLP and bias to the logit of the winning token. The contributions add up to the model's
// logit.
//
// [ABC] is the transformer of Virgilio 2025. This package continues that document's walk
// through the forward pass to the end; [ABCErrata] lists its misprints.
package walk
