package intervene

import (
	"slices"

	"foretell/model"
)

// pass runs a model over sequences of equal length in one batch, and changes activations
// during the run. The results for a sequence have the same bits as if it ran alone.
type pass[F model.Float] struct {
	model     *model.Transformer[F]
	length    int
	workspace *model.Workspace[F]
	tokens    []int32
	words     int
}

// passNumbers is the approximate limit on the numbers in the activations of a pass.
const passNumbers = 1 << 24

// sideBySide returns how many sequences of the given length fit into a pass, at least
// one.
func sideBySide(c model.Config, length int) int {
	row := 2 * c.DVocab
	for i := range c.NLayers {
		row += 8*c.Width(i) + 2*c.DMLP
	}
	for _, heads := range c.NHeads {
		row += heads * (4*c.DHead + length)
	}
	const most = 512
	return min(max(1, passNumbers/(row*length)), max(1, most*16/length))
}

// newPass returns a pass over at most `batch` sequences of the given length, which calls
// a function with the activations at the given hooks ([pass.run]). The bits of a
// sequence's results may depend on the choice of hooks, but not on the other sequences in
// the pass.
func newPass[F model.Float](m *model.Transformer[F], length, batch int, hooks []string) *pass[F] {
	c := m.Config
	c.NCtx = length // may be much less than the model's n_ctx
	w := model.NewWorkspace[F](c, batch)
	w.HookNames = hooks
	return &pass[F]{model: m, length: length, workspace: w}
}

// add adds a sequence to the pass.
func (p *pass[F]) add(word []int32) {
	p.tokens, p.words = append(p.tokens, word...), p.words+1
}

// run runs the model, and calls change with each activation at the hooks of the pass.
func (p *pass[F]) run(change func(model.Tensor[F])) {
	p.workspace.Hook = change
	p.model.Forward(p.workspace, p.tokens, p.words)
}

// check returns an error unless the logits of a sequence are finite.
func (p *pass[F]) check(word int) error {
	n := p.length * p.model.Config.DVocab
	return model.CheckLogits(p.workspace.Logits()[word*n:][:n], p.model.Config.DVocab)
}

// at returns the logits after a position of a sequence. The slice shares memory with the
// workspace.
func (p *pass[F]) at(word, position int) []F {
	V := p.model.Config.DVocab
	return p.workspace.Logits()[(word*p.length+position)*V:][:V]
}

// hooksAt lists the hook names of places, each once.
func hooksAt(places []place) []string {
	names := []string{} // nil would mean all hooks
	for _, p := range places {
		if !slices.Contains(names, p.hook) {
			names = append(names, p.hook)
		}
	}
	return names
}

// checkWord returns an error unless a sequence fits the model.
func checkWord(c model.Config, word []int32) error {
	if err := c.CheckTokens(word); err != nil {
		return wrong("%w", err)
	}
	return nil
}
