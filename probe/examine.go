package probe

import (
	"context"
	"fmt"

	"foretell/model"
	"foretell/process"
)

// SteeredPairs is the number of pairs of prefixes that [Analysis.SteerEach] uses.
const SteeredPairs = 1024

const (
	steerSeed      = 1
	allStages      = "all stages"
	mostMarkov     = 512 // largest number of contexts of a Markov control
	longestContext = 3   // longest context of the Markov controls, in tokens
)

// Question specifies what [Examine] measures. The zero value reads the beliefs under the
// convention [Ours].
type Question struct {
	Target     Target     // the target to read; the zero value means [Beliefs]
	Convention Convention // how prefixes are weighted and regressions scored
	SideBySide bool       // also read the target from all stages concatenated
	Steer      bool       // also change the activations, see [Analysis.SteerEach]; beliefs only
	Workers    int        // as in [Plan]
}

// Subject is a model to examine.
type Subject struct {
	Model *model.Transformer[float32]
	Seed  uint64 // seed of the model's initialisation, which is used as a control
}

// Examine measures how well a target can be read, by linear regression over the prefixes
// p, from every stage of a model's residual stream. It adds the controls that make such a
// number meaningful: the same stages of the model's random initialisation, the shuffled
// target, the optimal next-token distribution, and the last few tokens. See
// [Question.Words] for the prefixes.
//
// It returns a [ConstantError] if the target does not vary, an error if q.Steer is set
// and the target is not [Beliefs], and the errors of [Analyze].
func Examine(ctx context.Context, s Subject, p *process.Prefixes, q Question) (*Report, error) {
	reports, err := ExamineEach(ctx, []Subject{s}, p, q)
	if err != nil {
		return nil, err
	}
	return reports[0], nil
}

// ExamineEach is [Examine] for several models, such as models trained from several seeds.
// The controls that need no model are computed once.
func ExamineEach(ctx context.Context, list []Subject, p *process.Prefixes, q Question) ([]*Report, error) {
	q.Target = q.target()
	if q.Steer && q.Target.Name != Beliefs.Name {
		return nil, fmt.Errorf("probe: steering needs the target beliefs, not %s", q.Target.Name)
	}
	y, err := q.Target.Of(ctx, p)
	if err != nil {
		return nil, err
	}
	if y.constant(p.Prob) {
		return nil, &ConstantError{Target: q.Target}
	}
	controls, err := q.controls(ctx, p)
	if err != nil {
		return nil, err
	}
	var reports []*Report
	for _, s := range list {
		report, err := q.examine(ctx, s, p)
		if err != nil {
			return nil, err
		}
		report.Controls = controls
		for i := range report.Stages {
			report.Stages[i].NextToken = controls[0].R2
		}
		reports = append(reports, report)
	}
	return reports, nil
}

// target returns the target to read, [Beliefs] by default.
func (q Question) target() Target {
	if q.Target.of == nil {
		return Beliefs
	}
	return q.Target
}

// plan returns a plan for the given features and targets, with the settings of the
// question.
func (q Question) plan(features []Features, targets ...Target) Plan {
	return Plan{Features: features, Targets: targets, Convention: q.Convention, Workers: q.Workers}
}

// controls returns the scores of the target read from features that need no model.
func (q Question) controls(ctx context.Context, p *process.Prefixes) ([]FeatureScore, error) {
	features := []Features{NextTokenFeatures(p)}
	for k := 1; k <= min(longestContext, p.Length) && process.NumPrefixes(p.Alphabet, k) <= mostMarkov; k++ {
		features = append(features, MarkovFeatures(p, k))
	}
	a, err := Analyze(ctx, nil, p, q.plan(features, q.Target, Shuffled(q.Target)))
	if err != nil {
		return nil, err
	}
	if err := a.Fit(ctx); err != nil {
		return nil, err
	}
	var scores []FeatureScore
	for i, f := range features {
		scores = append(scores, newFeatureScore(f.Name, a.Regress(i, 0)))
	}
	return scores, nil
}

// examine analyses the trained model and its random initialisation.
func (q Question) examine(ctx context.Context, s Subject, p *process.Prefixes) (*Report, error) {
	hooks := s.Model.Config.ResidualStages()
	features := Stages(hooks...)
	if q.SideBySide {
		features = append(features, SideBySide(allStages, hooks))
	}
	untrained, err := model.New[float32](s.Model.Config, s.Seed)
	if err != nil {
		return nil, err
	}
	random, err := Analyze(ctx, untrained, p, q.plan(features, q.Target))
	if err != nil {
		return nil, err
	}
	trained, err := Analyze(ctx, s.Model, p, q.plan(features, q.Target, Shuffled(q.Target)))
	if err != nil {
		return nil, err
	}
	for _, a := range []*Analysis{random, trained} {
		if err := a.Fit(ctx); err != nil {
			return nil, err
		}
	}
	report := newReport(q, trained)
	for i, f := range features {
		untrained := random.Regress(i, 0)
		report.Stages = append(report.Stages, StageScore{
			Stage: f.Name, FeatureScore: newFeatureScore(f.Name, trained.Regress(i, 0)),
			Random: untrained.R2, RandomMSE: untrained.MSE, Shuffled: trained.Regress(i, 1).R2,
		})
	}
	if q.Steer {
		report.Steered, err = trained.SteerEach(ctx, 0)
	}
	return report, err
}

// newReport returns a report without the results by stage and the controls.
func newReport(q Question, a *Analysis) *Report {
	kl := a.KL()
	report := &Report{
		Target: q.Target.Name, Convention: q.Convention.String(),
		Words: a.Prefixes.Rows(), Sequences: a.Prefixes.Sequences, KL: kl.Mean, KLError: kl.Error,
	}
	for _, kl := range a.KLByPosition() {
		report.KLPosition = append(report.KLPosition, kl.Mean)
	}
	return report
}

// SteerEach calls [Analysis.Steer] for each of the plan's features that is a single
// stage, always with the same [SteeredPairs] pairs from [DrawPairs]. It skips other
// features.
func (a *Analysis) SteerEach(ctx context.Context, target int) ([]SteeredStage, error) {
	pairs := DrawPairs(a.Prefixes, SteeredPairs, steerSeed)
	var list []SteeredStage
	for i, f := range a.Plan.Features {
		if len(f.Stages) != 1 {
			continue
		}
		steered, err := a.Steer(ctx, i, target, pairs, steerSeed)
		if err != nil {
			return nil, err
		}
		list = append(list, SteeredStage{Stage: f.Name, Steered: steered, Spread: a.Principal(i).Spread()})
	}
	return list, nil
}

// ConstantError reports that a target is the same after every prefix that can occur.
type ConstantError struct {
	Target Target
}

func (e *ConstantError) Error() string {
	return fmt.Sprintf("the %s are the same after every sequence, so there is nothing to read", e.Target.Title)
}
