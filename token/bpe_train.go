package token

import (
	"fmt"
	"maps"
	"slices"
)

// mostTokens is the largest size of a vocabulary.
const mostTokens = 1 << 24

// TrainBPE learns a vocabulary of the given size from a text (Sennrich et al. 2016). Its
// tokens are the 256 bytes, then the results of merges, then the special tokens. Each
// merge joins the pair that occurs most often inside the [Pieces] of the text; of equally
// frequent pairs it takes the one with the smallest ids. The vocabulary is smaller if no
// remaining pair occurs twice; see [BPE.Size].
//
// It returns an error if the size is too small for the bytes and the special tokens, or
// larger than 16,777,216. It also returns an error if a special token does not have the
// form <…>, is given twice, or equals a token that was learned from the text.
func TrainBPE(text string, size int, special ...string) (*BPE, error) {
	if least := 256 + len(special); size < least || size > mostTokens {
		return nil, fmt.Errorf("token: a vocabulary size of %d is outside [%d, %d]: "+
			"it includes the 256 bytes and the special tokens", size, least, mostTokens)
	}
	b := newBPE()
	t := newTrainer(b, text)
	for b.Size() < size-len(special) {
		p, ok := t.mostFrequent()
		if !ok {
			break
		}
		token := b.tokens[p.left] + b.tokens[p.right]
		id, known := b.ids[token]
		if !known {
			id = b.append(token)
		}
		b.learn(p, id)
		t.merge(p, id)
	}
	for _, name := range special {
		if err := b.addSpecial(name); err != nil {
			return nil, fmt.Errorf("token: %w", err)
		}
	}
	return b, nil
}

// addSpecial adds a special token.
func (b *BPE) addSpecial(name string) error {
	if !isSpecial(name) {
		return fmt.Errorf("the special token %q is not of the form <…>, such as <|endoftext|>", name)
	}
	if _, twice := b.special[name]; twice {
		return fmt.Errorf("the special token %q is given twice; give it once", name)
	}
	if bytes, ok := read(name); ok {
		if _, taken := b.ids[bytes]; taken {
			return fmt.Errorf("the special token %q is also a token learned from the text; give it another name", name)
		}
	}
	b.special[name] = int32(len(b.tokens))
	b.tokens = append(b.tokens, name)
	return nil
}

// trainer counts the pairs in the pieces of a text.
type trainer struct {
	words  []trainedWord
	counts map[pair]int
	where  map[pair]map[int]struct{} // the indices of the words that contain a pair now or contained it earlier
}

// trainedWord is a piece, split into its current tokens, with the number of times it
// occurs.
type trainedWord struct {
	tokens []int32
	count  int
}

func newTrainer(b *BPE, text string) *trainer {
	t := &trainer{counts: map[pair]int{}, where: map[pair]map[int]struct{}{}}
	counts := map[string]int{}
	for piece := range Pieces(text) {
		counts[piece]++
	}
	for _, piece := range slices.Sorted(maps.Keys(counts)) {
		word := trainedWord{count: counts[piece]}
		for i := range len(piece) {
			word.tokens = append(word.tokens, b.bytes[piece[i]])
		}
		t.words = append(t.words, word)
		t.count(len(t.words)-1, 1)
	}
	return t
}

// count adds the pairs of the word with the given index to the counts if sign is 1, and
// subtracts them if it is −1.
func (t *trainer) count(word, sign int) {
	w := t.words[word]
	for i := 1; i < len(w.tokens); i++ {
		p := pair{w.tokens[i-1], w.tokens[i]}
		t.counts[p] += sign * w.count
		if t.counts[p] == 0 {
			delete(t.counts, p)
		}
		if t.where[p] == nil {
			t.where[p] = map[int]struct{}{}
		}
		t.where[p][word] = struct{}{}
	}
}

// mostFrequent returns the pair to merge next; ok is false if no pair occurs twice.
func (t *trainer) mostFrequent() (best pair, ok bool) {
	most := 1
	for p, n := range t.counts {
		if n > most || n == most && ok && p.before(best) {
			best, most, ok = p, n, true
		}
	}
	return best, ok
}

func (p pair) before(q pair) bool {
	return p.left < q.left || p.left == q.left && p.right < q.right
}

// merge replaces a pair by a token in all words, and updates the counts.
func (t *trainer) merge(p pair, token int32) {
	for word := range t.where[p] {
		t.count(word, -1)
		w := &t.words[word]
		kept := w.tokens[:0]
		for i := 0; i < len(w.tokens); i++ {
			if i+1 < len(w.tokens) && (pair{w.tokens[i], w.tokens[i+1]}) == p {
				kept = append(kept, token)
				i++
				continue
			}
			kept = append(kept, w.tokens[i])
		}
		w.tokens = kept
		t.count(word, 1)
	}
	delete(t.where, p)
}
