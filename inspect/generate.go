package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"foretell/model"
	"foretell/process"
	"foretell/token"
)

// Continuation is what a model has generated after a prompt. Each probability is
// conditional on all earlier tokens. The model's probabilities are computed from its
// logits at temperature 1, whatever the temperature of sampling.
type Continuation struct {
	Prompt []int32   `json:"prompt"`
	Tokens []int32   `json:"tokens"`
	Model  []float64 `json:"model"` // the model's probability of each token
	// Optimal is the optimal predictor's probability of each token, or nil if no process is
	// known. If the process cannot emit a token, the token's probability is 0; later tokens
	// have nil (null in JSON), because there is no optimum after it.
	Optimal []*float64  `json:"optimal,omitempty"`
	Ended   string      `json:"ended"`          // why generation ended, such as [EndedLength]
	Text    *string     `json:"text,omitempty"` // prompt and continuation, if the prompt was given as text
	names   token.Names // or nil

	// Values are the values of the alphabet's tokens in the unit of the signal, or nil if
	// the process is not a signal.
	Values []float64 `json:"values,omitempty"`
	// Impossible explains why there is no optimum although the process is known: the prompt
	// has probability 0. The optimum is null in JSON in that case.
	Impossible error `json:"-"`
}

// MarshalJSON writes "optimal": null if the process is known but gives the prompt
// probability 0.
func (c *Continuation) MarshalJSON() ([]byte, error) {
	type plain Continuation
	if c.Impossible == nil {
		return json.Marshal((*plain)(c))
	}
	return json.Marshal(struct {
		*plain
		Optimal []*float64 `json:"optimal"`
	}{plain: (*plain)(c)})
}

// Reasons why a continuation ended: it has the requested length, its last token is a stop
// token, the context is full, or there was an error.
const (
	EndedLength  = "length"
	EndedStop    = "stop"
	EndedContext = "context"
	EndedError   = "error"
)

// endOfText is the special token between two texts.
const endOfText = "<|endoftext|>"

// Vocabulary reads the vocab.json and merges.txt next to the model. It returns an error
// if they are missing, or belong to another model.
func (m *Model) Vocabulary() (*token.BPE, error) {
	if m.byHand {
		return nil, fmt.Errorf("%s is written by hand and has no vocabulary; give tokens instead of a text", m.Path)
	}
	dir := m.Path
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	bpe, err := token.LoadBPE(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no vocabulary, %s and %s, next to it; give tokens instead of a text",
			m.Path, token.VocabFile, token.MergesFile)
	}
	if err != nil {
		return nil, err
	}
	if n := m.Config().DVocab; bpe.Size() != n {
		return nil, fmt.Errorf("%s: %s has %d tokens but the model has %d; they belong to different models",
			dir, token.VocabFile, bpe.Size(), n)
	}
	return bpe, nil
}

// GenerateText is [Model.Generate] for a text, which the vocabulary turns into tokens;
// see [Model.Vocabulary]. If the vocabulary has the token <|endoftext|>, generation stops
// after it, and an empty text starts with it. It returns an error if the model generates
// a token that the vocabulary lacks. Together with an error it returns what was generated
// before, if anything.
func (m *Model) GenerateText(bpe *token.BPE, text string, g model.Generation) (*Continuation, error) {
	prompt := bpe.Encode(text)
	if end, ok := bpe.Special(endOfText); ok {
		g.Stop = append(g.Stop[:len(g.Stop):len(g.Stop)], end)
		if text == "" {
			prompt = []int32{end}
		}
	}
	c, err := m.Generate(prompt, g)
	if c == nil {
		return nil, err
	}
	known := slices.IndexFunc(c.Tokens, func(z int32) bool { return int(z) >= bpe.Size() })
	if known < 0 {
		known = len(c.Tokens)
	}
	more, _ := bpe.Decode(c.Tokens[:known])
	all := strings.ToValidUTF8(text+more, "\ufffd")
	c.Text = &all
	if _, beyond := bpe.Decode(c.Tokens); err == nil && beyond != nil { // a model's vocabulary may be padded
		err = fmt.Errorf("the continuation is not text: %w, and the model has %d tokens; set top_k or top_p "+
			"to sample from fewer of them", beyond, m.Config().DVocab)
	}
	return c, err
}

// Generate continues a prompt with the given options, see [model.Transformer.Generate].
// If the prompt has probability 0 under the model's process, as a window of another
// recording often has, the continuation has no optimum; for a hand-written model this is
// an error. It returns an error if the prompt does not fit the model. If an error occurs
// during generation, for example because logits are not finite, Generate returns the
// error with what was generated before, if anything was.
func (m *Model) Generate(prompt []int32, g model.Generation) (*Continuation, error) {
	if err := m.possible(prompt); err != nil {
		return nil, err
	}
	c, err := m.network.generate(m.optimum, prompt, g)
	if c != nil {
		c.names, c.Values = m.Names(), m.values()
	}
	return c, err
}

// generate is [Model.Generate] for a model and its process, which may be nil.
func generate[F model.Float](m *model.Transformer[F], p process.Process, prompt []int32, g model.Generation) (
	*Continuation, error,
) {
	if len(prompt) == 0 {
		return nil, errors.New("the prompt is empty; give at least one token")
	}
	o, impossible := newOracle(p, prompt)
	if impossible != nil && m.Config.CheckTokens(prompt) != nil {
		return nil, impossible
	}
	c := &Continuation{
		Prompt: prompt, Tokens: []int32{}, Model: []float64{}, Ended: EndedContext, Impossible: impossible,
	}
	for next, err := range m.Generate(prompt, g) {
		if err != nil && len(c.Tokens) == 0 {
			return nil, err
		} else if err != nil {
			c.Ended = EndedError
			return c, err
		}
		c.Tokens = append(c.Tokens, next.Token)
		c.Model = append(c.Model, model.Probabilities(next.Logits)[next.Token])
		if o != nil {
			c.Optimal = append(c.Optimal, o.observe(int(next.Token)))
		}
	}
	switch n := len(c.Tokens); {
	case n > 0 && slices.Contains(g.Stop, c.Tokens[n-1]):
		c.Ended = EndedStop
	case n == g.Most:
		c.Ended = EndedLength
	}
	return c, nil
}

// oracle computes the optimal predictor's probability of each token of a continuation.
type oracle struct {
	predictor process.Predictor // nil after a token of probability 0
	next      []float64
}

// newOracle returns the oracle of a process after a prompt, or nil if the process is nil.
// It returns an error if the prompt has probability 0.
func newOracle(p process.Process, prompt []int32) (*oracle, error) {
	if p == nil {
		return nil, nil
	}
	predictor, err := process.PredictorAfter(p, prompt)
	if err != nil {
		return nil, err
	}
	return &oracle{predictor, make([]float64, p.Alphabet())}, nil
}

// observe processes the next token and returns the probability that the optimal predictor
// gave it. It returns nil if an earlier token had probability 0.
func (o *oracle) observe(token int) *float64 {
	if o.predictor == nil {
		return nil
	}
	q := 0.0
	if token < len(o.next) {
		o.predictor.Next(o.next)
		q = o.next[token]
	}
	if o.predictor.Observe(token) != nil {
		o.predictor = nil
	}
	return &q
}

// Beyond returns a line about the first token that has probability 0 under the process,
// after which there is no optimum. It returns "" if there is no such token.
func (c *Continuation) Beyond() string {
	i := slices.IndexFunc(c.Optimal, func(q *float64) bool { return q != nil && *q == 0 })
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("token %d at position %d has probability 0 under the process; "+
		"there is no optimum after it", c.Tokens[i], len(c.Prompt)+i+1)
}
