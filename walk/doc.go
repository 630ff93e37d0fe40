// Package walk walks through the forward pass of a small transformer number by
// number: a text that a student reads from top to bottom, in which each step stands
// as a formula in symbols, then with its numbers, then with its result and one
// sentence of what it did.
//
// [New] makes a [Document], which is data: sections of steps, and in each step
// equations, trees of operations on named matrices. [Formats] lists what it can be
// written as. The numbers are the model's own, read through its hooks in float64
// (model.Convert brings a trained model there), and every formula is computed and
// compared with them before it is shown. The page of HTML carries the formulas, too: it
// shows the sum behind a number that a reader points at or focuses.
//
// The last section is direct logit attribution: what each embedding, each head, each
// MLP and each bias added to the logit of the token that won. The parts add up to
// the model's own logit.
//
// [ABC] is the transformer of Virgilio 2025, whose walk through its forward pass this
// package continues to the end; [ABCErrata] lists what is misprinted there.
package walk
