package inspect

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/text"
	"foretell/intervene"
)

// PatchRequest holds the arguments of [Model.Patch], with sequences and heads as text.
type PatchRequest struct {
	Clean, Corrupt string // sequences, as 0,1,1; both empty to use Pairs instead
	Pairs          int    // number of pairs from the process, see [intervene.PairsOf]
	Length         int    // tokens in each of these sequences; 0 means n_ctx
	Seed           uint64 // random seed of sampled pairs

	Hook              string   // the activation to replace, in one layer or all, see [intervene.Named]
	Heads             []string // each as LAYER.HEAD, such as 0.1; nil means every head
	Positions, Scored []int    // see [intervene.Patching]
	Attribution       bool
	Workers           int
}

// Patch patches a model, see [intervene.Patch]. A model whose process is not known is
// scored against its own predictions. Arguments that do not fit the model are an
// [*intervene.ArgumentError].
func (m *Model) Patch(ctx context.Context, r PatchRequest) (*Patched, error) {
	hook, layer, err := intervene.Named(m.Config(), r.Hook)
	if err != nil {
		return nil, err
	}
	plan := intervene.Patching{
		Hook: hook, Positions: r.Positions, Scored: r.Scored, Attribution: r.Attribution, Workers: r.Workers,
	}
	for _, text := range r.Heads {
		row, err := parseHead(text)
		if err != nil {
			return nil, err
		}
		if layer != intervene.All && row.Layer != layer {
			return nil, wrong("head %s is not in layer %d, the layer of %s", text, layer, r.Hook)
		}
		plan.Rows = append(plan.Rows, row)
	}
	if layer != intervene.All && plan.Rows == nil {
		byHead, err := intervene.ByHead(m.Config(), hook)
		if err != nil {
			return nil, err
		}
		plan.Rows = slices.DeleteFunc(intervene.EachRow(m.Config(), byHead), func(row intervene.Row) bool {
			return row.Layer != layer
		})
	}
	pairs, err := m.pairs(ctx, r)
	if err != nil {
		return nil, err
	}
	p := &Patched{Model: m.Path, Names: m.Names()}
	p.Map, err = m.network.patch(ctx, m.optimum, pairs, plan)
	return p, err
}

// pairs returns the requested pairs of a clean and a corrupted sequence.
func (m *Model) pairs(ctx context.Context, r PatchRequest) (p intervene.Pairs, err error) {
	if r.Clean == "" && r.Corrupt == "" {
		source, err := m.Process()
		if err != nil {
			return p, err
		}
		length, err := m.wordLength(r.Length)
		if err != nil {
			return p, err
		}
		return intervene.PairsOf(ctx, source, length, r.Pairs, r.Seed)
	}
	clean, err := m.word("the clean sequence", r.Clean)
	if err != nil {
		return p, err
	}
	corrupt, err := m.word("the corrupted sequence", r.Corrupt)
	return intervene.OnePair(clean, corrupt), err
}

// wrong returns an error about an argument.
func wrong(format string, args ...any) error {
	return &intervene.ArgumentError{Reason: fmt.Errorf(format, args...)}
}

// wordLength checks a requested length of sequences; 0 means n_ctx.
func (m *Model) wordLength(length int) (int, error) {
	longest := m.Config().NCtx
	if length == 0 {
		return longest, nil
	}
	if length < 0 || length > longest {
		return 0, wrong("sequences of %d tokens, want 1 to n_ctx = %d", length, longest)
	}
	return length, nil
}

// word parses a sequence and checks that it fits the model. Errors begin with name.
func (m *Model) word(name, text string) ([]int32, error) {
	word, err := m.ParsePrompt(text)
	if err == nil {
		err = m.Config().CheckTokens(word)
	}
	if err != nil {
		return nil, wrong("%s: %w", name, err)
	}
	return word, nil
}

// parseHead parses a head: 0.1 is head 1 of layer 0.
func parseHead(text string) (intervene.Row, error) {
	before, after, ok := strings.Cut(strings.TrimSpace(text), ".")
	layer, errLayer := strconv.ParseUint(before, 10, 31)
	head, errHead := strconv.ParseUint(after, 10, 31)
	if !ok || errLayer != nil || errHead != nil {
		return intervene.Row{}, wrong("%q is not a head; write head 1 of layer 0 as 0.1", text)
	}
	return intervene.Row{Layer: int(layer), Head: int(head)}, nil
}

// Heads lists the heads of a model as text: 0.0, 0.1, ….
func (m *Model) Heads() (list []string) {
	for _, r := range intervene.EachRow(m.Config(), m.Config().HasAttention()) {
		if r.Head != intervene.All {
			list = append(list, fmt.Sprintf("%d.%d", r.Layer, r.Head))
		}
	}
	return list
}

// AblateRequest holds the arguments of [Model.Ablate], with sequences and heads as text.
type AblateRequest struct {
	Heads           []string // each is a head, such as 0.1, or several to ablate together, joined by commas
	Attention, MLPs []int    // layers whose attention, or MLP, is ablated
	// Positions are the positions at which these parts are ablated, one position at a time;
	// nil means all at once. If no part is named, the embedding at the position is ablated.
	Positions []int
	With      intervene.With
	Length    int      // tokens in a sequence of the process; 0 means n_ctx
	Words     []string // sequences to use instead, each as 0,1,2; nil means sequences of the process
	Seed      uint64   // random seed of resampling
	Workers   int
}

// Ablate removes parts of a model, see [intervene.Ablate], over sequences of its process
// or over given sequences. If no part is named, each head and each MLP is removed, one at
// a time. Arguments that do not fit the model are an [*intervene.ArgumentError].
func (m *Model) Ablate(ctx context.Context, r AblateRequest) (*Ablated, error) {
	if err := m.hasLayers("MLP", r.MLPs); err != nil {
		return nil, err
	}
	if err := m.hasLayers("attention", r.Attention); err != nil {
		return nil, err
	}
	parts, err := r.parts()
	if err != nil {
		return nil, err
	}
	words, err := m.words(ctx, r)
	if err != nil {
		return nil, err
	}
	plan := intervene.Ablation{Parts: parts, With: r.With, Seed: r.Seed, Workers: r.Workers}
	a := &Ablated{Model: m.Path}
	a.Damage, err = m.network.ablate(ctx, words, plan)
	return a, err
}

// hasLayers returns an error unless the model has an MLP, or attention, in each of the
// layers.
func (m *Model) hasLayers(what string, layers []int) error {
	c := m.Config()
	lacks := ""
	switch {
	case !c.HasAttention():
		lacks = "architecture: flat"
	case !c.AddsToStream():
		lacks = "residual: concat; ablate its heads instead"
	case c.AttnOnly && what == "MLP":
		lacks = "attn_only"
	}
	for _, layer := range layers {
		switch {
		case lacks != "":
			return wrong("this model has no %s to ablate (%s)", what, lacks)
		case layer < 0 || layer >= c.NLayers:
			return wrong("%s of layer %d: this model has %s, counted from 0",
				what, layer, text.Count(c.NLayers, "layer"))
		}
	}
	return nil
}

// parts returns the requested parts, or nil if every part of the model is requested.
func (r AblateRequest) parts() (parts []intervene.Part, err error) {
	for _, list := range r.Heads {
		var together []intervene.Part
		for text := range strings.SplitSeq(list, ",") {
			row, err := parseHead(text)
			if err != nil {
				return nil, err
			}
			together = append(together, intervene.Head(row.Layer, row.Head))
		}
		parts = append(parts, intervene.Together(together...))
	}
	for _, layer := range r.Attention {
		parts = append(parts, intervene.Attention(layer))
	}
	for _, layer := range r.MLPs {
		parts = append(parts, intervene.MLP(layer))
	}
	if r.Positions == nil {
		return parts, nil
	}
	var at []intervene.Part
	for _, position := range r.Positions {
		if parts == nil {
			at = append(at, intervene.Embedding(position))
		}
		for _, part := range parts {
			at = append(at, part.At(position))
		}
	}
	return at, nil
}

// words returns the sequences over which the effect of an ablation is measured.
func (m *Model) words(ctx context.Context, r AblateRequest) (*intervene.Words, error) {
	if r.Words == nil {
		source, err := m.Process()
		if err != nil {
			return nil, fmt.Errorf("%w; or give the sequences to use", err)
		}
		length, err := m.wordLength(r.Length)
		if err != nil {
			return nil, err
		}
		return intervene.WordsOf(ctx, source, length)
	}
	if r.Length != 0 {
		return nil, wrong("sequences and a length are both given; give one of them")
	}
	var list [][]int32
	for _, text := range r.Words {
		word, err := m.word("sequence "+text, text)
		if err != nil {
			return nil, err
		}
		list = append(list, word)
	}
	return intervene.GivenWords(ctx, m.optimum, list)
}
