package inspect

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"foretell/internal/limit"
	"foretell/internal/npz"
	"foretell/model"
	"foretell/probe"
	"foretell/process"
)

// CacheRequest holds the arguments of [Model.Cache].
type CacheRequest struct {
	// Hooks are names of activations, as in [model.Config.Hooks], or their ends, such as
	// resid_post, which stand for the activation of every layer.
	Hooks []string
	// Words are the sequences to run, all of the same length. If nil, Sequences are drawn
	// from the process, as package probe does, or all are taken if Sequences is 0.
	Words     [][]int32
	Sequences int
	Length    int // length of the longest sequences, if Words is nil; 0 means n_ctx
}

// Cached holds activations of a model after many sequences, with what the optimal
// predictor believes after them. All arrays have a row for each sequence, in the same
// order.
type Cached struct {
	Model   string   `json:"model"`   // the name under which the model was opened
	Process string   `json:"process"` // the name of the process
	Hooks   []string `json:"hooks"`   // the names of the activations
	Words   int      `json:"words"`   // the number of rows
	Length  int      `json:"length"`  // tokens of the longest sequence
	// Sequences is the number of sequences whose beginnings are the words; 0 if the words
	// are all there are.
	Sequences int   `json:"sequences,omitempty"`
	Bytes     int64 `json:"bytes"` // size of the arrays before compression

	arrays []npz.Array
}

// Cache runs the model over words and all their beginnings. It returns an error if the
// process is not known, if there are too many words, if a hook name is unknown, or if the
// arrays do not fit in memory; nothing has then been computed.
func (m *Model) Cache(ctx context.Context, r CacheRequest) (*Cached, error) {
	p, err := m.Process()
	if err != nil {
		return nil, err
	}
	hooks, err := hooksNamed(m.Config(), r.Hooks)
	if err != nil {
		return nil, err
	}
	if r.Length, err = m.wordLength(r.Length); err != nil {
		return nil, err
	}
	const mostRows = 1 << 24 // beyond them the table of words has another error
	if rows, length := r.size(p); rows <= mostRows {
		if err := m.fitsCache(p, hooks, rows, length); err != nil {
			return nil, err
		}
	}
	words, err := r.words(ctx, p)
	if err != nil {
		return nil, err
	}
	c := &Cached{
		Model: m.Path, Process: p.Name(), Hooks: hooks, Words: words.Rows(), Length: words.Length,
		Sequences: words.Sequences,
	}
	if err := c.fill(ctx, m.network.inFloat32(), words); err != nil {
		return nil, err
	}
	for _, a := range c.arrays {
		c.Bytes += int64(bytesOf(a))
	}
	return c, nil
}

// size returns the largest number of rows and of tokens in a row.
func (r CacheRequest) size(p process.Process) (rows, length int) {
	switch {
	case r.Words != nil:
		return len(r.Words) * len(r.Words[0]), len(r.Words[0])
	case r.Sequences > 0:
		return r.Sequences * r.Length, r.Length
	}
	return process.NumPrefixes(p.Alphabet(), r.Length), r.Length
}

// words returns the table of the words.
func (r CacheRequest) words(ctx context.Context, p process.Process) (*process.Prefixes, error) {
	switch {
	case r.Words != nil:
		return process.WordsOf(ctx, p, r.Words, 1)
	case r.Sequences > 0:
		return probe.SampleWords(ctx, p, r.Length, r.Sequences, 1)
	}
	return process.Words(ctx, p, r.Length)
}

// hooksNamed returns the names of all activations that the given names stand for.
func hooksNamed(c model.Config, names []string) (hooks []string, err error) {
	seen := map[string]bool{}
	for _, name := range names {
		end, found := "hook_"+strings.TrimPrefix(name, "hook_"), false
		for _, hook := range c.Hooks() {
			if hook != name && hook != end && !strings.HasSuffix(hook, "."+end) {
				continue
			}
			found = true
			if strings.HasSuffix(hook, ".hook_attn_scores") {
				return nil, fmt.Errorf("%s is not kept for words that share their beginnings; give pattern", name)
			}
			if !seen[hook] {
				seen[hook], hooks = true, append(hooks, hook)
			}
		}
		if !found {
			return nil, c.CheckHooks(name)
		}
	}
	if hooks == nil {
		return nil, errors.New("no activation is named; give one, such as resid_post")
	}
	return hooks, nil
}

// fitsCache returns an error if the arrays need more memory than there is.
func (m *Model) fitsCache(p process.Process, hooks []string, rows, length int) error {
	c := m.Config()
	numbers := float64(length) + 3*float64(p.Alphabet()) + float64(c.DVocab)
	if o, ok := p.(process.Observer); ok {
		numbers += 4 * float64(len(o.States()))
	}
	// One short word shows the widths.
	_, cache, err := m.network.inFloat32().RunWithCache([]int32{0}, 1, hooks...)
	if err != nil {
		return err
	}
	for _, hook := range hooks {
		width := float64(len(cache.Get(hook).Data))
		if strings.HasSuffix(hook, ".hook_pattern") {
			width *= float64(length)
		}
		numbers += width
	}
	need, have := 4*numbers*float64(rows), limit.Memory()
	if have > 0 && need > have/2 {
		return fmt.Errorf("%d words with these activations take %s, and this machine has %s of memory; "+
			"give fewer words, a smaller length or fewer activations", rows, limit.Size(need), limit.Size(have))
	}
	return nil
}

// fill runs the model and makes the arrays.
func (c *Cached) fill(ctx context.Context, m *model.Transformer[float32], p *process.Prefixes) error {
	rows, vocab := p.Rows(), m.Config.DVocab
	predictions, kept := make([]float32, rows*vocab), map[string]*npz.Array{}
	visit := func(pass *probe.Pass) {
		for _, span := range pass.Spans {
			for i := range span.N {
				writeProbabilities(predictions[(span.Row+i)*vocab:][:vocab], pass.Logits[(span.Node+i)*vocab:])
			}
			for _, hook := range c.Hooks {
				keepRows(kept, pass, hook, span, rows, p.Length)
			}
		}
	}
	const workers = 1 // they would share the arrays
	err := probe.Sweep(ctx, m, p, c.Hooks, workers, func() (func(*probe.Pass), func()) { return visit, func() {} })
	if err != nil {
		return err
	}
	c.arrays = append(wordArrays(p), npz.Array{Name: "predictions", Shape: []int{rows, vocab}, Data: predictions})
	for _, hook := range c.Hooks {
		c.arrays = append(c.arrays, *kept[hook])
	}
	return nil
}

// writeProbabilities writes the softmax of logits to dst.
func writeProbabilities(dst, logits []float32) {
	for i, x := range model.Probabilities(logits[:len(dst)]) {
		dst[i] = float32(x)
	}
}

// keepRows copies the activations of a span to its rows. A pattern, which is as long as
// the longest word of the pass, gets zeros behind.
func keepRows(kept map[string]*npz.Array, pass *probe.Pass, hook string, span probe.Span, rows, length int) {
	t := pass.Activation(hook)
	nodes := t.Shape[0]
	width := len(t.Data) / nodes
	a := kept[hook]
	if a == nil {
		shape := append([]int{rows}, t.Shape[2:]...)
		if strings.HasSuffix(hook, ".hook_pattern") {
			shape = []int{rows, t.Shape[1], length}
		}
		n := 1
		for _, k := range shape {
			n *= k
		}
		a = &npz.Array{Name: hook, Shape: shape, Data: make([]float32, n)}
		kept[hook] = a
	}
	data := a.Data.([]float32)
	each := len(data) / rows
	lines := 1
	if strings.HasSuffix(hook, ".hook_pattern") {
		lines = t.Shape[1]
	}
	for i := range span.N {
		from, to := t.Data[(span.Node+i)*width:][:width], data[(span.Row+i)*each:][:each]
		for h := range lines {
			copy(to[h*each/lines:(h+1)*each/lines], from[h*width/lines:(h+1)*width/lines])
		}
	}
}

// wordArrays returns the words, their probabilities and what the optimal predictor
// believes after them.
func wordArrays(p *process.Prefixes) []npz.Array {
	rows := p.Rows()
	words, lengths := make([]int32, rows*p.Length), make([]int32, rows)
	for row := range rows {
		word := p.Tokens(row)
		lengths[row] = int32(len(word))
		for t := range p.Length {
			words[row*p.Length+t] = -1
			if t < len(word) {
				words[row*p.Length+t] = word[t]
			}
		}
	}
	arrays := []npz.Array{
		{Name: "words", Shape: []int{rows, p.Length}, Data: words},
		{Name: "lengths", Shape: []int{rows}, Data: lengths},
		{Name: "probabilities", Shape: []int{rows}, Data: p.Prob},
	}
	if p.States > 0 {
		arrays = append(arrays, npz.Array{Name: "beliefs", Shape: []int{rows, p.States}, Data: p.Beliefs})
	}
	return append(arrays, npz.Array{Name: "optimal", Shape: []int{rows, p.Alphabet}, Data: p.Next})
}

func bytesOf(a npz.Array) int {
	n := 4
	if _, wide := a.Data.([]float64); wide {
		n = 8
	}
	for _, k := range a.Shape {
		n *= k
	}
	return n
}

// ParseWords reads sequences, one on each line, as [Model.ParseWord] does. All must have
// the same length. An error names the line.
func (m *Model) ParseWords(text string) (words [][]int32, err error) {
	first := 0
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		word, err := m.ParseWord(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		if len(words) > 0 && len(word) != len(words[0]) {
			return nil, fmt.Errorf("line %d has %d tokens, and line %d has %d; give sequences of the same length",
				i+1, len(word), first, len(words[0]))
		}
		if words = append(words, word); len(words) == 1 {
			first = i + 1
		}
	}
	if words == nil {
		return nil, errors.New("there are no sequences; give one on each line, such as " +
			m.Names().Format(m.example(2), ","))
	}
	return words, nil
}

// WriteNPZ writes the arrays as an .npz file, one after the other.
func (c *Cached) WriteNPZ(w io.Writer) error {
	buffer := bufio.NewWriter(w)
	if err := npz.Write(buffer, c.arrays); err != nil {
		return err
	}
	return buffer.Flush()
}
