package model

import (
	"fmt"
	"strconv"
	"strings"

	"foretell/internal/kernel"
	"foretell/internal/random"
	"foretell/internal/strict"
)

// Float is the type constraint for a model's precision.
type Float = kernel.Float

// Weights holds one number for each parameter of a model: the parameters themselves, a
// gradient, or a moment of an optimiser. All numbers are in one array, Data. Tensors are
// views into Data, in order.
type Weights[F Float] struct {
	Data    []F
	Tensors []Tensor[F]

	restarts bool // the next Backward overwrites instead of adding

	embed    []F // (V,d) embed.W_E
	position []F // (n_ctx,d) pos_embed.W_pos, learned positions only
	blocks   []blockWeights[F]
	final    normWeights[F]
	unembed  unembedWeights[F]
}

type blockWeights[F Float] struct {
	norm1 normWeights[F]
	attn  attnWeights[F]
	norm2 normWeights[F]
	mlp   mlpWeights[F]
}

type normWeights[F Float] struct {
	w, b []F // shape (d)
}

type attnWeights[F Float] struct {
	wq, wk, wv []F // (H,d,h); one after the other in memory
	wo         []F // shape (H,h,d)
	bq, bk, bv []F // shape (H,h)
	bo         []F // shape (d)
	wa         []F // (H,d,d), the only weights with residual: concat; d depends on the layer
}

type mlpWeights[F Float] struct {
	win  []F // shape (d,m)
	bin  []F // shape (m)
	wout []F // shape (m,d)
	bout []F // shape (d)
}

type unembedWeights[F Float] struct {
	w []F // (d,V); nil if the output is tied to the embedding
	b []F // (V); nil if the output has no bias
}

// slot is a parameter that has a name and a shape but no memory yet. view points to the
// field of [Weights] that will hold it.
type slot[F Float] struct {
	name  string
	shape []int
	view  *[]F
}

func (s slot[F]) size() int {
	n := 1
	for _, k := range s.shape {
		n *= k
	}
	return n
}

// slots returns the parameters of c in storage order.
func (w *Weights[F]) slots(c Config) []slot[F] {
	w.blocks = make([]blockWeights[F], c.NLayers)
	return networkOf[F](c).slots(w)
}

func (n additive[F]) slots(w *Weights[F]) []slot[F] {
	c := Config(n)
	list := []slot[F]{{"embed.W_E", []int{c.DVocab, c.DModel}, &w.embed}}
	if c.PositionalEmbeddingType == "learned" {
		list = append(list, slot[F]{"pos_embed.W_pos", []int{c.NCtx, c.DModel}, &w.position})
	}
	norm := func(name string, n *normWeights[F]) {
		if c.NormalizationType == "LN" {
			list = append(list,
				slot[F]{name + ".w", []int{c.DModel}, &n.w},
				slot[F]{name + ".b", []int{c.DModel}, &n.b})
		}
	}
	for i := range w.blocks {
		b, name := &w.blocks[i], "blocks."+strconv.Itoa(i)
		heads, d, h := c.NHeads[i], c.DModel, c.DHead
		norm(name+".ln1", &b.norm1)
		list = append(list,
			slot[F]{name + ".attn.W_Q", []int{heads, d, h}, &b.attn.wq},
			slot[F]{name + ".attn.W_K", []int{heads, d, h}, &b.attn.wk},
			slot[F]{name + ".attn.W_V", []int{heads, d, h}, &b.attn.wv},
			slot[F]{name + ".attn.W_O", []int{heads, h, d}, &b.attn.wo},
			slot[F]{name + ".attn.b_Q", []int{heads, h}, &b.attn.bq},
			slot[F]{name + ".attn.b_K", []int{heads, h}, &b.attn.bk},
			slot[F]{name + ".attn.b_V", []int{heads, h}, &b.attn.bv},
			slot[F]{name + ".attn.b_O", []int{d}, &b.attn.bo})
		if c.AttnOnly {
			continue
		}
		norm(name+".ln2", &b.norm2)
		list = append(list,
			slot[F]{name + ".mlp.W_in", []int{d, c.DMLP}, &b.mlp.win},
			slot[F]{name + ".mlp.b_in", []int{c.DMLP}, &b.mlp.bin},
			slot[F]{name + ".mlp.W_out", []int{c.DMLP, d}, &b.mlp.wout},
			slot[F]{name + ".mlp.b_out", []int{d}, &b.mlp.bout})
	}
	norm("ln_final", &w.final)
	if !c.TieUnembed {
		list = append(list, slot[F]{"unembed.W_U", []int{c.DModel, c.DVocab}, &w.unembed.w})
	}
	if c.HasUnembedBias() {
		list = append(list, slot[F]{"unembed.b_U", []int{c.DVocab}, &w.unembed.b})
	}
	return list
}

// Restart makes the next [Transformer.Backward] overwrite the gradient instead of adding
// to it, so the caller need not clear it. Until that call the old gradient remains.
func (w *Weights[F]) Restart() { w.restarts = true }

// begin starts a backward pass into this gradient. It reports whether the pass adds to an
// existing gradient. If not, it clears the parameter gradients that the pass sums over
// rows or over blocks of a matrix. Gradients that are a single matrix product are not
// cleared, because the pass overwrites them.
func (w *Weights[F]) begin() (adds bool) {
	if !w.restarts {
		return true
	}
	w.restarts = false
	clear(w.embed)
	clear(w.position)
	for i := range w.blocks {
		b := &w.blocks[i]
		b.norm1.clear()
		b.norm2.clear()
		for _, x := range [][]F{
			b.attn.bq, b.attn.bk, b.attn.bv, b.attn.bo, b.attn.wa, b.mlp.bin, b.mlp.bout,
		} {
			clear(x)
		}
	}
	w.final.clear()
	clear(w.unembed.b)
	return false
}

func (n normWeights[F]) clear() {
	clear(n.w)
	clear(n.b)
}

// NewWeights returns zeros for every parameter of the resolved configuration c.
func NewWeights[F Float](c Config) *Weights[F] {
	w := new(Weights[F])
	slots := w.slots(c)
	total := 0
	for _, s := range slots {
		total += s.size()
	}
	w.Data = make([]F, total)
	rest := w.Data
	for _, s := range slots {
		n := s.size()
		*s.view = rest[:n]
		w.Tensors = append(w.Tensors, Tensor[F]{s.name, s.shape, rest[:n:n]})
		rest = rest[n:]
	}
	return w
}

// Get returns the tensor with the given name, whose Data may be modified. It panics if
// the model has no such parameter.
func (w *Weights[F]) Get(name string) Tensor[F] {
	for _, t := range w.Tensors {
		if t.Name == name {
			return t
		}
	}
	var known []string
	for _, t := range w.Tensors {
		known = append(known, t.Name)
	}
	panic(fmt.Sprintf("model: there is no parameter %q: %s", name, strict.Name(name, known, mostNames)))
}

// initialize sets the initial parameters. Matrices and embeddings get normal random
// numbers with standard deviation initializer_range (the embeddings of a flat network
// have standard deviation 1). The weights of layer norms are 1, and every bias is 0. Each
// tensor has its own random stream.
func (w *Weights[F]) initialize(c Config, seed uint64) {
	for _, t := range w.Tensors {
		switch last := lastOf(t.Name); {
		case isMatrix(last):
			stream, deviation := random.New(seed, "init/"+t.Name), c.InitializerRange
			if c.Flat() && last == "W_E" {
				deviation = 1
			}
			for i := range t.Data {
				t.Data[i] = F(stream.Normal() * deviation)
			}
		case last == "w":
			for i := range t.Data {
				t.Data[i] = 1
			}
		}
	}
}

// isMatrix reports whether the last component of a name (such as W_Q, b_Q or w) names a
// matrix.
func isMatrix(last string) bool { return strings.HasPrefix(last, "W_") }
