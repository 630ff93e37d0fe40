package intervene

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"foretell/model"
)

// With is what stands in the place of what is ablated.
type With string

// What can stand there.
const (
	Zero     With = "zero"     // zeros
	Mean     With = "mean"     // the mean by position over the words, by their weights
	Resample With = "resample" // what it is over another word, drawn by its weight
)

// Withs lists what can stand in the place of what is ablated.
func Withs() []string { return []string{string(Zero), string(Mean), string(Resample)} }

// Part is what is ablated at once.
type Part struct {
	Name  string
	Sites []Site
}

// Head is a head's output, Attention and MLP what a layer's attention and MLP add to the
// residual stream; Embedding is the stream before the first layer at a position. Layers,
// heads and positions count from 0.
func Head(layer, head int) Part { return partOf(Site{"z", layer, head, All}) }

// Attention is what a layer's attention adds; see [Head].
func Attention(layer int) Part { return partOf(Site{"attn_out", layer, All, All}) }

// MLP is what a layer's MLP adds; see [Head].
func MLP(layer int) Part { return partOf(Site{"mlp_out", layer, All, All}) }

// Embedding is the residual stream before the first layer at a position; see [Head].
func Embedding(position int) Part { return partOf(Site{residPre.name, 0, All, position}) }

func partOf(s Site) Part { return Part{s.String(), []Site{s}} }

// Together are several parts, ablated at once.
func Together(parts ...Part) Part {
	all := Part{}
	for i, p := range parts {
		if i > 0 {
			all.Name += ", "
		}
		all.Name += p.Name
		all.Sites = append(all.Sites, p.Sites...)
	}
	return all
}

// At is the part at one position alone, of those that it is at.
func (p Part) At(position int) Part {
	sites := slices.Clone(p.Sites)
	for i := range sites {
		sites[i].Position = position
	}
	return Part{fmt.Sprintf("%s at %d", p.Name, position), sites}
}

// EachPart lists every head and every MLP of a model, layer by layer; of a flat network,
// which has neither, what each layer computes. c must be resolved.
func EachPart(c model.Config) (parts []Part) {
	for layer := range c.NLayers {
		if c.Flat() {
			parts = append(parts, partOf(Site{mlpPost.name, layer, All, All}))
			continue
		}
		for head := range c.NHeads[layer] {
			parts = append(parts, Head(layer, head))
		}
		if !c.AttnOnly {
			parts = append(parts, MLP(layer))
		}
	}
	return parts
}

// resampledTokens is about how many tokens of words are resampled at most, beyond twice.
const resampledTokens = 1 << 18

// Ablation is what [Ablate] is to do.
type Ablation struct {
	Parts   []Part // each by itself; nil for [EachPart]
	With    With
	Seed    uint64 // of what is resampled
	Workers int    // goroutines that share the work; the result does not depend on it
}

// Damage is what is left of a model without each of some parts, in nats of KL from the
// reference, which is the optimal prediction where a process is known, to the model, mean
// over the words and their positions.
type Damage struct {
	With      With   `json:"with"`
	Reference string `json:"reference"`           // [ToOptimal], or [ToModel]
	Length    int    `json:"length"`              // of the words
	Words     int    `json:"words"`               // that were looked at
	Sequences int    `json:"sequences,omitempty"` // that were sampled; 0 where the words are all there are

	KL           float64   `json:"kl"` // of the model as it is
	KLError      float64   `json:"kl_error"`
	KLByPosition []float64 `json:"kl_by_position"` // after 1, 2, … tokens
	// Chance is KL of the best guess that is always the same; nil where no process is known.
	Chance           *float64  `json:"chance_kl,omitempty"`
	ChanceByPosition []float64 `json:"chance_kl_by_position,omitempty"`

	Parts []Ablated `json:"parts"` // the most damaging first
}

// Ablated is a model without a part.
type Ablated struct {
	Name         string    `json:"name"` // such as head 0.1
	Sites        []Site    `json:"sites"`
	KL           float64   `json:"kl"`
	KLError      float64   `json:"kl_error"`
	Damage       float64   `json:"damage"` // KL less that of the model as it is
	DamageError  float64   `json:"damage_error"`
	KLByPosition []float64 `json:"kl_by_position"`
}

// Ablate takes parts of a model away, each by itself, and returns what that costs over
// words.
//
// It is an error when the words do not fit the model, when it has no such part, when it
// computes no finite numbers ([model.ErrNotFinite]), when there is a single word to take
// means of or to resample, and when ctx is done.
func Ablate[F model.Float](
	ctx context.Context, m *model.Transformer[F], words *Words, plan Ablation,
) (*Damage, error) {
	a, err := newAblater(m, words, plan)
	if err != nil {
		return nil, err
	}
	if err := a.asItIs(ctx); err != nil {
		return nil, err
	}
	d := a.damage()
	for i := range a.plan.Parts {
		kl, err := a.without(ctx, i)
		if err != nil {
			return nil, err
		}
		d.Parts = append(d.Parts, a.ablated(a.plan.Parts[i], kl))
	}
	sort.SliceStable(d.Parts, func(i, j int) bool { return d.Parts[i].Damage > d.Parts[j].Damage })
	return d, nil
}

// ablater is an [Ablation] that fits its model.
type ablater[F model.Float] struct {
	plan   Ablation
	model  *model.Transformer[F]
	words  *Words
	places [][]place // by part
	rounds int       // in which donors are drawn anew
	batch  int

	own   [][][]float64       // (words,T,V), the model's own predictions where they are the reference
	base  byGroup             // KL of the model as it is
	means map[place][]float64 // what each place is in the mean, run by run of place.rows
}

// byGroup is a sum over the words of each group, by position: (groups,T).
type byGroup [][]float64

func newAblater[F model.Float](m *model.Transformer[F], words *Words, plan Ablation) (*ablater[F], error) {
	if !slices.Contains(Withs(), string(plan.With)) {
		return nil, wrong("parts are replaced with %q, want one of %v", plan.With, Withs())
	}
	if err := words.check(m.Config); err != nil {
		return nil, err
	}
	if words.table != nil && words.table.Alphabet > m.Config.DVocab {
		return nil, wrong("the process has %d tokens, the model knows %d",
			words.table.Alphabet, m.Config.DVocab)
	}
	if plan.Parts == nil {
		plan.Parts = EachPart(m.Config)
	}
	if len(plan.Parts) == 0 {
		return nil, wrong("the model has no heads and no MLPs to ablate")
	}
	a := &ablater[F]{plan: plan, model: m, words: words, rounds: 1, batch: sideBySide(m.Config, words.Length)}
	for _, part := range plan.Parts {
		var places []place
		for _, s := range part.Sites {
			at, err := locate(m.Config, s, words.Length)
			if err != nil {
				return nil, wrong("%w", err)
			}
			places = append(places, at)
		}
		a.places = append(a.places, places)
	}
	if words.one() && plan.With == Mean {
		return nil, wrong("the mean of a part over one word is what it is there; " +
			"give more words, or replace parts with zeros")
	}
	if words.one() && plan.With == Resample {
		return nil, wrong("resampling takes what a part is over other words, and there is one")
	}
	if plan.With == Resample && words.groups == 1 { // whose error is that of drawing donors
		a.rounds = max(2, min(Groups, resampledTokens/(len(words.list)*words.Length)))
	}
	return a, nil
}
