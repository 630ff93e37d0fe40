package model

import (
	"slices"
	"testing"
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

func TestForwardTreeRefusesWhatIsNoTree(t *testing.T) {
	m := jittered[float32](t, small[0].config)
	w := NewWorkspace[float32](m.Config, 2)
	for _, test := range []struct {
		parents []int32
		want    string
	}{
		{[]int32{-1, 1}, "model: node 1 continues node 1, which does not come before it"},
		{[]int32{-2, 0}, "model: node 0 continues node -2, which does not come before it"},
		{[]int32{-1}, "model: 1 parents for 2 nodes"},
		{[]int32{-1, 0, 1, 2, 3, 4}, "model: node 5 ends a word longer than n_ctx = 5"},
	} {
		func() {
			defer func() {
				if got := recover(); got != test.want {
					t.Errorf("%v: panic %v, want %s", test.parents, got, test.want)
				}
			}()
			m.ForwardTree(w, make([]int32, max(2, len(test.parents))), test.parents)
		}()
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
