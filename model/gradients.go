package model

import (
	"errors"
	"fmt"
	"slices"

	"foretell/internal/kernel"
)

// Gradients runs the model over `batch` sequences of equal length, tokens (B,T), and then
// runs a backward pass from a metric of the logits. It returns the gradients of the
// metric with respect to each activation with a given hook name, or to all activations if
// no name is given. A gradient is the first-order effect that a change of the activation
// has on the metric, including all indirect effects through later layers (attribution
// patching, Nanda 2023). It has the name and the shape of its activation; for attention
// patterns and scores the entries above the diagonal are 0.
//
// The function `metric` is called with the logits (B,T,V). It writes the metric's
// gradient with respect to the logits into its second argument (B,T,V), which is zero at
// first. For cross-entropy this gradient is softmax − target.
//
// Gradients returns the same errors as [Transformer.RunWithCache], and an error for
// models with output: probabilities, which have no backward pass.
func (m *Transformer[F]) Gradients(
	tokens []int32, batch int, metric func(logits, gradient []F), names ...string,
) (*Cache[F], error) {
	if err := m.checkPass(tokens, batch, names); err != nil {
		return nil, err
	}
	if m.Config.Output == "probabilities" {
		return nil, errors.New("model: a model with output: probabilities has no gradients")
	}
	length := len(tokens) / batch
	what := fmt.Sprintf("the backward pass over %d × %d tokens", batch, length)
	if err := fitsMemory[F](m.Config, what, m.Config.workspaceSize(batch, length)+2*m.Config.parameters()); err != nil {
		return nil, err
	}
	w := newWorkspace[F](m.Config, batch, length)
	cache := &Cache[F]{tensors: map[string]Tensor[F]{}}
	if len(names) > 0 {
		w.HookNames = names
	}
	w.GradientHook = func(t Tensor[F]) {
		t.Data = slices.Clone(t.Data)
		cache.tensors[t.Name] = t
	}
	packed := *m // a copy with its own transposed weights, so that goroutines may share m
	packed.transposed, packed.whole = nil, nil
	packed.Pack()
	logits := packed.Forward(w, tokens, batch)
	clear(w.DLogits())
	metric(logits, w.DLogits())
	packed.Backward(w, tokens, NewWeights[F](m.Config))
	for _, name := range m.Config.Hooks() {
		if _, ok := cache.tensors[name]; ok {
			cache.names = append(cache.names, name)
		}
	}
	return cache, nil
}

// showsGradient reports whether the GradientHook is called for an activation.
func (w *Workspace[F]) showsGradient(name string) bool {
	return w.GradientHook != nil && (w.HookNames == nil || slices.Contains(w.HookNames, name))
}

// gradient calls the GradientHook, if it is set, with the gradient of an activation,
// unless HookNames excludes the activation.
func (w *Workspace[F]) gradient(name string, data []F, shape ...int) {
	if w.showsGradient(name) {
		w.GradientHook(Tensor[F]{Name: name, Shape: append([]int(nil), shape...), Data: data})
	}
}

// headGradients passes the gradients of q, k and v to the hook under the hook names in
// `names`, in this order. With two names it passes only q and k.
func headGradients[F Float](at *attention, w *Workspace[F], dqkv []F, names ...string) {
	for i, name := range names {
		if w.showsGradient(name) {
			flat := gatherHeads(at, w, dqkv, i)
			w.gradient(name, flat, w.batch, len(flat)/(w.batch*at.heads*at.width), at.heads, at.width)
		}
	}
}

// patternGradients passes the gradients of the pattern and of the scores, (B,H,T,T), to
// the hook, given the gradient dz of z. A narrowed pass (only the last positions) keeps
// no scores, so only the pattern's gradient (B,H,1,T) is passed to the hook.
func patternGradients[F Float](at *attention, w *Workspace[F], a *attnActivations[F], dz []F) {
	if !w.showsGradient(at.hooks.pattern) && !w.showsGradient(at.hooks.scores) {
		return
	}
	D, T, h, n := w.length, w.sources/w.batch, at.width, at.heads*at.width
	d, transposed := make([]F, w.batch*at.heads*D*T), make([]F, h*T)
	for i := range w.batch * at.heads {
		o := at.offsets(i, D, T)
		kernel.Transpose(transposed, T, a.qkv[o.v:], 3*n, T, h)
		kernel.Gemm(D, T, h, dz[o.z:], n, 1, transposed, T, d[o.pattern:], T, false)
	}
	scores := at.hooks.scores
	if w.step() > 1 {
		scores = ""
	}
	showPatternGradients(w, at.hooks.pattern, scores, d, a.pattern, w.batch, at.heads, D, T)
}

// showPatternGradients passes gradients (B,H,D,T) for the last D positions to the hook:
// the gradient of the attention pattern p, under the first hook name, and the gradient of
// its scores, under the second unless that name is empty. On entry d is the gradient of
// the pattern,
//
//	d[i,j] = dz_i·v_j,
//
// with arbitrary values for j > i, where both gradients are 0. The function overwrites d.
func showPatternGradients[F Float](w *Workspace[F], pattern, scores string, d, p []F, batch, heads, D, T int) {
	unmasked := func(row int) int { return T - D + row%D + 1 }
	for row := range batch * heads * D {
		clear(d[row*T:][unmasked(row):T])
	}
	w.gradient(pattern, d, batch, heads, D, T)
	if scores == "" {
		return
	}
	for row := range batch * heads * D {
		n := unmasked(row)
		softmaxGradient(d[row*T:][:n], p[row*T:][:n])
	}
	w.gradient(scores, d, batch, heads, D, T)
}

// softmaxGradient overwrites d, the gradient of p = softmax(s), with the gradient of s,
// p_j·(d_j − Σ p·d).
func softmaxGradient[F Float](d, p []F) {
	mean := F(0)
	for j, x := range p {
		mean += F(x * d[j])
	}
	for j, x := range p {
		d[j] = x * (d[j] - mean)
	}
}
