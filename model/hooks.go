package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/strict"
)

// Hooks returns the names of all activations that [Transformer.Forward] passes to a hook,
// in order; the package documentation has their shapes. The configuration must be
// resolved.
func (c Config) Hooks() []string {
	k := c.kind()
	list := k.embeddingHooks()
	for layer := range c.NLayers {
		for _, name := range k.layerHooks() {
			list = append(list, "blocks."+strconv.Itoa(layer)+"."+name)
		}
	}
	return append(list, k.finalHooks()...)
}

// CheckHooks returns an error for the first given name that is not the hook name of an
// activation of this configuration. The error suggests the nearest name. The
// configuration must be resolved.
func (c Config) CheckHooks(names ...string) error {
	known := c.Hooks()
	for _, name := range names {
		if slices.Contains(known, name) {
			continue
		}
		if field := c.without(name); field != "" {
			return fmt.Errorf("there is no activation %q with %s", name, field)
		}
		if layer, ok := strings.CutSuffix(name, "hook_result"); ok && slices.Contains(known, layer+"hook_z") {
			return fmt.Errorf("there is no activation %q: HeadResults computes it from %q", name, layer+"hook_z")
		}
		if full := inLayer(name, known); full != "" {
			return fmt.Errorf("there is no activation %q: did you mean %q?", name, full)
		}
		return fmt.Errorf("there is no activation %q: %s", name, strict.Name(name, known, mostNames))
	}
	return nil
}

// inLayer returns the first known name of a layer's activation that has the given short
// name, such as resid_mid or hook_resid_mid, or "" if there is no such name.
func inLayer(short string, known []string) string {
	behind := "hook_" + strings.TrimPrefix(short, "hook_")
	for _, name := range known {
		if layer, ok := strings.CutSuffix(name, "."+behind); ok && strings.HasPrefix(layer, "blocks.") {
			return name
		}
	}
	return ""
}

// without returns the field whose value is the reason that a configuration lacks an
// activation. It returns "" if changing a single field would not add the activation.
func (c Config) without(name string) string {
	if !c.AddsToStream() {
		return c.withoutStream(name)
	}
	norm, turned, learned, mlp := c, c, c, c
	norm.NormalizationType, mlp.AttnOnly = "LN", false
	turned.PositionalEmbeddingType, learned.PositionalEmbeddingType = "rotary", "learned"
	switch {
	case slices.Contains(norm.Hooks(), name):
		return "normalization_type: none"
	case slices.Contains(turned.Hooks(), name), slices.Contains(learned.Hooks(), name):
		return "positional_embedding_type: " + c.PositionalEmbeddingType
	case slices.Contains(mlp.Hooks(), name):
		return "attn_only: true"
	}
	return ""
}

// withoutStream implements [Config.without] for a flat network and for residual: concat.
func (c Config) withoutStream(name string) string {
	other := Config{NLayers: c.NLayers, NormalizationType: "LN", PositionalEmbeddingType: "learned"}
	if !slices.Contains(other.Hooks(), name) {
		return ""
	}
	return c.kind().field()
}

// mostNames is the largest number of names in an error about an unknown name.
const mostNames = 32

// hookSet returns the names of the activations for which a forward pass can call hooks.
func hookSet(c Config) map[string]bool {
	set := map[string]bool{}
	for _, name := range c.Hooks() {
		set[name] = true
	}
	return set
}

// checkHooks panics if HookNames has a name for which this kind of pass calls no hook.
func (m *Transformer[F]) checkHooks(w *Workspace[F], narrow bool) {
	for _, name := range w.HookNames {
		if !m.hooks[name] {
			panic("model: " + m.Config.CheckHooks(name).Error())
		}
		if strings.HasSuffix(name, scoresHook) && (w.paths != nil || narrow && name == m.lastScores()) {
			panic(fmt.Sprintf("model: the hook %q is only called by Forward: passes over a tree or over last "+
				"positions keep no scores", name))
		}
	}
}

// lastScores returns the hook name of the last block's attention scores, which
// [Transformer.ForwardLast] does not keep, or "" if there are no blocks.
func (m *Transformer[F]) lastScores() string {
	if len(m.blocks) == 0 {
		return ""
	}
	return m.blocks[len(m.blocks)-1].attn.hooks.scores
}

// scoresHook is the end of the hook name of a layer's attention scores.
const scoresHook = ".hook_attn_scores"
