package signals

import (
	"math"
	"slices"
)

// forecaster predicts the token that follows an unseen window. It counts which tokens
// followed the window's last k tokens in another recording, for every k up to the
// window's length at once. It knows neither the recording that contains the windows nor
// the recurrence that generates both recordings.
//
// Contexts form a tree: a path from the root reads a context backwards, from its last
// token. The tree has only contexts that end a window, so its size does not depend on
// the length of the recording.
type forecaster struct {
	nodes   []followed
	windows [][]int32 // [window][k]: the node of the window's last k tokens
	next    []int32   // [window]: the token that follows the window
	levels  int
}

// followed is a node of the tree: it counts the tokens that followed its context.
type followed struct {
	before []int32  // [token]: the node of the context with this token before it, 0 if there is no such node
	after  []uint32 // [token]: how often it followed the context
	seen   uint32   // sum of after
}

// newForecaster returns a forecaster for windows of the given number of tokens. There is
// one window for each of the places, which are positions in the recording: it ends just
// before the place, and the token at the place is to be predicted.
func newForecaster(record []int32, places []int, tokens, levels int) *forecaster {
	f := &forecaster{levels: levels}
	f.add()
	for _, end := range places {
		path := []int32{0}
		for k := 1; k <= tokens; k++ {
			path = append(path, f.child(path[k-1], record[end-k]))
		}
		f.windows = append(f.windows, path)
		f.next = append(f.next, record[end])
	}
	return f
}

func (f *forecaster) add() int32 {
	f.nodes = append(f.nodes, followed{before: make([]int32, f.levels), after: make([]uint32, f.levels)})
	return int32(len(f.nodes) - 1)
}

// child returns the node of the context that has one more token at its beginning. It adds
// the node if necessary.
func (f *forecaster) child(of, token int32) int32 {
	if f.nodes[of].before[token] == 0 {
		added := f.add()
		f.nodes[of].before[token] = added
	}
	return f.nodes[of].before[token]
}

// learn counts the tokens record[first:] of a chunk of the recording. Earlier tokens are
// only context.
func (f *forecaster) learn(record []int32, first int) {
	for n := first; n < len(record); n++ {
		at := int32(0)
		for k := 1; ; k++ {
			node := &f.nodes[at]
			node.after[record[n]]++
			node.seen++
			if k > n {
				break
			}
			if at = node.before[record[n-k]]; at == 0 {
				break
			}
		}
	}
}

// smoothWeight is a larger weight of shorter contexts, with which counts of contexts that
// seldom occur do not spoil the loss.
const smoothWeight = 16

// guesses holds how well the tokens after all windows were predicted, from one number of
// last tokens.
type guesses struct {
	hits  []bool  // [window]: whether the most likely token followed
	loss  float64 // mean loss, in nats
	known float64 // share of the windows whose last k tokens occur in the recording
}

// byTokens predicts the token after each window from its last k tokens, for k = 0, 1, ….
// The distribution after k tokens is p_k = (c_k + w·p_{k−1})/(n_k + w), where c_k counts
// the tokens that followed them and n_k is the sum of c_k: the prediction from k − 1
// tokens has the weight of w observations. With w = 1, p_k depends mostly on the longest
// context that occurs in the recording, even if it occurs only once.
func (f *forecaster) byTokens(weight float64) []guesses {
	found := make([]guesses, len(f.windows[0]))
	for k := range found {
		found[k].hits = make([]bool, len(f.windows))
	}
	share := 1 / float64(len(f.windows))
	for w, path := range f.windows {
		p := slices.Repeat([]float64{1 / float64(f.levels)}, f.levels)
		for k, at := range path {
			node := &f.nodes[at]
			for z := range p {
				p[z] = (float64(node.after[z]) + float64(weight*p[z])) / (float64(node.seen) + weight)
			}
			found[k].hits[w] = slices.Index(p, slices.Max(p)) == int(f.next[w])
			found[k].loss -= share * math.Log(p[f.next[w]])
			if node.seen > 0 {
				found[k].known += share
			}
		}
	}
	return found
}

// accuracy returns the share of hits and its standard error.
func (f guesses) accuracy() (share, se float64) {
	share = float64(trues(f.hits)) / float64(len(f.hits))
	return share, math.Sqrt(share * (1 - share) / float64(len(f.hits)))
}

// gain returns by how much the second guesses, other, are more accurate than the first,
// on the same windows, with the standard error of the difference.
func (f guesses) gain(other guesses) (more, se float64) {
	differences := make([]float64, len(f.hits))
	for i := range differences {
		if other.hits[i] {
			differences[i]++
		}
		if f.hits[i] {
			differences[i]--
		}
	}
	return meanError(differences)
}
