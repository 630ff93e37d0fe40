package intervene

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"foretell/model"
)

// With is the replacement for an ablated activation.
type With string

// The choices of [With].
const (
	Zero     With = "zero"     // zeros
	Mean     With = "mean"     // the part's weighted mean over the sequences, at each position
	Resample With = "resample" // the part's value over a randomly drawn sequence, by the sequences' weights
)

// Withs lists the choices of [With].
func Withs() []string { return []string{string(Zero), string(Mean), string(Resample)} }

// Part is a set of activations that are ablated together.
type Part struct {
	Name  string
	Sites []Site
}

// Head returns the part that is a head's output. Layers, heads and positions count from
// 0.
func Head(layer, head int) Part { return partOf(Site{"z", layer, head, All}) }

// Attention returns the part that a layer's attention adds to the residual stream.
func Attention(layer int) Part { return partOf(Site{"attn_out", layer, All, All}) }

// MLP returns the part that a layer's MLP adds to the residual stream.
func MLP(layer int) Part { return partOf(Site{"mlp_out", layer, All, All}) }

// Embedding returns the part that is the residual stream before the first layer at a
// position.
func Embedding(position int) Part { return partOf(Site{residPre.name, 0, All, position}) }

func partOf(s Site) Part { return Part{s.String(), []Site{s}} }

// Together combines parts into one, to ablate them together.
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

// At restricts the part to one position.
func (p Part) At(position int) Part {
	sites := slices.Clone(p.Sites)
	for i := range sites {
		sites[i].Position = position
	}
	return Part{fmt.Sprintf("%s at %d", p.Name, position), sites}
}

// EachPart lists every head and every MLP of a model, layer by layer. A network
// without attention has neither; its parts are the activations of its layers. The
// configuration c must be resolved ([model.Config.Resolve]).
func EachPart(c model.Config) (parts []Part) {
	for layer := range c.NLayers {
		if !c.HasAttention() {
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

// resampledTokens is the approximate limit on the number of tokens that resampling runs
// over for one part. Resampling repeats all sequences in several rounds, each with other
// replacements: at least two, even if they exceed the limit.
const resampledTokens = 1 << 18

// Ablation specifies what [Ablate] does.
type Ablation struct {
	Parts   []Part // each ablated separately; nil means [EachPart]
	With    With
	Seed    uint64 // determines which sequences resampling draws
	Workers int    // goroutines that share the work; the result does not depend on it
}

// Damage is the result of ablating parts. KL is in nats, from the reference to the model,
// averaged over the sequences and their positions. The reference is the optimal
// prediction if the process is known.
type Damage struct {
	With      With   `json:"with"`
	Reference string `json:"reference"`           // [ToOptimal], or [ToModel]
	Length    int    `json:"length"`              // length of the sequences, in tokens
	Words     int    `json:"words"`               // number of different sequences used
	Sequences int    `json:"sequences,omitempty"` // number of sampled sequences; 0 if the sequences were not sampled

	KL           float64   `json:"kl"` // KL of the unchanged model
	KLError      float64   `json:"kl_error"`
	KLByPosition []float64 `json:"kl_by_position"` // KL after 1, 2, … tokens
	// Chance is the KL of the best constant prediction; nil if no process is known.
	Chance           *float64  `json:"chance_kl,omitempty"`
	ChanceByPosition []float64 `json:"chance_kl_by_position,omitempty"`

	Parts []Ablated `json:"parts"` // the most damaging first
}

// Ablated is the result for a model without a part.
type Ablated struct {
	Name         string    `json:"name"` // such as "head 0.1"
	Sites        []Site    `json:"sites"`
	KL           float64   `json:"kl"`
	KLError      float64   `json:"kl_error"`
	Damage       float64   `json:"damage"` // KL minus the KL of the unchanged model
	DamageError  float64   `json:"damage_error"`
	KLByPosition []float64 `json:"kl_by_position"`
}

// Ablate removes parts of a model, each separately, and measures how much this increases
// KL over sequences.
//
// It returns an error if the sequences do not fit the model, if the model has no such
// part or computes NaN or infinity ([model.ErrNotFinite]), if there is only one sequence
// but means or resampling need several, or if ctx is done.
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

// ablater is an [Ablation] that has been checked against its model.
type ablater[F model.Float] struct {
	plan   Ablation
	model  *model.Transformer[F]
	words  *Words
	places [][]place // the places of each part
	rounds int       // number of times that replacement sequences are drawn
	batch  int

	own   [][][]float64       // (sequences,T,V): the model's own predictions, if they are the reference
	base  byGroup             // KL of the unchanged model
	means map[place][]float64 // the mean activation at each place, in the order of place.rows
}

// byGroup holds a sum over the sequences of each group, by position: (groups,T).
type byGroup [][]float64

func newAblater[F model.Float](m *model.Transformer[F], words *Words, plan Ablation) (*ablater[F], error) {
	if !slices.Contains(Withs(), string(plan.With)) {
		return nil, wrong("cannot replace parts with %q; want one of %v", plan.With, Withs())
	}
	if err := words.check(m.Config); err != nil {
		return nil, err
	}
	if words.table != nil && words.table.Alphabet > m.Config.DVocab {
		return nil, wrong("the process has %d tokens, but the model has d_vocab = %d",
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
		return nil, wrong("the mean of a part over one sequence is its own value; " +
			"give more sequences, or replace parts with zeros")
	}
	if words.one() && plan.With == Resample {
		return nil, wrong("resampling needs other sequences, and only one is given; give more")
	}
	if plan.With == Resample && words.groups == 1 { // the error bar then comes from drawing replacements several times
		a.rounds = max(2, min(Groups, resampledTokens/(len(words.list)*words.Length)))
	}
	return a, nil
}
