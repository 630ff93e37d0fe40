package model

import "fmt"

// ForwardTree runs the model over the nodes of a tree of words, each node once,
// where [Transformer.Forward] over the words that end in its leaves would run
// over a shared beginning again and again. Node i continues the word of node
// parents[i], or begins one if that is −1, with tokens[i]; a parent comes before
// its children, and no word is longer than n_ctx. It returns the logits (N,V)
// after each node, to the bit those of Forward, and shows the hooks each
// activation with the nodes for sequences of one position: (N,1,d), patterns
// (N,H,1,depth). It panics on a tree that is none or has more nodes than w has
// rows. [Transformer.Backward] is its backward pass, too.
func (m *Transformer[F]) ForwardTree(w *Workspace[F], tokens, parents []int32) []F {
	w.begin(m.Config, len(tokens), len(tokens))
	w.plant(m.Config.NCtx, parents)
	return m.run(w, tokens, false)
}

// plant finds the path to each node of a tree.
func (w *Workspace[F]) plant(nCtx int, parents []int32) {
	if len(parents) != w.rows {
		panic(fmt.Sprintf("model: %d parents for %d nodes", len(parents), w.rows))
	}
	if w.depths == nil {
		w.depths = make([]int32, w.capacity)
	}
	w.treeDepth, w.positionLength = 0, 0
	for i, parent := range parents {
		depth := int32(1)
		if parent >= int32(i) || parent < -1 {
			panic(fmt.Sprintf("model: node %d continues node %d, which does not come before it", i, parent))
		}
		if parent >= 0 {
			depth += w.depths[parent]
		}
		if int(depth) > nCtx {
			panic(fmt.Sprintf("model: node %d ends a word longer than n_ctx = %d", i, nCtx))
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

// path lists the ancestors of a node, the first of them first, and the node.
func (w *Workspace[F]) path(node int) []int32 {
	from := node * w.treeDepth
	return w.paths[from : from+int(w.depths[node])]
}
