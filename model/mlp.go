package model

import "foretell/internal/kernel"

// mlp is out = act(x·W_in + b_in)·W_out + b_out, applied to each position separately.
type mlp struct {
	act               kernel.Activation
	m                 int // number of hidden units
	preHook, postHook string
}

// mlpForward returns act(x·W_in + b_in), (B,T,m), the input of W_out, given x (B,T,d).
func mlpForward[F Float](l *mlp, w *Workspace[F], p mlpWeights[F], a *mlpActivations[F], x []F, d int) []F {
	a.in = x
	pre, post := a.pre[:w.rows*l.m], a.post[:w.rows*l.m]
	kernel.GemmBias(w.rows, l.m, d, x, d, 1, p.win, l.m, pre, l.m, p.bin)
	w.hook(l.preHook, pre, w.batch, w.length, l.m)
	activate(l, w, a, post, pre)
	w.hook(l.postHook, post, w.batch, w.length, l.m)
	return post
}

// activate writes post = act(pre). If a backward pass is expected, it also replaces pre
// by act'(pre). Here that takes a third of the time that it would take in the backward
// pass.
func activate[F Float](l *mlp, w *Workspace[F], a *mlpActivations[F], post, pre []F) {
	a.slopes = w.dPost != nil && l.act.HasSlope()
	if a.slopes {
		kernel.ActivateSlope(l.act, post, pre, pre)
	} else {
		kernel.Activate(l.act, post, pre)
	}
}

// activateBackward writes the gradient of the activation's input, given the gradient of
// its output. The slice pre must be as activate left it.
func activateBackward[F Float](l *mlp, a *mlpActivations[F], dPre, dPost, pre []F) {
	if a.slopes {
		kernel.Product(dPre, dPost, pre)
	} else {
		kernel.ActivateBackward(l.act, dPre, dPost, pre)
	}
}

// mlpBackward computes the gradient dIn of the input and the gradients g of the
// parameters, given the gradient dy of the output. If the `others` slice is not nil, it
// is the gradient from other uses of the input and is added to dIn. All three are
// (B,T,d). t holds the transposed weights.
func mlpBackward[F Float](l *mlp, w *Workspace[F], t, g mlpWeights[F], a *mlpActivations[F], dy, dIn, others []F) {
	post, dPost := a.post[:w.rows*l.m], w.dPost[:w.rows*l.m]

	// out = post·W_out + b_out
	kernel.ColumnSums(g.bout, dy, w.d, w.rows, w.d)
	kernel.Gemm(l.m, w.d, w.rows, post, 1, l.m, dy, w.d, g.wout, w.d, w.adds)
	kernel.Gemm(w.rows, l.m, w.d, dy, w.d, 1, t.wout, l.m, dPost, l.m, false)
	hiddenBackward(l, w, t, g, a, dPost, dPost, dIn, others, w.d)
}

// hiddenBackward is the backward pass of mlpForward. It writes the gradient of the input
// into dIn (B,T,d), given the gradient dPost (B,T,m) of the result. If the `others` slice
// is not nil, it is added to dIn. The function stores the gradient of the activation's
// input in dPre, which may be dPost.
func hiddenBackward[F Float](l *mlp, w *Workspace[F], t, g mlpWeights[F], a *mlpActivations[F],
	dPost, dPre, dIn, others []F, d int,
) {
	w.gradient(l.postHook, dPost, w.batch, w.length, l.m)
	activateBackward(l, a, dPre, dPost, a.pre[:w.rows*l.m])
	w.gradient(l.preHook, dPre, w.batch, w.length, l.m)

	// pre = x·W_in + b_in
	kernel.ColumnSums(g.bin, dPre, l.m, w.rows, l.m)
	kernel.Gemm(d, l.m, w.rows, a.in, 1, d, dPre, l.m, g.win, l.m, w.adds)
	kernel.GemmAdd(w.rows, d, l.m, dPre, l.m, 1, t.win, d, dIn, d, nil, others)
}
