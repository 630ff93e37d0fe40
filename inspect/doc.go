// Package inspect is what there is to show of a process or a model, a call for each
// question and a type for each answer. The commands of the program print these types, as
// text or as JSON; a notebook, a test or a web handler has them from here.
//
//	s, err := inspect.Find("mess3", process.Params{"x": 0.5})
//	d, err := inspect.Describe(ctx, s)    // what is known of it, as foretell process show
//	t, err := inspect.Beliefs(ctx, s.Process, []int32{0, 1})
//	g, err := inspect.BeliefGraph(ctx, s.Process)
//	m, err := inspect.Open("runs/first", nil)
//	p, err := m.Predict([]int32{0, 1, 2}) // the model beside the optimum
//	c, err := m.Generate([]int32{0, 1}, model.Generation{Most: 20})
//	a, err := inspect.Portray(ctx, m, probe.Question{}, 0) // a page about it, a.Write(".html", "")
//	l, err := inspect.PlotRuns(ctx, "runs/first")          // how it learned
//
// A process is asked what it can do by the small interfaces of package process
// (Observer, Ceiler, …), never by its Go type. What it lacks is left out of the answer,
// or where nothing would be left the error says so; of a process without hidden states
// that is [ErrNoHMM].
//
// A word is a []int32 of tokens, numbered from 0; information is in nats.
package inspect
