package inspect

import (
	"context"
	"fmt"

	"foretell/curves"
	"foretell/document"
	"foretell/model"
	"foretell/probe"
	"foretell/process"
	"foretell/run"
	"foretell/theory"
)

// Portrait describes a model next to the optimal predictor: how well a target, such as
// the optimal observer's belief, can be read by linear regression from each stage of the
// model's residual stream, with controls; attention by lag; KL by position; and how the
// model was trained.
type Portrait struct {
	Model   string          `json:"model"`   // the path under which the model was opened
	Process string          `json:"process"` // its name, with the parameters given in the run's configuration
	Facts   []document.Fact `json:"facts"`   // about the model, its training and the regressions

	Target     string `json:"target"`
	Convention string `json:"convention"` // how R² is computed, see [probe.Convention]
	Words      int    `json:"words"`      // number of sequences used
	Sequences  int    `json:"sequences,omitempty"`
	Length     int    `json:"length"` // tokens in the longest sequence
	// Unread is the reason why Stages is empty, for example that the target does not vary;
	// else "".
	Unread string          `json:"unread,omitempty"`
	Stages []PortraitStage `json:"stages"`
	// NextToken is the R² of reading the target from the optimal next-token distribution. It
	// is nil if the target is this distribution itself.
	NextToken *probe.Estimate  `json:"r2_next_token,omitempty"`
	KL        []probe.Estimate `json:"kl_by_position"` // nats, after sequences of 1, 2, … tokens
	Attention []HeadByLag      `json:"attention_by_lag,omitempty"`
	// Theory is the attention that builds the constrained beliefs of the process, for a
	// model with one layer of attention.
	Theory []HeadByLag `json:"attention_of_theory,omitempty"`
	// Curves are the learning curves of the run, or nil if the model does not come from a
	// run or the curves are left out. NoCurves is the reason why they are left out, or "".
	Curves   *curves.Set `json:"curves,omitempty"`
	NoCurves string      `json:"no_curves,omitempty"`

	// LastFlag is what a reader writes to score the last position alone. Texts do not
	// mention it if it is empty.
	LastFlag string `json:"-"`

	target probe.Target
	source process.Process
	config model.Config
	seen   *pictured
	along  bool // whether the points have principal components, see AddComponents
}

// PortraitStage describes how well the target can be read from a stage of the residual
// stream.
type PortraitStage struct {
	Stage    string         `json:"stage"` // its hook name
	R2       probe.Estimate `json:"r2"`
	RMSE     float64        `json:"rmse"`
	Shuffled probe.Estimate `json:"r2_shuffled"` // R² after targets are assigned to other sequences
	// Random holds the R² of the same stage of untrained models, the run's own
	// initialisation first. It is nil for a hand-written model.
	Random []float64 `json:"r2_random_init,omitempty"`
	// Shares are the shares of the variance of the stage's activations along their first
	// three principal components. They are nil without [Portrait.AddComponents].
	Shares []float64 `json:"variance_shares,omitempty"`
}

// HeadByLag is a head's attention from the last position to earlier ones, averaged over
// sequences.
type HeadByLag struct {
	Layer int       `json:"layer"`
	Head  int       `json:"head"`
	Mean  []float64 `json:"mean"`         // mean attention at lags 0, 1, …
	SD    []float64 `json:"sd,omitempty"` // standard deviation over sequences
}

const (
	untrainedModels = 3       // number of untrained models, each with its own seed, that serve as a control
	mostUntrained   = 512     // with more activations per position, only one untrained model is used
	mostKept        = 1 << 25 // numbers in the activations kept in memory, 256 MiB
)

// Portray examines a model, trained or written by hand, over sequences of 1 … length
// tokens, where length 0 means its n_ctx. Target, convention and workers are those in q.
// If no target is given, it is the beliefs of a process that has them, or else the
// next-token distributions. It returns the errors of [probe.Question.Words] and
// [probe.Analyze], and an error for a model without a process. A target that does not
// vary is not an error; [Portrait].Unread then says that it does not.
func Portray(ctx context.Context, m *Model, q probe.Question, length int) (*Portrait, error) {
	source, err := m.Process()
	if err != nil {
		return nil, err
	}
	if length == 0 {
		length = m.Config().NCtx
	}
	if q.Target.Name == "" {
		q.Target = beliefsOf(source)
	}
	words, err := q.Words(ctx, source, length)
	if err != nil {
		return nil, err
	}
	p := &Portrait{
		Model: m.Path, Target: q.Target.Name, Convention: q.Convention.String(), Words: occurring(words),
		Sequences: words.Sequences, Length: words.Length, Stages: []PortraitStage{},
		target: q.Target, source: source, config: m.Config(),
	}
	if err := p.look(ctx, m, words, q); err != nil {
		return nil, err
	}
	p.Theory = theoryByLag(ctx, source, m.Config(), words.Length)
	p.addRun(m)
	p.addFacts(ctx, m)
	return p, nil
}

// AddComponents adds, to .json, the shares of the variance of each stage's activations
// along their first three principal components and, to .csv, the coordinates of each
// sequence along them. It adds nothing if there is nothing to read.
func (p *Portrait) AddComponents() {
	if p.along = p.seen != nil; !p.along {
		return
	}
	for i := range p.Stages {
		p.Stages[i].Shares = p.seen.shares[i][:]
	}
}

// occurring returns the number of sequences of positive probability.
func occurring(p *process.Prefixes) (n int) {
	for _, prob := range p.Prob {
		if prob > 0 {
			n++
		}
	}
	return n
}

// look runs the model over sequences and fills in KL, Attention, Stages and the data of
// the figures.
func (p *Portrait) look(ctx context.Context, m *Model, words *process.Prefixes, q probe.Question) error {
	trained, hooks := m.network.inFloat32(), m.Config().ResidualStages()
	varies, err := p.target.Varies(ctx, words)
	if err != nil {
		return err
	}
	plan := probe.Plan{
		Features: probe.Stages(hooks...), Convention: q.Convention, Workers: q.Workers,
		Patterns: m.Config().HasAttention(),
	}
	if varies {
		plan.Targets = []probe.Target{p.target, probe.Shuffled(p.target)}
	} else {
		p.Unread = (&probe.ConstantError{Target: p.target}).Error()
	}
	a, err := probe.Analyze(ctx, trained, words, plan)
	if err != nil {
		return err
	}
	p.KL = a.KLByPosition()
	p.Attention = byLag(a.Patterns)
	if !varies {
		return nil
	}
	if err := p.score(ctx, a, m, q); err != nil {
		return err
	}
	return p.picture(ctx, a, trained)
}

// stageNumbers returns the total number of activations at the given stages, for one
// position.
func stageNumbers(m *model.Transformer[float32], hooks []string) (n int, err error) {
	_, cache, err := m.RunWithCache([]int32{0}, 1, hooks...)
	if err != nil {
		return 0, err
	}
	for _, hook := range hooks {
		n += len(cache.Get(hook).Data)
	}
	return n, nil
}

// score computes how well regressions read the target from each stage and from the
// controls, and stores the results in p.
func (p *Portrait) score(ctx context.Context, a *probe.Analysis, m *Model, q probe.Question) error {
	if err := a.Fit(ctx); err != nil {
		return err
	}
	for _, f := range a.Plan.Features {
		r, shuffled := a.Regress(p.target, f), a.Regress(probe.Shuffled(p.target), f)
		p.Stages = append(p.Stages, PortraitStage{
			Stage: f.Name, R2: estimateOf(r), RMSE: r.RMSE, Shuffled: estimateOf(shuffled),
		})
	}
	if p.target.Name != probe.NextTokens.Name {
		next := probe.Plan{Features: []probe.Features{probe.NextTokenFeatures(a.Prefixes)}}
		found, err := p.fit(ctx, nil, a.Prefixes, next, q)
		if err != nil {
			return err
		}
		p.NextToken = &found[0]
	}
	own, err := m.InitialSeed()
	if err != nil { // a hand-written model
		return nil
	}
	number, trained := untrainedModels, m.network.inFloat32()
	if width, err := stageNumbers(trained, m.Config().ResidualStages()); err != nil || width > mostUntrained {
		number = 1
	}
	for seed := range uint64(number) {
		untrained, err := model.New[float32](m.Config(), own+seed)
		if err != nil {
			return err
		}
		found, err := p.fit(ctx, untrained, a.Prefixes, probe.Plan{Features: a.Plan.Features}, q)
		if err != nil {
			return err
		}
		for i := range p.Stages {
			p.Stages[i].Random = append(p.Stages[i].Random, found[i].Mean)
		}
	}
	return nil
}

// fit returns the R² of reading the target from each of the features of a plan. m is nil
// if the features do not need a model.
func (p *Portrait) fit(ctx context.Context, m *model.Transformer[float32], words *process.Prefixes, plan probe.Plan,
	q probe.Question,
) (list []probe.Estimate, err error) {
	plan.Targets, plan.Convention, plan.Workers = []probe.Target{p.target}, q.Convention, q.Workers
	a, err := probe.Analyze(ctx, m, words, plan)
	if err != nil {
		return nil, err
	}
	if err := a.Fit(ctx); err != nil {
		return nil, err
	}
	for _, f := range plan.Features {
		list = append(list, estimateOf(a.Regress(p.target, f)))
	}
	return list, nil
}

func estimateOf(r *probe.Reading) probe.Estimate { return probe.Estimate{Mean: r.R2, Error: r.R2Error} }

// byLag returns the last row of each head's attention pattern, by lag.
func byLag(patterns []probe.Pattern) (heads []HeadByLag) {
	for _, a := range patterns {
		h := HeadByLag{Layer: a.Layer, Head: a.Head}
		for lag := range a.T {
			at := a.T*a.T - 1 - lag
			h.Mean = append(h.Mean, a.Mean[at])
			h.SD = append(h.SD, a.SD[at])
		}
		heads = append(heads, h)
	}
	return heads
}

// theoryByLag returns the attention that theory predicts for one layer. It returns nil if
// this is not known, if it takes too many heads to draw, or if the model does not have
// exactly one layer of attention.
func theoryByLag(ctx context.Context, source process.Process, c model.Config, length int) (heads []HeadByLag) {
	hmm, ok := source.(*process.HMM)
	if !ok || !c.HasAttention() || c.NLayers != 1 {
		return nil
	}
	spectrum, err := theory.Of(hmm).Spectrum(ctx)
	if err != nil || spectrum.Heads().Belief > len(dashes) {
		return nil
	}
	for i, head := range spectrum.Attention(length).Heads {
		h := HeadByLag{Head: i}
		for lag := range length {
			h.Mean = append(h.Mean, head.Pattern[length*length-1-lag])
		}
		heads = append(heads, h)
	}
	return heads
}

// addRun adds the learning curves, if the model comes from a run.
func (p *Portrait) addRun(m *Model) {
	info, ok := run.Describe(m.Path)
	if !ok || info.Steps == 0 || m.byHand {
		return
	}
	var err error
	if p.Curves, err = curves.ReadRun(m.Path); err != nil {
		p.NoCurves = err.Error()
	}
}

// sampled describes the sequences that the portrait uses.
func (p *Portrait) sampled() string { return wordsText(p.Words, p.Sequences, p.Length) }

// wordsText describes n sequences of 1 … length tokens: all that a process can produce,
// or the prefixes of sampled sequences if their number is not 0.
func wordsText(n, sampled, length int) string {
	if sampled > 0 {
		return fmt.Sprintf("%d prefixes of %d sampled sequences of %d tokens", n, sampled, length)
	}
	return fmt.Sprintf("all %d sequences of up to %d tokens", n, length)
}
