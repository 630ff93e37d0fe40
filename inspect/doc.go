// Package inspect shows processes and models. It has a call for each question and a type
// for each answer. The commands of the program print these types as text or JSON, or
// write them to files: the method Forms of each lists how, see [foretell/document.Forms].
// A notebook, a test or a web handler can use them directly.
//
//	s, err := inspect.Find("mess3", process.Params{"x": 0.5})
//	d, err := inspect.Describe(ctx, s)    // what is known about it, as foretell process show
//	t, err := inspect.Beliefs(ctx, s.Process, []int32{0, 1})
//	g, err := inspect.BeliefGraph(ctx, s.Process)
//	m, err := inspect.Open("runs/first", nil)
//	p, err := m.Predict([]int32{0, 1, 2}) // the model compared with the optimum
//	c, err := m.Generate([]int32{0, 1}, model.Generation{Most: 20})
//	a, err := inspect.Portray(ctx, m, probe.Question{}, 0) // a page about it is one of a.Forms
//	l, err := inspect.PlotRuns(ctx, "runs/first")          // how it learned
//
// The package learns what a process can do from the small interfaces of package process
// (Observer, Ceiler, …), never from its Go type. An answer leaves out what the process
// lacks; if nothing would remain, the call returns an error, which is [ErrNoHMM] for a
// process without hidden states.
//
// Identifiers call a finite sequence of tokens from the start of a process a word. Its
// type is []int32; tokens are numbered from 0. Information is in nats.
package inspect
