package model

import (
	"fmt"
	"slices"

	"foretell/internal/strict"
)

// Cache holds copies of activations by hook name.
type Cache[F Float] struct {
	names   []string
	tensors map[string]Tensor[F]
}

// Get returns the activation with the given hook name. It panics if the cache does not
// hold it.
func (c *Cache[F]) Get(name string) Tensor[F] {
	t, ok := c.tensors[name]
	if !ok {
		panic(fmt.Sprintf("model: the cache has no activation %q: %s", name, strict.Name(name, c.names, mostNames)))
	}
	return t
}

// Names returns the hook names of the cached activations in the order of the forward
// pass.
func (c *Cache[F]) Names() []string { return c.names }

// RunWithCache runs the model over `batch` sequences of equal length, tokens (B,T). It
// returns the logits (B,T,V) and copies of the activations with the given hook names, or
// of all activations if no name is given. It returns an error for tokens outside the
// vocabulary, a context longer than n_ctx, or a hook name that is not in [Config.Hooks].
func (m *Transformer[F]) RunWithCache(tokens []int32, batch int, names ...string) ([]F, *Cache[F], error) {
	if err := m.checkPass(tokens, batch, names); err != nil {
		return nil, nil, err
	}
	cache := &Cache[F]{tensors: map[string]Tensor[F]{}}
	w, err := m.fitting(len(tokens)/batch, batch)
	if err != nil {
		return nil, nil, err
	}
	if len(names) > 0 {
		w.HookNames = names
	}
	w.Hook = func(t Tensor[F]) {
		t.Data = slices.Clone(t.Data)
		cache.names = append(cache.names, t.Name)
		cache.tensors[t.Name] = t
	}
	return m.Forward(w, tokens, batch), cache, nil
}

// checkPass returns an error unless tokens (B,T) are `batch` sequences that the model
// accepts, and names are hook names of the model.
func (m *Transformer[F]) checkPass(tokens []int32, batch int, names []string) error {
	if batch < 1 || len(tokens)%batch != 0 {
		return fmt.Errorf("model: %d tokens cannot be split into %d sequences of equal length", len(tokens), batch)
	}
	for b := range batch {
		n := len(tokens) / batch
		if err := m.Config.CheckTokens(tokens[b*n : (b+1)*n]); err != nil {
			return fmt.Errorf("model: sequence %d: %w", b+1, err)
		}
	}
	if err := m.Config.CheckHooks(names...); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	return nil
}

// Logits returns the logits (T,V) of one sequence of 1 to n_ctx tokens.
func (m *Transformer[F]) Logits(tokens []int32) ([]F, error) {
	if err := m.Config.CheckTokens(tokens); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	w, err := m.fitting(len(tokens), 1)
	if err != nil {
		return nil, err
	}
	return m.Forward(w, tokens, 1), nil
}

// fitting returns a workspace for `batch` sequences of at most `length` tokens, which may
// be far fewer than n_ctx. It returns an error if the workspace would not fit in memory.
func (m *Transformer[F]) fitting(length, batch int) (*Workspace[F], error) {
	what, size := fmt.Sprintf("a pass over %d × %d tokens", batch, length), m.Config.workspaceSize(batch, length)
	if err := fitsMemory[F](m.Config, what, size); err != nil {
		return nil, err
	}
	return newWorkspace[F](m.Config, batch, length), nil
}
