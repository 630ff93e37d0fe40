package model

import "fmt"

// ForwardTree runs the model over a tree of sequences and computes each node once.
// [Transformer.Forward], over the sequences that end in the tree's leaves, would compute
// shared prefixes repeatedly. Node i appends tokens[i] to the sequence of node
// parents[i], or begins a sequence if parents[i] is −1. A parent must come before its
// children, and no sequence may be longer than n_ctx.
//
// It returns the logits (N,V) after each node, equal bit for bit to Forward's. It passes
// activations to the hooks as if the nodes were sequences of one position: (N,1,d), and
// patterns (N,H,1,depth). It panics if parents is not a valid tree or has more nodes than
// w has rows. [Transformer.Backward] works after it too.
func (m *Transformer[F]) ForwardTree(w *Workspace[F], tokens, parents []int32) []F {
	w.begin(m.Config, len(tokens), len(tokens))
	w.plant(m.Config.NCtx, parents)
	return m.run(w, tokens, false)
}

// plant computes the path to each node of a tree.
func (w *Workspace[F]) plant(nCtx int, parents []int32) {
	if len(parents) != w.rows {
		panic(fmt.Sprintf("model: %d parents for %d nodes; want one parent for each node", len(parents), w.rows))
	}
	if w.depths == nil {
		w.depths = make([]int32, w.capacity)
	}
	w.treeDepth, w.positionLength = 0, 0
	for i, parent := range parents {
		depth := int32(1)
		if parent >= int32(i) || parent < -1 {
			panic(fmt.Sprintf("model: node %d has parent %d; a parent must come before its children", i, parent))
		}
		if parent >= 0 {
			depth += w.depths[parent]
		}
		if int(depth) > nCtx {
			panic(fmt.Sprintf("model: node %d ends a sequence longer than n_ctx = %d", i, nCtx))
		}
		w.depths[i], w.positionIDs[i] = depth, depth-1
		w.treeDepth = max(w.treeDepth, int(depth))
	}
	if len(w.allPaths) < w.rows*w.treeDepth {
		w.allPaths = make([]int32, w.capacity*w.treeDepth)
	}
	w.paths = w.allPaths[:w.rows*w.treeDepth]
	for i, parent := range parents {
		path := w.path(i)
		if parent >= 0 {
			copy(path, w.path(int(parent)))
		}
		path[len(path)-1] = int32(i)
	}
}

// path returns the ancestors of a node, starting with the root, and the node itself.
func (w *Workspace[F]) path(node int) []int32 {
	from := node * w.treeDepth
	return w.paths[from : from+int(w.depths[node])]
}
