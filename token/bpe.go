package token

import (
	"fmt"
	"slices"
	"strings"
)

// BPE is byte-level byte-pair encoding as in GPT-2 (Radford et al. 2019, Sec. 2.2, after
// Sennrich et al. 2016). A text is cut into pieces ([Pieces]) and a piece into bytes.
// Then adjacent tokens are merged until no merge applies. Each step merges the pair whose
// merge was learned first, and the leftmost such pair if it occurs several times. Every
// byte is a token, so any bytes can be encoded, and Decode(Encode(text)) is text.
//
// [TrainBPE], [LoadBPE] and [ReadBPE] return a BPE. It is read-only, so any number of
// goroutines may share it.
type BPE struct {
	tokens  []string         // the bytes of each token, by id
	ids     map[string]int32 // the id of each token that is not special, by its bytes
	special map[string]int32 // the id of each special token, such as <|endoftext|>; Encode never returns it
	bytes   [256]int32       // the id of each byte
	order   []pair           // the merges, in the order in which they were learned
	merges  map[pair]merged
}

// pair is two adjacent tokens.
type pair struct{ left, right int32 }

// merged is the result of merging a pair: the new token, and the rank of the merge in the
// order of learning.
type merged struct{ rank, token int32 }

// newBPE returns an encoding without merges, whose tokens are the 256 bytes with GPT-2's
// ids.
func newBPE() *BPE {
	b := &BPE{ids: map[string]int32{}, special: map[string]int32{}, merges: map[pair]merged{}}
	for i, c := range byteOrder() {
		b.bytes[c] = int32(i)
		b.append(string([]byte{c}))
	}
	return b
}

// append adds a token with the next free id, which it returns.
func (b *BPE) append(token string) int32 {
	id := int32(len(b.tokens))
	b.tokens, b.ids[token] = append(b.tokens, token), id
	return id
}

// learn adds the rule that merges a pair into a token. Rules that were added earlier are
// applied first.
func (b *BPE) learn(p pair, token int32) {
	b.merges[p] = merged{int32(len(b.order)), token}
	b.order = append(b.order, p)
}

// Size returns the number of tokens, including special ones: 50,257 for GPT-2.
func (b *BPE) Size() int { return len(b.tokens) }

// Token returns the bytes of a token, which need not be whole characters, or the name of
// a special token. It panics unless 0 ≤ id < Size.
func (b *BPE) Token(id int32) string { return b.tokens[id] }

// Special returns the id of a special token, given its name, such as <|endoftext|>.
func (b *BPE) Special(name string) (id int32, ok bool) {
	id, ok = b.special[name]
	return id, ok
}

// longestKept is the length in bytes of the longest piece whose tokens Encode stores for
// reuse.
const longestKept = 64

// Encode returns the tokens of a text, which may be any bytes. The name of a special
// token is encoded like other text. A piece of n bytes takes O(n log n) steps.
func (b *BPE) Encode(text string) []int32 {
	tokens := make([]int32, 0, len(text)/4+1)
	known := map[string][]int32{}
	var e encoder
	for piece := range Pieces(text) {
		if list, ok := known[piece]; ok {
			tokens = append(tokens, list...)
			continue
		}
		from := len(tokens)
		tokens = e.encode(b, tokens, piece)
		if len(piece) <= longestKept {
			known[piece] = tokens[from:len(tokens):len(tokens)]
		}
	}
	return tokens
}

// Decode returns the bytes of the tokens. For a special token it returns the name. It
// returns an error if a token is outside the vocabulary. The result may begin or end in
// the middle of a character.
func (b *BPE) Decode(tokens []int32) (string, error) {
	var text strings.Builder
	for i, id := range tokens {
		if id < 0 || int(id) >= len(b.tokens) {
			return "", fmt.Errorf("token: token %d at position %d is outside the vocabulary [0, %d]",
				id, i+1, len(b.tokens)-1)
		}
		text.WriteString(b.tokens[id])
	}
	return text.String(), nil
}

// encoder merges the parts of a piece. Parts form a doubly linked list, indexed by the
// byte at which they begin. The heap holds the pairs that can be merged, and some that
// can no longer be merged.
type encoder struct {
	parts []part
	heap  []candidate
}

// part is a token of a piece; next and before are the indices of its neighbours, −1 at
// the ends. A part that has been merged into its left neighbour has token −1.
type part struct{ token, next, before int32 }

// candidate is a possible merge of two adjacent parts: the part at index `at` and its
// right neighbour.
type candidate struct{ rank, at, token int32 }

func (c candidate) less(d candidate) bool {
	return c.rank < d.rank || c.rank == d.rank && c.at < d.at
}

// encode appends the tokens of a piece.
func (e *encoder) encode(b *BPE, tokens []int32, piece string) []int32 {
	n := len(piece)
	e.parts, e.heap = slices.Grow(e.parts[:0], n)[:n], e.heap[:0]
	for i := range n {
		e.parts[i] = part{b.bytes[piece[i]], int32(i + 1), int32(i - 1)}
	}
	e.parts[n-1].next = -1
	for i := range n - 1 {
		e.offer(b, int32(i))
	}
	for len(e.heap) > 0 {
		e.merge(b, e.pop())
	}
	for at := int32(0); at >= 0; at = e.parts[at].next {
		tokens = append(tokens, e.parts[at].token)
	}
	return tokens
}

// offer puts a candidate for the part at an index and its right neighbour on the heap, if
// the vocabulary merges these two tokens.
func (e *encoder) offer(b *BPE, at int32) {
	if at < 0 || e.parts[at].next < 0 {
		return
	}
	if m, ok := b.merges[pair{e.parts[at].token, e.parts[e.parts[at].next].token}]; ok {
		e.push(candidate{m.rank, at, m.token})
	}
}

// merge applies a candidate. It does nothing if another merge has changed one of the two
// parts.
func (e *encoder) merge(b *BPE, c candidate) {
	left := &e.parts[c.at]
	if left.token < 0 || left.next < 0 {
		return
	}
	right := &e.parts[left.next]
	if b.order[c.rank] != (pair{left.token, right.token}) {
		return
	}
	left.token, left.next, right.token = c.token, right.next, -1
	if left.next >= 0 {
		e.parts[left.next].before = c.at
	}
	e.offer(b, left.before)
	e.offer(b, c.at)
}

// push and pop implement a binary heap with the least candidate first.
func (e *encoder) push(c candidate) {
	e.heap = append(e.heap, c)
	for i := len(e.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !e.heap[i].less(e.heap[up]) {
			return
		}
		e.heap[i], e.heap[up] = e.heap[up], e.heap[i]
		i = up
	}
}

func (e *encoder) pop() candidate {
	top, last := e.heap[0], len(e.heap)-1
	e.heap[0] = e.heap[last]
	e.heap = e.heap[:last]
	for i := 0; ; {
		least := i
		for _, down := range [2]int{2*i + 1, 2*i + 2} {
			if down < last && e.heap[down].less(e.heap[least]) {
				least = down
			}
		}
		if least == i {
			return top
		}
		e.heap[i], e.heap[least] = e.heap[least], e.heap[i]
		i = least
	}
}
