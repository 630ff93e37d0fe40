package walk

import (
	"fmt"
	"math"
	"strconv"
)

// head identifies an attention head and holds its input.
type head struct {
	name   string // prefix of the hooks of the layer's attention, such as "blocks.0.attn"
	layer  int
	index  int
	heads  int
	in     operand // (T,d), the head's input
	prefix string  // the beginning of its steps' titles, such as "Head 1: "
}

// block returns the section of a layer.
func (w *walker) block(layer int) Section {
	name := "blocks." + strconv.Itoa(layer)
	s := Section{Title: "Layer " + strconv.Itoa(layer)}
	x := operand{symbol: stream(layer), value: w.hook(name + ".hook_resid_pre")}
	in := x
	if w.config.NormalizationType != "none" {
		in = operand{symbol: Symbol{Base: "N"}, value: w.hook(name + ".ln1.hook_normalized")}
		s.Steps = append(s.Steps, w.normalize(name+".ln1", x, in)...)
	}
	heads := w.config.NHeads[layer]
	for i := range heads {
		h := head{name: name + ".attn", layer: layer, index: i, heads: heads, in: in}
		if heads > 1 {
			h.prefix = fmt.Sprintf("Head %d: ", i)
		}
		s.Steps = append(s.Steps, w.head(h)...)
	}
	o := w.own(operand{symbol: Symbol{Base: "O"}, value: w.hook(name + ".hook_attn_out")})
	s.Steps = append(s.Steps, w.attentionOutput(name, heads, o))

	mid := operand{symbol: Symbol{Base: "Y"}, value: w.hook(name + ".hook_resid_mid")}
	if w.config.AttnOnly {
		mid.symbol = stream(layer + 1)
	}
	s.Steps = append(s.Steps, w.residual("attention", name+".hook_resid_mid", w.own(mid), w.own(x), o))
	if !w.config.AttnOnly {
		s.Steps = append(s.Steps, w.mlp(layer, name, w.own(mid))...)
	}
	return s
}

// residual returns the step that adds the output of a sublayer to the residual stream.
func (w *walker) residual(sublayer, hook string, to, from, found operand) Step {
	return Step{
		Title: "Residual stream after the " + sublayer, Hook: hook,
		Equations: []Equation{w.equation(to, sum{from, found})},
		Note: fmt.Sprintf("The output of the %s has been added to the stream; at position %d "+
			"the stream's vector had length %s, and the added vector has length %s.", sublayer, w.last(),
			w.decimal(lastRow(from.value).Norm()), w.decimal(lastRow(found.value).Norm())),
	}
}

func lastRow(m Matrix) Matrix { return m.rowsFrom(m.Rows-1, m.Rows) }

// symbol returns the symbol of one of the head's matrices, with the head's index as
// superscript if the layer has several heads.
func (h head) symbol(base, sub string) Symbol {
	s := Symbol{Base: base, Sub: sub}
	if h.heads > 1 {
		s.Sup = strconv.Itoa(h.index)
	}
	return s
}

// headActivation returns the head's part, of shape (T,h), of an activation of shape
// (1,T,H,h).
func (w *walker) headActivation(h head, hook, base string) operand {
	return operand{symbol: h.symbol(base, ""), value: columns(w.hook(h.name+hook), w.config.DHead, h.index)}
}

// columns returns the i-th block of columns of the given width.
func columns(m Matrix, width, i int) Matrix {
	out := zeros(m.Rows, width)
	for r := range m.Rows {
		copy(out.Row(r), m.Row(r)[i*width:])
	}
	return out
}

// headParameter returns the head's part of a parameter: its matrix (a,b) if the parameter
// has the shape (H,a,b), or its row (1,h) if it has the shape (H,h).
func (w *walker) headParameter(h head, base, sub string) operand {
	o := w.parameter(base, sub, h.name+"."+base+"_"+sub)
	n := o.value.Rows / h.heads
	o.symbol, o.weight.offset = h.symbol(base, sub), h.index*n*o.value.Columns
	o.value = o.value.rowsFrom(h.index*n, (h.index+1)*n)
	return o
}

// head returns the steps of one head, from the projections to the weighted sum of values.
func (w *walker) head(h head) []Step {
	q := w.headActivation(h, ".hook_q", "Q")
	k := w.headActivation(h, ".hook_k", "K")
	v := w.headActivation(h, ".hook_v", "V")
	steps := w.projections(h, q, k, v)
	if w.config.PositionalEmbeddingType == "rotary" {
		turnedQ, turnedK := w.headActivation(h, ".hook_rot_q", "Q′"), w.headActivation(h, ".hook_rot_k", "K′")
		steps = append(steps, w.rotation(h, q, k, turnedQ, turnedK))
		q, k = turnedQ, turnedK
	}
	return append(steps, w.attend(h, w.own(q), k, v)...)
}

// projections returns the steps for queries, keys and values. With one head, a stacked
// product comes first, as in Virgilio 2025.
func (w *walker) projections(h head, q, k, v operand) []Step {
	wq, wk, wv := w.headParameter(h, "W", "Q"), w.headParameter(h, "W", "K"), w.headParameter(h, "W", "V")
	bq, bk, bv := w.headParameter(h, "b", "Q"), w.headParameter(h, "b", "K"), w.headParameter(h, "b", "V")
	var steps []Step
	if h.heads == 1 {
		steps = append(steps, Step{
			Title: "Queries, keys and values, stacked",
			Equations: []Equation{w.equation(
				blocks{q, k, v},
				sum{product{h.in, blocks{wq, wk, wv}}, blocks{bq, bk, bv}})},
			Note: "One product computes all three projections; the columns between the bars are `Q`, `K` and `V`.",
		})
	}
	for _, p := range []struct {
		title, hook string
		out         operand
		w, b        operand
		in          operand
		note        string
	}{
		{
			"Queries", ".hook_q", w.own(q), wq, bq, w.own(h.in),
			"A query describes the information that a position looks for.",
		},
		{
			"Keys", ".hook_k", k, wk, bk, h.in,
			"A key describes the information that a position offers.",
		},
		{
			"Values", ".hook_v", v, wv, bv, h.in,
			"A value is the information that a position passes on when another position attends to it.",
		},
	} {
		steps = append(steps, Step{
			Title: h.prefix + p.title, Hook: h.name + p.hook,
			Equations: []Equation{w.equation(p.out, sum{product{p.in, p.w}, p.b})},
			Note:      p.note,
		})
	}
	return steps
}

// rotation returns the step that rotates queries and keys by their positions.
func (w *walker) rotation(h head, q, k, turnedQ, turnedK operand) Step {
	first := w.last() + 1 - w.own(q).value.Rows
	return Step{
		Title: h.prefix + "Rotary positions", Hook: h.name + ".hook_rot_q, hook_rot_k",
		Equations: []Equation{
			w.equation(w.own(turnedQ), call{turn(first), w.own(q)}),
			w.equation(turnedK, call{turn(0), k}),
		},
		Note: "Columns j and j+d_head/2 of row p have been rotated by the angle p times 10000^(-2j/d_head). " +
			"The score of a query and a key then depends on their distance, not on their positions.",
	}
}

// attend returns the steps from the scores to the weighted sum of values.
func (w *walker) attend(h head, q, k, v operand) []Step {
	T := len(w.tokens)
	first := T - q.value.Rows // the position of the first row
	square := func(hook string) Matrix {
		all := newMatrix(h.heads*T, T, w.cache.Get(h.name+hook).Data)
		return all.rowsFrom(h.index*T+first, (h.index+1)*T)
	}
	named := func(base string, m Matrix) operand {
		o := operand{symbol: h.symbol(base, ""), value: m}
		o.symbol.Sub = q.symbol.Sub
		return o
	}
	width := operand{symbol: Symbol{Base: "d", Sub: "head"}, value: scalar(float64(w.config.DHead)), bare: true}
	scores, s := w.define(named("S", Matrix{}).symbol, quotient{product{q, transposed{k}}, root{width}})
	mask := zeros(q.value.Rows, T)
	for i := range mask.Rows {
		for j := first + i + 1; j < T; j++ {
			mask.Row(i)[j] = math.Inf(-1)
		}
	}
	masked := named("S′", square(".hook_attn_scores"))
	pattern := named("A", square(".hook_pattern"))
	pattern.weights = true
	z := w.own(w.headActivation(h, ".hook_z", "Z"))
	most, share := largest(lastRow(pattern.value).Data)
	return []Step{
		{
			Title: h.prefix + "Scores", Equations: []Equation{w.byPosition(scores)},
			Note: "A score measures how well a query matches a key; " +
				"dividing by the root of d_head keeps the scores of wide heads small.",
		},
		{
			Title: h.prefix + "Mask", Hook: h.name + ".hook_attn_scores",
			Equations: []Equation{w.byPosition(
				w.equation(masked, sum{s, operand{symbol: Symbol{Base: "M"}, value: mask}}))},
			Note: "Later positions get the score -∞: no position can attend to the future.",
		},
		{
			Title: h.prefix + "Softmax", Hook: h.name + ".hook_pattern",
			Equations: []Equation{w.byPosition(w.equation(pattern, call{softmax, masked}))},
			Note: fmt.Sprintf("Each row of scores has become weights that add up to 1; "+
				"%s attends most to %s, with weight %s.", w.place(w.last()), w.place(most), w.decimal(share)),
		},
		{
			Title: h.prefix + "Mix of values", Hook: h.name + ".hook_z",
			Equations: []Equation{w.equation(z, product{pattern, v})},
			Note:      "Each position has added up the values of the positions it attends to, times their weights.",
		},
	}
}

// attentionOutput returns the step that adds up the outputs of all heads.
func (w *walker) attentionOutput(name string, heads int, o operand) Step {
	var terms sum
	for i := range heads {
		terms = append(terms, w.headOutput(head{name: name + ".attn", index: i, heads: heads}))
	}
	note := "`W_O` turns the head's mix of values into the vector that the head writes into the residual stream."
	if heads > 1 {
		note = "Each head's `W_O` turns its mix of values into the vector that the head writes " +
			"into the residual stream; these vectors are added."
	}
	return Step{
		Title: "Output of the attention", Hook: name + ".hook_attn_out",
		Equations: []Equation{w.equation(o, append(terms,
			w.parameter("b", "O", name+".attn.b_O")))},
		Note: note,
	}
}

// headOutput returns one head's contribution to the residual stream, Z·W_O.
func (w *walker) headOutput(h head) product {
	return product{w.own(w.headActivation(h, ".hook_z", "Z")), w.headParameter(h, "W", "O")}
}

// largest returns the index of the first largest number, and that number.
func largest(x []float64) (int, float64) {
	best := 0
	for i := range x {
		if x[i] > x[best] {
			best = i
		}
	}
	return best, x[best]
}
