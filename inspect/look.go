package inspect

import (
	"fmt"
	"slices"

	"foretell/internal/text"
	"foretell/intervene"
	"foretell/model"
	"foretell/process"
)

// Look is what a model does along a sequence: its predictions, what its heads attend to,
// and what each stage of its residual stream predicts. KL is in nats, from the optimal
// prediction.
type Look struct {
	Tokens []int32  `json:"tokens"`
	Names  []string `json:"names"` // names of all tokens of the alphabet; their numbers if they have no names

	Model   [][]float64 `json:"model_by_position"`   // (T,V)
	Optimal [][]float64 `json:"optimal_by_position"` // (T,V); nil where there is no optimum
	KL      []*float64  `json:"kl_by_position"`      // (T); nil where there is no optimum

	// Patterns are the attention patterns (layer, head, T, T): destination, source. They are
	// nil for a flat network, as is Lens.
	Patterns [][][][]float64 `json:"patterns,omitempty"`
	Lens     []LensStage     `json:"lens,omitempty"`

	Hooks []string `json:"hooks,omitempty"` // activations that can be patched, see [intervene.Hooks]

	// Impossible says why there is no optimum after some or all of the tokens, or is nil.
	Impossible error `json:"-"`
}

// LensStage is a stage of the residual stream through the logit lens.
type LensStage struct {
	Stage     string     `json:"stage"`               // hook name
	Name      string     `json:"name"`                // in words
	Likeliest []int      `json:"likeliest"`           // (T) the token with the largest logit
	KL        []*float64 `json:"lens_kl_by_position"` // (T); nil where there is no optimum
}

// mostLooked is the largest number of numbers in a [Look].
const mostLooked = 1 << 22

// Look runs the model over a sequence. For a hand-written model, whose weights are
// meaningful only for sequences of its process, another sequence is an error. So are a
// sequence that does not fit the model, and one whose attention patterns and predictions
// have more than 4 million numbers.
func (m *Model) Look(word []int32) (*Look, error) {
	if err := checkLength(m.Config(), word); err != nil {
		return nil, err
	}
	if err := m.CheckWord(word); err != nil {
		return nil, err
	}
	if n := lookedNumbers(m.Config(), len(word)); n > mostLooked {
		return nil, fmt.Errorf("the attention and the predictions over %s have %.1e numbers, and the limit is %.1e; "+
			"use fewer tokens", text.Count(len(word), "token"), n, float64(mostLooked))
	}
	l := &Look{Tokens: word, Optimal: make([][]float64, len(word))}
	for z := range m.Config().DVocab {
		l.Names = append(l.Names, m.Names().Of(int32(z)))
	}
	if m.Config().HasAttention() {
		l.Hooks = intervene.Hooks(m.Config())
	}
	if m.optimum != nil {
		l.Impossible = l.optimise(m.optimum)
	}
	return l, m.network.look(l)
}

// lookedNumbers returns how many numbers a [Look] over T tokens has.
func lookedNumbers(c model.Config, T int) float64 {
	n := 2 * float64(T) * float64(c.DVocab)
	if c.HasAttention() {
		for _, heads := range c.NHeads {
			n += float64(heads) * float64(T) * float64(T)
		}
	}
	return n
}

// optimise finds the optimal predictions, up to the first position without one, for
// which it returns the reason.
func (l *Look) optimise(p process.Process) error {
	for t := range l.Tokens {
		next, err := process.NextAfter(p, l.Tokens[:t+1])
		if err == nil {
			err = atTheEnd(p, l.Tokens[:t+1])
		}
		if err != nil {
			return err
		}
		l.Optimal[t] = next
	}
	return nil
}

func (n precise[F]) look(l *Look) error {
	logits, err := n.Logits(l.Tokens)
	if err == nil {
		err = model.CheckLogits(logits, n.Config.DVocab)
	}
	if err != nil {
		return err
	}
	l.Model, l.KL = predictions(logits, l.Optimal)
	if !n.Config.HasAttention() {
		return nil
	}
	_, cache, err := n.RunWithCache(l.Tokens, 1)
	if err != nil {
		return err
	}
	for layer, heads := range n.Config.NHeads[:n.Config.NLayers] {
		data := cache.Get(fmt.Sprintf("blocks.%d.attn.hook_pattern", layer)).Data
		l.Patterns = append(l.Patterns, patterns(data, heads, len(l.Tokens)))
	}
	for _, stage := range n.Config.ResidualStages() {
		seen, err := n.LogitLens(cache.Get(stage))
		if err != nil {
			return err
		}
		through := LensStage{Stage: stage, Name: stageName(n.Config, stage)}
		var probabilities [][]float64
		probabilities, through.KL = predictions(seen.Data, l.Optimal)
		for _, row := range probabilities {
			through.Likeliest = append(through.Likeliest, slices.Index(row, slices.Max(row)))
		}
		l.Lens = append(l.Lens, through)
	}
	return nil
}

// predictions returns the probabilities of logits (T,V), and their KL from the optimal
// predictions.
func predictions[F model.Float](logits []F, optimal [][]float64) (probabilities [][]float64, kl []*float64) {
	V := len(logits) / len(optimal)
	for t, best := range optimal {
		row := logits[t*V : (t+1)*V]
		probabilities = append(probabilities, model.Probabilities(row))
		var distance *float64
		if best != nil {
			distance = new(model.Divergence(best, row))
		}
		kl = append(kl, distance)
	}
	return probabilities, kl
}

// patterns returns the attention (heads,T,T) of a layer as lists.
func patterns[F model.Float](data []F, heads, T int) [][][]float64 {
	list := make([][][]float64, heads)
	for h := range list {
		for t := range T {
			row := make([]float64, T)
			for s, x := range data[(h*T+t)*T:][:T] {
				row[s] = float64(x)
			}
			list[h] = append(list[h], row)
		}
	}
	return list
}
