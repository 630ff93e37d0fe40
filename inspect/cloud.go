package inspect

import (
	"context"
	"fmt"
	"image/color"

	"foretell/probe"
	"foretell/process"
)

// Cloud is the sequences of a process as points in a plane: where their true beliefs are
// and, for a model, where a regression on each stage of its residual stream reads them.
// It has the coordinates of the pictures of [Portrait] and the R² of its stages, without
// the controls, so that a page can follow a training run or a parameter that is moved.
type Cloud struct {
	Process  string
	Target   string            // name of the target
	Words    *process.Prefixes // the sequences
	Rows     []int             // the row in Words of each point
	Colours  []color.NRGBA     // of each point, by its true belief
	Vertices []string          // names of the triangle's corners; nil for a plane
	X, Y     string            // names of the axes; empty for the triangle
	Layers   []CloudLayer      // the true values first
	KL       float64           // mean over positions, nats; 0 without a model
}

// CloudLayer is a place for each point of a cloud.
type CloudLayer struct {
	Name  string          // such as "optimal beliefs" or "after the MLP"
	Stage string          // hook name of the stage; empty for true values
	R2    *probe.Estimate // of reading the target from the stage; nil for true values
	// Shares are the shares of the variance along the three coordinates, see
	// [Model.PlaceComponents]; nil for true values and readings.
	Shares []float64
	At     probe.Table // two coordinates for each point; three in [Model.PlaceComponents]
}

// PlaceProcess returns the true beliefs of a process after all sequences of up to length
// tokens, and the constrained beliefs, which one layer of attention can build. For a
// process without hidden states it returns the next-token distributions. If there are too
// many sequences, it shortens them; length 0 means as long as possible.
func PlaceProcess(ctx context.Context, p process.Process, length, most int) (*Cloud, error) {
	target := beliefsOf(p)
	words, err := wordsUpTo(ctx, p, length, most)
	if err != nil {
		return nil, err
	}
	about := &Portrait{target: target, source: p}
	s, err := about.truths(ctx, words)
	if err != nil {
		return nil, err
	}
	targets := []probe.Target{target}
	if target.Name == probe.Beliefs.Name {
		targets = append(targets, probe.Constrained)
	}
	for _, t := range targets {
		data, err := t.Of(ctx, words)
		if err == nil {
			s.truths = append(s.truths, truth{name: titleOf(t), data: s.of(data)})
		}
	}
	return s.cloud(p.Name()), ctx.Err()
}

// Place returns the true beliefs after sequences of up to length tokens and what
// regressions read from the stages with the given hook names, nil for all stages of the
// residual stream. [Portray] with the same length has the same R². length 0 means n_ctx.
// If there are more than most sequences, they are shortened.
func (m *Model) Place(ctx context.Context, stages []string, length, most int) (*Cloud, error) {
	p, err := m.placing(ctx, stages, length, most)
	if err != nil {
		return nil, err
	}
	varies, err := p.about.target.Varies(ctx, p.Prefixes)
	if err != nil || !varies {
		return p.cloud, err
	}
	if err := p.Fit(ctx); err != nil {
		return nil, err
	}
	for _, f := range p.Plan.Features {
		r := p.Regress(p.about.target, f)
		at, _, _ := p.seen.coordinates(p.seen.read(r.Fits, p.seen.of(p.Table(f))))
		r2 := estimateOf(r)
		p.add(CloudLayer{Stage: f.Name, R2: &r2, At: at})
	}
	return p.cloud, nil
}

// PlaceComponents is [Model.Place] with three coordinates for each point: the activations
// of each stage along their first three principal components, and the true beliefs along
// theirs. [Portrait.AddComponents] has the same coordinates.
func (m *Model) PlaceComponents(ctx context.Context, stages []string, length, most int) (*Cloud, error) {
	p, err := m.placing(ctx, stages, length, most)
	if err != nil {
		return nil, err
	}
	truth := sharesOf(p.seen.principal)
	p.cloud.Vertices, p.cloud.X, p.cloud.Y = nil, "first principal component", "second"
	p.cloud.Layers[0].At = onto(p.seen.principal, p.seen.truth, 3)
	p.cloud.Layers[0].Shares = truth[:]
	for _, f := range p.Plan.Features {
		c := p.Principal(f)
		shares := sharesOf(c)
		p.add(CloudLayer{Stage: f.Name, Shares: shares[:], At: onto(c, p.seen.of(p.Table(f)), 3)})
	}
	return p.cloud, nil
}

// placement is a cloud of the true values to which the stages of a model are added.
type placement struct {
	*probe.Analysis
	about *Portrait
	seen  *pictured
	cloud *Cloud
}

// placing runs the model over the sequences of [Model.Place].
func (m *Model) placing(ctx context.Context, stages []string, length, most int) (*placement, error) {
	source, err := m.Process()
	if err != nil {
		return nil, err
	}
	n := m.Config().NCtx
	if length > 0 {
		n = min(n, length)
	}
	words, err := wordsUpTo(ctx, source, n, most)
	if err != nil {
		return nil, err
	}
	if stages == nil {
		stages = m.Config().ResidualStages()
	}
	p := &placement{about: &Portrait{target: beliefsOf(source), source: source, config: m.Config()}}
	p.Analysis, err = probe.Analyze(ctx, m.network.inFloat32(), words, probe.Plan{
		Features: probe.Stages(stages...), Targets: []probe.Target{p.about.target}, Keep: true, Workers: 1,
	})
	if err != nil {
		return nil, err
	}
	if p.seen, err = p.about.truths(ctx, words); err != nil {
		return nil, err
	}
	p.seen.truths = []truth{{name: titleOf(p.about.target), data: p.seen.truth}}
	p.cloud = p.seen.cloud(source.Name())
	for _, e := range p.KLByPosition() {
		p.cloud.KL += e.Mean / float64(words.Length)
	}
	return p, nil
}

// add adds a stage, with its name in words.
func (p *placement) add(layer CloudLayer) {
	layer.Name = stageTitle(p.about.config, layer.Stage)
	p.cloud.Layers = append(p.cloud.Layers, layer)
}

// beliefsOf returns the target that pictures of a process show: the beliefs if it has
// hidden states, else the next-token distributions.
func beliefsOf(p process.Process) probe.Target {
	if o, ok := p.(process.Observer); ok && len(o.States()) > 0 {
		return probe.Beliefs
	}
	return probe.NextTokens
}

// titleOf names the true values of a target.
func titleOf(t probe.Target) string {
	if t.Name == probe.Constrained.Name {
		return t.Title
	}
	return "optimal " + t.Title
}

// wordsUpTo returns all sequences of up to length tokens, or of up to the largest length
// at which they are at most `most`.
func wordsUpTo(ctx context.Context, p process.Process, length, most int) (*process.Prefixes, error) {
	const longest = 64 // an alphabet of one token has only one sequence of each length
	fits := probe.LongestWords(p, most, longest)
	if fits < 1 {
		return nil, fmt.Errorf("%s: its sequences of one token are already more than %d", p.Name(), most)
	}
	if length > 0 {
		fits = min(fits, length)
	}
	return process.Words(ctx, p, fits)
}

// truths returns the sequences of positive probability with the true values of the
// target.
func (p *Portrait) truths(ctx context.Context, words *process.Prefixes) (*pictured, error) {
	s := &pictured{words: words, names: p.columns(), target: p.target}
	for row, prob := range words.Prob {
		if prob > 0 {
			s.rows = append(s.rows, row)
		}
	}
	data, err := p.target.Of(ctx, words)
	if err != nil {
		return nil, err
	}
	s.truth = s.of(data)
	if s.principal, err = probe.PrincipalComponents(s.truth, nil); err != nil {
		return nil, err
	}
	s.chooseColours(ctx)
	return s, nil
}

// cloud returns the points of the true values.
func (s *pictured) cloud(process string) *Cloud {
	c := &Cloud{Process: process, Target: s.target.Name, Words: s.words, Rows: s.rows}
	if s.triangular() {
		c.Vertices = s.names
	}
	for _, t := range s.truths {
		layer := CloudLayer{Name: t.name}
		layer.At, c.X, c.Y = s.coordinates(t.data)
		c.Layers = append(c.Layers, layer)
	}
	for i := range s.tint.Rows() {
		c.Colours = append(c.Colours, s.colour(s.tint.Row(i)))
	}
	return c
}
