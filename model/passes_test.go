package model

import (
	"math"
	"slices"
	"testing"

	"foretell/internal/panics"
	"foretell/internal/random"
)

// Where only the last position is learned, the narrowed pass has the logits,
// the loss and the gradients of the whole one.
func TestForwardLastIsForwardAtTheLastPosition(t *testing.T) {
	for _, test := range small {
		m := jittered[float32](t, test.config)
		m.Pack()
		const batch = 3
		tokens, targets, _ := batchOf[float32](m.Config, batch)
		T, V := m.Config.NCtx, m.Config.DVocab
		weights, lastTargets := make([]float32, len(tokens)), make([]int32, batch)
		for b := range batch {
			weights[(b+1)*T-1], lastTargets[b] = 1, targets[(b+1)*T-1]
		}
		w := NewWorkspace[float32](m.Config, batch)
		whole, narrow := NewWeights[float32](m.Config), NewWeights[float32](m.Config)

		logits := slices.Clone(m.Forward(w, tokens, batch))
		loss := m.CrossEntropy(w, targets, weights)
		m.Backward(w, tokens, whole)

		last := m.ForwardLast(w, tokens, batch)
		for b := range batch {
			if want := logits[((b+1)*T-1)*V : (b+1)*T*V]; !slices.Equal(last[b*V:(b+1)*V], want) {
				t.Errorf("%s: sequence %d: logits %v, want %v", test.name, b, last[b*V:(b+1)*V], want)
			}
		}
		if got := m.CrossEntropy(w, lastTargets, []float32{1, 1, 1}); got != loss {
			t.Errorf("%s: loss %v, want %v", test.name, got, loss)
		}
		m.Backward(w, tokens, narrow)
		for i, tensor := range narrow.Tensors {
			if !slices.Equal(tensor.Data, whole.Tensors[i].Data) {
				t.Errorf("%s: the gradient of %s differs:\n%v\n%v", test.name, tensor.Name, tensor.Data, whole.Tensors[i].Data)
			}
		}
	}
}

// tree lists all words of 1 … depth tokens, level by level.
func tree(alphabet, depth int) (tokens, parents []int32) {
	level := []int32{-1}
	for range depth {
		var next []int32
		for _, parent := range level {
			for z := range alphabet {
				next = append(next, int32(len(tokens)))
				tokens, parents = append(tokens, int32(z)), append(parents, parent)
			}
		}
		level = next
	}
	return tokens, parents
}

// A pass over the tree of all words has, after each of them, the logits of a
// pass over that word, hooked or not.
func TestForwardTreeIsForwardOfEachWord(t *testing.T) {
	for _, test := range small {
		m := jittered[float32](t, test.config)
		depth, V := min(4, m.Config.NCtx), m.Config.DVocab
		tokens, parents := tree(V, depth)
		w := NewWorkspace[float32](m.Config, len(tokens)/m.Config.NCtx+1)
		got := slices.Clone(m.ForwardTree(w, tokens, parents))
		w.Hook = func(t Tensor[float32]) { clear(t.Shape) }
		if !slices.Equal(m.ForwardTree(w, tokens, parents), got) {
			t.Errorf("%s: looking changes the logits", test.name)
		}
		alone := NewWorkspace[float32](m.Config, 1)
		for node := range tokens {
			var word []int32
			for at := int32(node); at >= 0; at = parents[at] {
				word = append(word, tokens[at])
			}
			slices.Reverse(word)
			want := m.Forward(alone, word, 1)[(len(word)-1)*V:]
			if !slices.Equal(got[node*V:(node+1)*V], want) {
				t.Fatalf("%s: after %v: %v, want %v", test.name, word, got[node*V:(node+1)*V], want)
			}
		}
	}
}

// A hook sees each node's pattern over its own word, and what it leaves there
// is what mixes the values.
func TestForwardTreeShowsPatterns(t *testing.T) {
	m := jittered[float64](t, small[1].config)
	tokens, parents := tree(2, 3)
	w := NewWorkspace[float64](m.Config, len(tokens))
	H, depth := m.Config.NHeads[0], 3
	plain := slices.Clone(m.ForwardTree(w, tokens, parents))
	w.Hook = func(tensor Tensor[float64]) {
		if tensor.Name != "blocks.0.attn.hook_pattern" {
			return
		}
		if want := []int{len(tokens), H, 1, depth}; !slices.Equal(tensor.Shape, want) {
			t.Errorf("the pattern's shape is %v, want %v", tensor.Shape, want)
		}
		for row := range len(tokens) * H {
			p, n := tensor.Data[row*depth:(row+1)*depth], 1
			for at := parents[row/H]; at >= 0; at = parents[at] {
				n++
			}
			total := 0.0
			for s, x := range p {
				total += x
				if (x == 0) != (s >= n) {
					t.Errorf("node %d of depth %d: pattern %v", row/H, n, p)
				}
			}
			if total < 1-1e-12 || total > 1+1e-12 {
				t.Errorf("node %d: the pattern sums to %v", row/H, total)
			}
			clear(p)
			p[0] = 1 // everybody looks at the first token
		}
	}
	patched := m.ForwardTree(w, tokens, parents)
	if slices.Equal(plain, patched) {
		t.Error("the patched pattern changes nothing")
	}
}

// The gradient of a pass over a tree agrees with central differences: the tree may be
// any, and what its nodes are worth, too.
func TestGradientsOverATreeAgreeWithCentralDifferences(t *testing.T) {
	for _, test := range small {
		t.Run(test.name, func(t *testing.T) {
			tokens, parents := randomTree(test.config, 3*test.config.NCtx)
			weights := make([]float64, len(tokens))
			for i := range weights {
				weights[i] = float64(i % 3)
			}
			soft := softTargets(test.config, weights)
			gradientAgrees(t, test.config, func(m *Transformer[float64], w *Workspace[float64]) float64 {
				m.ForwardTree(w, tokens, parents)
				return m.SoftCrossEntropy(w, soft)
			}, tokens)
		})
	}
}

// randomTree draws n nodes: each continues one that came before it and has room below, or
// begins a word.
func randomTree(c Config, n int) (tokens, parents []int32) {
	s := random.New(5, "test/tree")
	depths := []int{}
	for i := range n {
		parent, depth := s.IntN(i+1)-1, 1
		if parent >= 0 && depths[parent] < c.NCtx {
			depth += depths[parent]
		} else {
			parent = -1
		}
		tokens, parents = append(tokens, int32(s.IntN(c.DVocab))), append(parents, int32(parent))
		depths = append(depths, depth)
	}
	return tokens, parents
}

// A tree of words has the loss and the gradient of the words one by one, each node's
// targets being the sum of those of its words, to rounding.
func TestBackwardOverATreeIsBackwardOverItsWords(t *testing.T) {
	for _, test := range small {
		m := jittered[float64](t, test.config)
		m.Pack()
		T, V := m.Config.NCtx, m.Config.DVocab
		const batch = 12
		tokens, targets, weights := batchOf[float64](m.Config, batch)
		for i := range tokens {
			tokens[i] %= 2 // so that many words begin alike
			tokens[i] %= int32(V)
		}
		w := NewWorkspace[float64](m.Config, batch)
		want, got := NewWeights[float64](m.Config), NewWeights[float64](m.Config)
		m.Forward(w, tokens, batch)
		wantLoss := m.CrossEntropy(w, targets, weights)
		m.Backward(w, tokens, want)

		nodes, parents, soft := sharedPrefixes(tokens, targets, weights, T, V)
		m.ForwardTree(w, nodes, parents)
		loss := m.SoftCrossEntropy(w, soft)
		m.Backward(w, nodes, got)
		closeTo(t, test.name+", loss", []float64{loss}, []float64{wantLoss})
		for i, tensor := range got.Tensors {
			norm, off := 0.0, 0.0
			for j, x := range want.Tensors[i].Data {
				norm, off = norm+x*x, max(off, math.Abs(tensor.Data[j]-x))
			}
			if off > 1e-12*(1+math.Sqrt(norm)) {
				t.Errorf("%s: the gradient of %s is off by %.2g of its norm %.3g", test.name, tensor.Name, off, math.Sqrt(norm))
			}
		}
	}
}

// sharedPrefixes is the tree of the beginnings of sequences of T tokens, with the targets
// that each of them has in all.
func sharedPrefixes(tokens, targets []int32, weights []float64, T, V int) (nodes, parents []int32, soft []float64) {
	type place struct{ parent, token int32 }
	at := map[place]int32{}
	for i, token := range tokens {
		parent := int32(-1)
		if i%T > 0 {
			parent = at[place{-2, int32(i - 1)}]
		}
		node, seen := at[place{parent, token}]
		if !seen {
			node = int32(len(nodes))
			at[place{parent, token}] = node
			nodes, parents, soft = append(nodes, token), append(parents, parent), append(soft, make([]float64, V)...)
		}
		at[place{-2, int32(i)}] = node
		soft[int(node)*V+int(targets[i])] += weights[i]
	}
	return nodes, parents, soft
}

func TestForwardTreeRefusesWhatIsNoTree(t *testing.T) {
	m := jittered[float32](t, small[0].config)
	w := NewWorkspace[float32](m.Config, 2)
	for _, test := range []struct {
		parents []int32
		want    string
	}{
		{[]int32{-1, 1}, "model: node 1 has parent 1; a parent must come before its children"},
		{[]int32{-2, 0}, "model: node 0 has parent -2; a parent must come before its children"},
		{[]int32{-1}, "model: 1 parents for 2 nodes; want one parent for each node"},
		{[]int32{-1, 0, 1, 2, 3, 4}, "model: node 5 ends a sequence longer than n_ctx = 5"},
	} {
		if got := panics.Text(func() { m.ForwardTree(w, make([]int32, max(2, len(test.parents))), test.parents) }); got != test.want {
			t.Errorf("%v: panic %v, want %s", test.parents, got, test.want)
		}
	}
}

// The parts cover the parameters once, and packing them one by one is packing.
func TestPartsPackWhatPackPacks(t *testing.T) {
	for _, test := range small {
		m, apart := jittered[float32](t, test.config), jittered[float32](t, test.config)
		m.Pack()
		for _, size := range []int{1, 7, 50, 1 << 20} {
			at := 0
			for _, p := range apart.Parts(size) {
				if p.From != at || p.To <= p.From {
					t.Fatalf("%s: part %d … %d after %d", test.name, p.From, p.To, at)
				}
				at = p.To
				apart.PackPart(p)
			}
			if at != len(m.Weights.Data) {
				t.Errorf("%s: parts of %d end at %d of %d", test.name, size, at, len(m.Weights.Data))
			}
			if !slices.Equal(apart.transposed.Data, m.transposed.Data) {
				t.Errorf("%s: parts of %d pack otherwise than Pack", test.name, size)
			}
			clear(apart.transposed.Data)
		}
	}
}

// A gradient that restarts over an old one is to the bit the one that is added to zeros,
// whole and narrowed; and so is that of a workspace which has gone backward before, and
// keeps the slopes of activations.
func TestRestartedGradientIsThatAddedToZeros(t *testing.T) {
	for _, test := range small {
		m := jittered[float32](t, test.config)
		m.Pack()
		const batch = 2
		tokens, _, _ := batchOf[float32](m.Config, batch)
		w := NewWorkspace[float32](m.Config, batch)
		stale := NewWeights[float32](m.Config)
		for i := range stale.Data {
			stale.Data[i] = float32(math.NaN())
		}
		for _, forward := range []func(*Workspace[float32], []int32, int) []float32{m.Forward, m.ForwardLast} {
			gradient := func(into *Weights[float32]) {
				forward(w, tokens, batch)
				for i := range w.DLogits() {
					w.DLogits()[i] = float32(i%7) - 3
				}
				m.Backward(w, tokens, into)
			}
			first, want := NewWeights[float32](m.Config), NewWeights[float32](m.Config)
			gradient(first)
			gradient(want)
			stale.Restart()
			gradient(stale)
			gradient(want)
			gradient(stale) // it is added to from now on
			for i, tensor := range want.Tensors {
				if !slices.Equal(stale.Tensors[i].Data, tensor.Data) {
					t.Errorf("%s: the restarted gradient of %s differs:\n%v\n%v", test.name, tensor.Name, stale.Tensors[i].Data, tensor.Data)
				}
			}
			gradient(first)
			if !slices.Equal(first.Data, want.Data) {
				t.Errorf("%s: the first gradient of a workspace is not that of later ones", test.name)
			}
		}
	}
}
