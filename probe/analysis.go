package probe

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"foretell/model"
	"foretell/process"
)

// Plan specifies the features, targets and convention of an [Analysis].
type Plan struct {
	Features   []Features // inputs of the regressions; no two have the same name
	Targets    []Target   // outputs of the regressions; no two have the same name
	Convention Convention // how prefixes are weighted and regressions scored; the zero value is [Ours]

	// Keep keeps the features of every prefix in memory, 8 bytes a number, instead of
	// weighted sums over prefixes (moments). Regressions are then fitted to the kept rows,
	// for any number of conventions and targets: see [Analysis.Under].
	Keep bool
	// Patterns requests the mean attention patterns; see Analysis.Patterns.
	Patterns bool
	// Fixed replaces the attention of some heads by patterns that do not depend on tokens.
	// Layer and Head of an entry name the head, and Mean is the pattern, (T,T), which must
	// be causal and have rows that sum to one. Each head may be named once. See
	// [Analysis.AtMeanPatterns].
	Fixed []Pattern
	// Workers is the number of goroutines that run the model; 0 means the number of CPUs. No
	// result depends on it.
	Workers int
}

// Analysis is the result of one pass of a model over all prefixes: regressions of the
// targets, predictions for each prefix, principal components, attention patterns, and the
// divergence from the optimal prediction. Its methods may be called concurrently.
type Analysis struct {
	Plan     Plan
	Prefixes *process.Prefixes
	Patterns []Pattern // one for each head, layer by layer; nil unless Plan.Patterns is set

	model    *model.Transformer[float32] // nil without a model
	fixed    fixedPatterns
	weights  []float64 // (rows): weight of each prefix under the convention
	shares   Table     // (rows, folds): share of each prefix that is in each fold
	tables   []Table   // values of each target
	targets  []columns // columns of each target among the columns of all targets
	features []*studied

	// kl is Σ p·KL over the prefixes of each length, (T, folds). It has only one column if
	// rows are kept and prefixes are not sampled.
	kl Table
}

// studied is one entry of Plan.Features with the data that an analysis keeps for it.
type studied struct {
	Features
	width  int
	widths []int // width of each stage
	kept   Table // (rows, width): the features; empty unless Plan.Keep is set

	shift   []float64    // (width + columns of all targets): subtracted from each row before it is summed
	moments [][]*moments // [slot][fold], of the shifted rows

	fitting  sync.Mutex
	slots    []slot            // data for the fits of each slot; nil until computed
	readings []func() *Reading // for each target, computes its reading on the first call
}

// slot is a set of prefixes to which a convention makes one fit: all prefixes, or the
// prefixes of one length.
type slot struct {
	*validation
	shift   []float64 // like studied.shift
	weights []float64 // (rows): 0 for prefixes outside the slot; nil unless rows are kept
}

// Analyze runs m over every prefix in p, none of which may be longer than n_ctx, and
// analyses the activations as the plan specifies. If m is nil, only features that need no
// model are possible.
//
// Unless Plan.Keep is set, Analyze holds only the activations of a few hundred prefixes
// for each worker, and the moments. The moments of features and targets with w columns in
// total take 8·w² bytes for each fold (for each fold and position, if the convention fits
// each position). They are held once, and once more for each worker. Regressions give the
// same results with and without Keep, up to rounding.
//
// The result does not depend on the number of workers. Analyze returns an error if
// stages, prefixes or tokens do not fit the model, if two features or two targets have
// the same name, if a target does not exist for the prefixes, if activations are not
// finite, if the convention needs all prefixes and p is a sample, if the moments would
// need more than 2 GiB, or if ctx is done.
func Analyze(ctx context.Context, m *model.Transformer[float32], p *process.Prefixes, plan Plan) (*Analysis, error) {
	a, err := newAnalysis(ctx, m, p, plan)
	if err != nil {
		return nil, err
	}
	if plan.Keep {
		return a, a.keep(ctx)
	}
	return a, a.stream(ctx)
}

func newAnalysis(ctx context.Context, m *model.Transformer[float32], p *process.Prefixes, plan Plan) (
	*Analysis, error,
) {
	if plan.Workers == 0 {
		plan.Workers = runtime.GOMAXPROCS(0)
	}
	plan.Workers = max(1, plan.Workers)
	a := &Analysis{Plan: plan, Prefixes: p, model: m}
	if err := fits(m, p); err != nil {
		return nil, err
	}
	if err := a.fix(); err != nil {
		return nil, err
	}
	if err := a.weigh(ctx); err != nil {
		return nil, err
	}
	for i, f := range plan.Features {
		if slices.ContainsFunc(plan.Features[:i], f.named) {
			return nil, fmt.Errorf("probe: two features of the plan have the name %q", f.Name)
		}
		x := &studied{Features: f}
		if err := a.size(x); err != nil {
			return nil, err
		}
		a.study(x)
	}
	return a, nil
}

// weigh computes the targets, weights and folds.
func (a *Analysis) weigh(ctx context.Context) error {
	c, p := a.Plan.Convention, a.Prefixes
	if err := c.check(p); err != nil {
		return err
	}
	k := 0
	for i, target := range a.Plan.Targets {
		if slices.ContainsFunc(a.Plan.Targets[:i], target.named) {
			return fmt.Errorf("probe: two targets of the plan have the name %q", target.Name)
		}
		t, err := target.Of(ctx, p)
		if err != nil {
			return err
		}
		t.check(target.Name, p.Rows())
		a.tables = append(a.tables, t)
		a.targets = append(a.targets, columns{k, k + t.Width})
		k += t.Width
	}
	a.weights = c.weights(p)
	a.shares = c.shares(p, a.weights)
	return nil
}

// size sets x.width, the number of columns of the features.
func (a *Analysis) size(x *studied) error {
	if x.rows > 0 && x.rows != a.Prefixes.Rows() {
		panic(fmt.Sprintf("probe: the features %s have %d rows, but there are %d prefixes",
			x.Name, x.rows, a.Prefixes.Rows()))
	}
	if len(x.Stages) == 0 {
		x.width = x.Features.width
		return nil
	}
	if a.model == nil {
		return fmt.Errorf("probe: %s is a stage of a model, but no model is given", x.Name)
	}
	var err error
	x.widths, err = stageWidths(a.model, x.Stages)
	for _, d := range x.widths {
		x.width += d
	}
	return err
}

// study adds an entry of features. Its fits and readings are computed on demand.
func (a *Analysis) study(x *studied) {
	x.readings = nil
	for target := range a.targets {
		x.readings = append(x.readings, sync.OnceValue(func() *Reading { return a.read(x, target) }))
	}
	a.features = append(a.features, x)
}

// entry returns the data for features of the plan. It panics if the plan has no features
// of that name.
func (a *Analysis) entry(f Features) *studied {
	i := slices.IndexFunc(a.Plan.Features, f.named)
	if i < 0 {
		panic(fmt.Sprintf("probe: the plan has no features with the name %q", f.Name))
	}
	return a.features[i]
}

// targetIndex returns the index of a target in the plan. It panics if the plan has no
// target of that name.
func (a *Analysis) targetIndex(t Target) int {
	i := slices.IndexFunc(a.Plan.Targets, t.named)
	if i < 0 {
		panic(fmt.Sprintf("probe: the plan has no target with the name %q", t.Name))
	}
	return i
}

// stageWidths returns the widths of stages. It returns an error unless each stage is an
// activation of the residual stream of m, (B,T,d_model). If layers do not add to the
// stream, the width may differ from d_model.
func stageWidths(m *model.Transformer[float32], stages []string) (widths []int, err error) {
	_, cache, err := m.RunWithCache([]int32{0}, 1, stages...)
	if err != nil {
		return nil, err
	}
	for _, name := range stages {
		shape := cache.Get(name).Shape
		if len(shape) != 3 || m.Config.AddsToStream() && shape[2] != m.Config.DModel {
			return nil, fmt.Errorf("probe: %s is not an activation of width d_model = %d: "+
				"its shape is %v for one token", name, m.Config.DModel, shape)
		}
		widths = append(widths, shape[2])
	}
	return widths, nil
}

// sweep is [Sweep] with the hooks of all features. It also sums the attention patterns if
// requested.
func (a *Analysis) sweep(ctx context.Context, begin func() (visit func(*Pass), end func())) error {
	hooks := a.hooks()
	if !a.Plan.Patterns || a.model == nil {
		return a.forward(hooks).sweep(ctx, a.Plan.Workers, begin)
	}
	total := newPatternMoments(a.model.Config, a.Prefixes.Length)
	hooks = append(hooks, total.hooks()...)
	err := a.forward(hooks).sweep(ctx, a.Plan.Workers, func() (func(*Pass), func()) {
		visit, end := begin()
		patterns := newPatternMoments(a.model.Config, a.Prefixes.Length)
		return func(pass *Pass) { visit(pass); patterns.add(pass, a.Prefixes) },
			func() { end(); total.merge(patterns) }
	})
	a.Patterns = total.patterns()
	return err
}

// forward returns a forward pass that uses the fixed patterns and records the activations
// of the given hook names.
func (a *Analysis) forward(hooks []string) forward {
	return forward{model: a.model, prefixes: a.Prefixes, hooks: hooks, fixed: a.fixed}
}

// hooks lists the hook names of the stages of all features, each once.
func (a *Analysis) hooks() (hooks []string) {
	for _, x := range a.features {
		for _, hook := range x.Stages {
			if !slices.Contains(hooks, hook) {
				hooks = append(hooks, hook)
			}
		}
	}
	return hooks
}

// writer returns a function that writes the features of one prefix to z, (width). The
// prefix is entry i of a span in the given pass.
func (x *studied) writer(pass *Pass) func(z []float64, span Span, i int) {
	if x.row != nil {
		return func(z []float64, span Span, i int) { x.row(z, span.Row+i) }
	}
	var stages [][]float32
	for _, hook := range x.Stages {
		stages = append(stages, pass.Activation(hook).Data)
	}
	return func(z []float64, span Span, i int) {
		at := 0
		for j, data := range stages {
			d := x.widths[j]
			for a, v := range data[(span.Node+i)*d:][:d] {
				z[at+a] = float64(v)
			}
			at += d
		}
	}
}

// Principal returns the principal components of features of the plan, with the
// convention's weights.
func (a *Analysis) Principal(of Features) *Principal {
	x := a.entry(of)
	if a.Plan.Keep {
		mean, _ := x.kept.weightedMean(x.Name, a.weights) // keep has checked that it is finite
		return momentsOf([]Table{x.kept}, mean, a.weights).principal(x.width, mean)
	}
	total := newMoments(len(x.shift))
	for _, folds := range x.moments {
		for _, m := range folds {
			total = total.plus(1, m)
		}
	}
	return total.principal(x.width, x.shift)
}

// Predict returns a prediction of the target for each prefix, (rows, columns of the
// target), from the fit of [Analysis.Regress] to all prefixes. It includes prefixes that
// cannot occur. Unless Plan.Keep is set, Predict runs the model once more, and returns an
// error if ctx is done.
func (a *Analysis) Predict(ctx context.Context, target Target, on Features) (Table, error) {
	x, p, width := a.entry(on), a.Prefixes, a.tables[a.targetIndex(target)].Width
	var predict []func(y, x []float64)
	for _, fit := range a.Regress(target, on).Fits {
		predict = append(predict, fit.predictor())
	}
	read := Table{Data: make([]float64, p.Rows()*width), Width: width}
	if a.Plan.Keep {
		for length := 1; length <= p.Length; length++ {
			from, to := p.Range(length)
			for row := from; row < to; row++ {
				predict[a.Plan.Convention.slot(length)](read.Row(row), x.kept.Row(row))
			}
		}
		return read, nil
	}
	return read, a.forward(x.Stages).sweep(ctx, a.Plan.Workers, func() (func(*Pass), func()) {
		z := make([]float64, x.width)
		visit := func(pass *Pass) {
			write := x.writer(pass)
			for _, span := range pass.Spans {
				for i := range span.N {
					write(z, span, i)
					predict[a.Plan.Convention.slot(span.Length)](read.Row(span.Row+i), z)
				}
			}
		}
		return visit, func() {}
	})
}

// KLByPosition returns the divergence from the optimal next-token distribution to the
// model's, in nats, averaged over the prefixes of each length, weighted by probability.
// The standard error is the sampling error if the prefixes come from sampled sequences,
// and 0 otherwise. Without a model it returns nil.
func (a *Analysis) KLByPosition() []Estimate {
	if a.model == nil {
		return nil
	}
	list := make([]Estimate, a.kl.Rows())
	for t := range list {
		list[t] = a.divergence(a.kl.Row(t))
	}
	return list
}

// KL returns the divergence of [Analysis.KLByPosition] averaged over positions, or NaN
// without a model.
func (a *Analysis) KL() Estimate {
	if a.model == nil {
		return Estimate{Mean: math.NaN()}
	}
	sum := make([]float64, a.kl.Width)
	for t := range a.kl.Rows() {
		for f, kl := range a.kl.Row(t) {
			sum[f] += kl / float64(a.kl.Rows())
		}
	}
	return a.divergence(sum)
}
