// Package inspect says what a model does. It has a call for each question and a type for
// each answer. The commands of the program print these types as text or JSON, or write
// them to files: the method Forms of each lists how, see [foretell/document.Forms]. A
// notebook, a test or a web handler can use them directly.
//
//	m, err := inspect.Open("runs/first", nil)
//	p, err := m.Predict([]int32{0, 1, 2}) // the model compared with the optimum
//	c, err := m.Generate([]int32{0, 1}, model.Generation{Most: 20})
//	d, err := m.Ablate(ctx, inspect.AblateRequest{})
//	a, err := inspect.Portray(ctx, m, probe.Question{}, 0) // a page about it is one of a.Forms
//
// [Find] finds the process that a run learned, for package describe.
//
// Identifiers call a finite sequence of tokens from the start of a process a word. Its
// type is []int32; tokens are numbered from 0. Information is in nats.
package inspect
