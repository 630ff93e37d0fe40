// Package describe says what a process is, before any model is trained on it: how well it
// can be predicted, what its optimal observer believes, and how it looks. It has a call
// for each question and a type for each answer, whose method Forms lists how the answer
// is written, see [foretell/document.Forms].
//
//	s, err := describe.Named("mess3", process.Params{"x": 0.5})
//	d, err := describe.Process(ctx, s)     // all that is known, as foretell process show
//	f, err := describe.Floor(ctx, s, 10)   // the least possible loss by position
//	t, err := describe.Beliefs(ctx, s, []int32{0, 1})
//	g, err := describe.BeliefGraph(ctx, p)
//	e, err := describe.Picture(ctx, s)     // the drawing that suits it best
//
// The package learns what a process can do from the small interfaces of package process
// (Observer, Ceiler, …), never from its Go type. An answer leaves out what the process
// lacks; if nothing would remain, the call returns an error, which is [ErrNoHMM] for a
// process without hidden states.
//
// Identifiers call a finite sequence of tokens from the start of a process a word. Its
// type is []int32; tokens are numbered from 0. Information is in nats.
package describe
