package probe

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"foretell/internal/parallel"
	"foretell/model"
	"foretell/process"
)

// Pass is the result of one forward pass over a few hundred prefixes, which are nodes of
// the tree of all prefixes: some adjacent leaves (full-length sequences), and the
// prefixes of these leaves. The next pass overwrites it.
type Pass struct {
	Spans  []Span    // the prefixes that were in no earlier pass
	Logits []float32 // (nodes, d_vocab)

	activations map[string]model.Tensor[float32]
}

// divergence returns KL, in nats, from the optimal next-token distribution to the
// model's, both after the i-th prefix of a span.
func (p *Pass) divergence(prefixes *process.Prefixes, span Span, i, vocab int) float64 {
	return model.Divergence(prefixes.NextTokens(span.Row+i), p.Logits[(span.Node+i)*vocab:][:vocab])
}

// Span is N consecutive prefixes of one length. They are the nodes of a pass from index
// Node on, and the rows of the table from index Row on.
type Span struct {
	Length       int // length of the prefixes, in tokens
	Node, Row, N int
}

// Activation returns the activations of a hook name that was given to [Sweep], in the
// shapes of [model.Transformer.ForwardTree]: (nodes, 1, …), and (nodes, heads, 1, T) for
// patterns. It panics for another hook name.
func (p *Pass) Activation(hook string) model.Tensor[float32] {
	t, ok := p.activations[hook]
	if !ok {
		panic(fmt.Sprintf("probe: the pass has no activation %q; give its name to Sweep", hook))
	}
	return t
}

// Sweep runs m over every prefix in p, none of which may be longer than n_ctx. It works
// pass by pass, and each pass holds the activations of the given hook names. Each worker
// holds one pass in memory. If m is nil, a pass has only its Spans.
//
// Consecutive passes form groups, which do not depend on the number of workers. For a
// group, a worker calls begin, then the function visit for each pass of the group, in
// order, and then the function end. Several groups may be visited at the same time, but
// calls of end never overlap, and are in the order of the groups. Sums that are added up
// in end therefore have the same bits for any number of workers.
//
// Sweep returns an error if the prefixes are too long or have tokens outside the model's
// vocabulary, if a hook name is not one of [model.Config.Hooks] or names attention
// scores, which a pass over a tree does not have, or if ctx is done.
func Sweep(
	ctx context.Context, m *model.Transformer[float32], p *process.Prefixes, hooks []string, workers int,
	begin func() (visit func(*Pass), end func()),
) error {
	if err := fits(m, p); err != nil {
		return err
	}
	if err := shown(m, hooks); err != nil {
		return err
	}
	return forward{model: m, prefixes: p, hooks: hooks}.sweep(ctx, workers, begin)
}

// forward specifies forward passes of a model over prefixes.
type forward struct {
	model    *model.Transformer[float32] // nil without a model
	prefixes *process.Prefixes
	hooks    []string // names of the activations to record
	fixed    fixedPatterns
}

// sweep is [Sweep] without its checks of m and of the hook names.
func (f forward) sweep(ctx context.Context, workers int, begin func() (visit func(*Pass), end func())) error {
	passes, nodes := planPasses(f.prefixes, passNodes)
	groups := slices.Collect(slices.Chunk(passes, groupPasses))
	turns := newTurns()
	return parallel.With(ctx, workers, len(groups), func() func(int) error {
		r := newRunner(f, nodes)
		return func(g int) error {
			visit, end := begin()
			for _, pass := range groups[g] {
				if err := ctx.Err(); err != nil {
					return err
				}
				visit(r.run(pass))
			}
			return turns.take(ctx, g, end)
		}
	})
}

// fits returns an error if the prefixes or tokens of p do not fit the model; every p fits
// a nil model.
func fits(m *model.Transformer[float32], p *process.Prefixes) error {
	if m == nil {
		return nil
	}
	if p.Length > m.Config.NCtx {
		return fmt.Errorf("probe: sequences of %d tokens do not fit n_ctx = %d", p.Length, m.Config.NCtx)
	}
	if p.Alphabet > m.Config.DVocab {
		return fmt.Errorf("probe: the process has %d tokens, but the model has d_vocab = %d",
			p.Alphabet, m.Config.DVocab)
	}
	return nil
}

// shown returns an error unless a pass over a tree of prefixes has the activations of the
// given hook names.
func shown(m *model.Transformer[float32], hooks []string) error {
	if m == nil {
		return nil
	}
	if err := m.Config.CheckHooks(hooks...); err != nil {
		return fmt.Errorf("probe: %w", err)
	}
	for _, hook := range hooks {
		if strings.HasSuffix(hook, ".hook_attn_scores") {
			return fmt.Errorf("probe: a pass over a tree of sequences does not have %s; use hook_pattern", hook)
		}
	}
	return nil
}

// turns makes numbered calls happen in the order of their numbers.
type turns struct {
	mu      sync.Mutex
	changed *sync.Cond
	next    int
}

func newTurns() *turns {
	t := &turns{}
	t.changed = sync.NewCond(&t.mu)
	return t
}

// take waits for turn i and then calls f. If ctx ends first, it returns ctx's error.
func (t *turns) take(ctx context.Context, i int, f func()) error {
	stop := context.AfterFunc(ctx, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.changed.Broadcast()
	})
	defer stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.next != i {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.changed.Wait()
	}
	f()
	t.next++
	t.changed.Broadcast()
	return nil
}

// runner runs the forward passes of one worker.
type runner struct {
	forward
	workspace       *model.Workspace[float32]
	tokens, parents []int32
	lengths         []int // lengths of the prefixes that end in the nodes
	pass            Pass
}

// newRunner returns a runner with room for passes of up to the given number of nodes.
func newRunner(f forward, nodes int) *runner {
	r := &runner{forward: f}
	if f.model == nil {
		return r
	}
	c := f.model.Config
	c.NCtx = f.prefixes.Length // which may be much less than the model's context
	r.workspace = model.NewWorkspace[float32](c, (nodes+c.NCtx-1)/c.NCtx)
	r.pass.activations = map[string]model.Tensor[float32]{}
	r.workspace.HookNames = append([]string{}, f.hooks...) // nil would mean all hooks
	for hook := range f.fixed {
		r.workspace.HookNames = append(r.workspace.HookNames, hook)
	}
	r.workspace.Hook = func(t model.Tensor[float32]) {
		f.fixed.write(t, r.lengths)
		if !slices.Contains(f.hooks, t.Name) {
			return
		}
		t.Data = append(r.pass.activations[t.Name].Data[:0], t.Data...)
		r.pass.activations[t.Name] = t
	}
	return r
}

// run runs the model over the full-length prefixes of a pass and all their own prefixes.
func (r *runner) run(pass leaves) *Pass {
	r.tokens, r.parents, r.lengths, r.pass.Spans = r.tokens[:0], r.parents[:0], r.lengths[:0], r.pass.Spans[:0]
	above, aboveNode := 0, 0 // first row of the previous level, and its node
	for t, level := range pass.levels(r.prefixes) {
		node := len(r.tokens)
		for row := level.from; row < level.to; row++ {
			parent := int32(-1)
			if t > 0 {
				parent = int32(r.prefixes.Parent(row) - above + aboveNode)
			}
			r.tokens = append(r.tokens, int32(r.prefixes.LastToken(row)))
			r.parents = append(r.parents, parent)
			r.lengths = append(r.lengths, t+1)
		}
		if level.fresh < level.to {
			r.pass.Spans = append(r.pass.Spans, Span{
				Length: t + 1, Node: node + level.fresh - level.from, Row: level.fresh, N: level.to - level.fresh,
			})
		}
		above, aboveNode = level.from, node
	}
	if r.model != nil {
		r.pass.Logits = r.model.ForwardTree(r.workspace, r.tokens, r.parents)
	}
	return &r.pass
}
