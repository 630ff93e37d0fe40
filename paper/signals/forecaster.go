package signals

import (
	"math"
	"slices"
)

// forecaster foretells the token after windows that it has not seen, from what has
// followed their last k tokens in a recording of any length, for every k up to the
// windows' length at once. It knows neither the recording that the windows are cut from
// nor the recurrence.
//
// Contexts are a tree that grows backwards: from the root by the last token, the last
// but one, and so on, of the windows alone, so that its size does not depend on the
// recording.
type forecaster struct {
	nodes   []followed
	windows [][]int32 // [window][k]: its node of k tokens
	next    []int32   // [window]: the token that follows it
	levels  int
}

// followed is a node: what has followed one context.
type followed struct {
	before []int32  // [token]: the node with this token before it, 0 for none
	after  []uint32 // [token]: how often it followed
	seen   uint32
}

// newForecaster takes the windows of so many tokens that end where record has the token
// to foretell, which is at each of the places.
func newForecaster(record []int32, places []int, tokens, levels int) *forecaster {
	f := &forecaster{levels: levels}
	f.add()
	for _, end := range places {
		path := []int32{0}
		for k := 1; k <= tokens; k++ {
			path = append(path, f.child(path[k-1], record[end-k]))
		}
		f.windows, f.next = append(f.windows, path), append(f.next, record[end])
	}
	return f
}

func (f *forecaster) add() int32 {
	f.nodes = append(f.nodes, followed{before: make([]int32, f.levels), after: make([]uint32, f.levels)})
	return int32(len(f.nodes) - 1)
}

// child returns the node of a context with one more token before it, which it makes.
func (f *forecaster) child(of, token int32) int32 {
	if f.nodes[of].before[token] == 0 {
		added := f.add()
		f.nodes[of].before[token] = added
	}
	return f.nodes[of].before[token]
}

// learn takes a recording, a chunk of it, whose first tokens are context alone.
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

// guesses is how well windows of k tokens are foretold.
type guesses struct {
	hits  []bool  // by window: the likeliest token came
	loss  float64 // mean, in nats
	known float64 // share of the windows whose k tokens the recording holds
}

// byTokens foretells each window from its last k tokens, k = 0 …. The distribution after
// k tokens is p_k = (c_k + p_{k−1})/(n_k + 1): what has followed them, c_k of n_k, and
// the distribution after one token less with the weight of one observation. So p_k leans
// on as many tokens as the recording has seen together.
func (f *forecaster) byTokens() []guesses {
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
				p[z] = (float64(node.after[z]) + p[z]) / (float64(node.seen) + 1)
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

// accuracy is the share of hits and its standard error.
func (f guesses) accuracy() (share, se float64) {
	n := 0
	for _, hit := range f.hits {
		if hit {
			n++
		}
	}
	share = float64(n) / float64(len(f.hits))
	return share, math.Sqrt(share * (1 - share) / float64(len(f.hits)))
}

// gain is by how much other hits more than f on the same windows, with its standard
// error.
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
