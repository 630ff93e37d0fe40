package inspect

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"foretell/internal/page"
	"foretell/internal/strict"
	"foretell/model"
	"foretell/probe"
	"foretell/process"
	"foretell/run"
)

// Portrait is what there is to see of a model beside the optimal predictor: what is read
// from each stage of its residual stream, with controls, attention by lag, the divergence
// by position, and how it was trained. [Portrait.Figure] draws the stages,
// [Portrait.HTML] is a page of all.
type Portrait struct {
	Model   string      `json:"model"`   // the path by which it was opened
	Process string      `json:"process"` // with its parameters
	Facts   []page.Fact `json:"facts"`   // of model, training and what was looked at

	Target     string `json:"target"`
	Convention string `json:"convention"` // of R²
	Words      int    `json:"words"`      // that were looked at
	Sequences  int    `json:"sequences,omitempty"`
	Length     int    `json:"length"` // of the longest words
	// Unread says why there are no stages: there is nothing to read.
	Unread string          `json:"unread,omitempty"`
	Stages []PortraitStage `json:"stages"`
	// NextToken is R² from the optimal next-token distribution, nil where that is what is
	// read.
	NextToken *probe.Estimate  `json:"r2_next_token,omitempty"`
	KL        []probe.Estimate `json:"kl_by_position"` // nats, after words of 1, 2, … tokens
	Attention []HeadByLag      `json:"attention_by_lag,omitempty"`
	// Theory is the attention that builds the constrained beliefs of the process, of a
	// model with one layer of attention.
	Theory []HeadByLag `json:"attention_of_theory,omitempty"`
	// Curves are those of the run, nil of a model that is no run's; NoCurves says why a
	// run's are left out.
	Curves   *Curves `json:"curves,omitempty"`
	NoCurves string  `json:"no_curves,omitempty"`

	target probe.Target
	source process.Process
	seen   *pictured
}

// PortraitStage is how well the target is read from a stage of the residual stream.
type PortraitStage struct {
	Stage    string         `json:"stage"` // its hook name
	R2       probe.Estimate `json:"r2"`
	RMSE     float64        `json:"rmse"`
	Shuffled probe.Estimate `json:"r2_shuffled"` // of the target dealt out to other words
	// Random are R² from the same stage of untrained models, the run's own initialisation
	// first; none of a model that is written by hand.
	Random []float64 `json:"r2_random_init,omitempty"`
}

// HeadByLag is what a head attends to from the last position, a mean over the words.
type HeadByLag struct {
	Layer int       `json:"layer"`
	Head  int       `json:"head"`
	Mean  []float64 `json:"mean"`         // at the lags 0, 1, …
	SD    []float64 `json:"sd,omitempty"` // over the words
}

const (
	untrainedModels = 3       // seeds of the control
	mostUntrained   = 512     // numbers of a word's activations, up to which there are several
	mostKept        = 1 << 25 // numbers of activations that are held, 256 MiB
)

// Portray looks at a model, trained or written by hand, over the words of 1 … length
// tokens (its n_ctx if that is 0), as a question has it: its target, convention and
// workers. Without a target these are the beliefs of a process that has them, else the
// next-token distributions. Errors are those of [probe.Question.Words] and
// [probe.Analyze], and that of a model without a process; a target that does not vary is
// none: the portrait then says so in Unread.
func Portray(ctx context.Context, m *Model, q probe.Question, length int) (*Portrait, error) {
	source, err := m.Process()
	if err != nil {
		return nil, err
	}
	if length == 0 {
		length = m.Config().NCtx
	}
	if q.Target.Name == "" {
		q.Target = probe.Beliefs
		if o, ok := source.(process.Observer); !ok || len(o.States()) == 0 {
			q.Target = probe.NextTokens
		}
	}
	words, err := q.Words(ctx, source, length)
	if err != nil {
		return nil, err
	}
	p := &Portrait{
		Model: m.Path, Target: q.Target.Name, Convention: q.Convention.String(), Words: occurring(words),
		Sequences: words.Sequences, Length: words.Length, Stages: []PortraitStage{}, target: q.Target, source: source,
	}
	if err := p.look(ctx, m, words, q); err != nil {
		return nil, err
	}
	p.Theory = theoryByLag(ctx, source, m.Config(), words.Length)
	p.addRun(ctx, m)
	p.addFacts(ctx, m)
	return p, nil
}

// occurring is how many words can occur.
func occurring(p *process.Prefixes) (n int) {
	for _, prob := range p.Prob {
		if prob > 0 {
			n++
		}
	}
	return n
}

// float32Of is the model in the precision of analyses.
func (m *Model) float32Of() *model.Transformer[float32] {
	if m.Crafted != nil {
		return model.Convert[float32](m.Crafted.Model)
	}
	return m.Trained.Model
}

// look runs the model over the words, and what stands beside it.
func (p *Portrait) look(ctx context.Context, m *Model, words *process.Prefixes, q probe.Question) error {
	trained, hooks := m.float32Of(), m.Config().ResidualStages()
	varies, err := p.target.Varies(ctx, words)
	if err != nil {
		return err
	}
	plan := probe.Plan{
		Features: probe.Stages(hooks...), Convention: q.Convention, Workers: q.Workers, Patterns: !m.Config().Flat(),
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

// stageNumbers is how many numbers the stages of a word are.
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

// score reads the target from each stage, beside the controls.
func (p *Portrait) score(ctx context.Context, a *probe.Analysis, m *Model, q probe.Question) error {
	if err := a.Fit(ctx); err != nil {
		return err
	}
	for i, f := range a.Plan.Features {
		r, shuffled := a.Regress(i, 0), a.Regress(i, 1)
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
	if m.Crafted != nil {
		return nil
	}
	number := untrainedModels
	if width, err := stageNumbers(m.Trained.Model, m.Config().ResidualStages()); err != nil || width > mostUntrained {
		number = 1
	}
	for seed := range uint64(number) {
		untrained, err := model.New[float32](m.Config(), m.Trained.Seed+seed)
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

// fit reads the target from the features of a plan.
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
	for i := range plan.Features {
		list = append(list, estimateOf(a.Regress(i, 0)))
	}
	return list, nil
}

func estimateOf(r *probe.Reading) probe.Estimate { return probe.Estimate{Mean: r.R2, Error: r.R2Error} }

// byLag takes the last row of attention patterns.
func byLag(patterns []probe.Pattern) (heads []HeadByLag) {
	for _, a := range patterns {
		h := HeadByLag{Layer: a.Layer, Head: a.Head}
		for lag := range a.T {
			at := a.T*a.T - 1 - lag
			h.Mean, h.SD = append(h.Mean, a.Mean[at]), append(h.SD, a.SD[at])
		}
		heads = append(heads, h)
	}
	return heads
}

// theoryByLag is the attention that theory asks for of one layer, none where it is not
// known or the model is another.
func theoryByLag(ctx context.Context, source process.Process, c model.Config, length int) (heads []HeadByLag) {
	spectral, ok := source.(process.Spectral)
	if !ok || c.Flat() || c.NLayers != 1 {
		return nil
	}
	spectrum, err := spectral.Spectrum(ctx)
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

// addRun reads how the model was trained, if it is a run's.
func (p *Portrait) addRun(ctx context.Context, m *Model) {
	if m.Trained == nil {
		return
	}
	info, ok := run.Describe(m.Path)
	if !ok || info.Steps == 0 {
		return
	}
	curve, err := readCurve(ctx, m.Path)
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			p.NoCurves = err.Error()
		}
		return
	}
	p.Curves = &Curves{Runs: []RunCurve{curve}, SameFloor: true}
	p.Curves.label()
}

// settings lists those of a part of the run's configuration in a line.
func (p *Portrait) settings(prefix string) string {
	if p.Curves == nil {
		return ""
	}
	return listed(p.Curves.Runs[0].settings, prefix)
}

func listed(settings []strict.Setting, prefix string) (text string) {
	for _, s := range settings {
		if name, ok := strings.CutPrefix(s.Path, prefix); ok {
			if text != "" {
				text += ", "
			}
			text += name + " " + s.Text
		}
	}
	return text
}

// sampled says of what words a portrait is.
func (p *Portrait) sampled() string {
	if p.Sequences > 0 {
		return fmt.Sprintf("%d words that begin %d sampled sequences of %d tokens", p.Words, p.Sequences, p.Length)
	}
	return fmt.Sprintf("all %d words of up to %d tokens", p.Words, p.Length)
}
