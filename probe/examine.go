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
	for _, f := range features {
		scores = append(scores, newFeatureScore(f.Name, a.Regress(q.Target, f)))
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
	shuffled := Shuffled(q.Target)
	trained, err := Analyze(ctx, s.Model, p, q.plan(features, q.Target, shuffled))
	if err != nil {
		return nil, err
	}
	for _, a := range []*Analysis{random, trained} {
		if err := a.Fit(ctx); err != nil {
			return nil, err
		}
	}
	report := newReport(q, trained)
	for _, f := range features {
		untrained := random.Regress(q.Target, f)
		report.Stages = append(report.Stages, StageScore{
			Stage: f.Name, FeatureScore: newFeatureScore(f.Name, trained.Regress(q.Target, f)),
			Random: untrained.R2, RandomMSE: untrained.MSE, Shuffled: trained.Regress(shuffled, f).R2,
		})
	}
	if q.Steer {
		report.Steered, err = trained.SteerEach(ctx, q.Target)
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

// SteerEach intervenes on the model of the analysis, at each stage of the residual stream
// that is one of the plan's features, for [SteeredPairs] pairs of a prefix and a target
// prefix, the same at all stages. It adds a vector δ to the activation of the prefix's
// last token. δ is a combination of the directions that the regression of the target on
// the stage uses. The target is usually the beliefs, and δ satisfies
//
//	δ·Coef = belief after the target prefix − predicted belief,
//
// so the regression then reads the belief after the target prefix. SteerEach runs the
// rest of the model, and compares its prediction with the optimal one after the target
// prefix. If the model uses for its predictions what the regression reads, its prediction
// follows.
//
// Many δ satisfy this. The shortest may point in a direction in which activations hardly
// vary and which the model ignores, since a regression uses any direction that helps. The
// likeliest is the δ with the least δΣ⁻¹δᵀ for activations of covariance Σ. It is the
// average difference of activations, given only that the regression reads the other
// belief.
//
// SteerEach returns an error if ctx is done, and if attention patterns are fixed, because
// predictions come from the model itself. The result does not depend on the number of
// workers.
func (a *Analysis) SteerEach(ctx context.Context, target Target) ([]SteeredStage, error) {
	pairs := drawPairs(a.Prefixes, SteeredPairs, steerSeed)
	var list []SteeredStage
	for _, f := range a.Plan.Features {
		if len(f.Stages) != 1 {
			continue
		}
		steered, err := a.steer(ctx, target, f, pairs, steerSeed)
		if err != nil {
			return nil, err
		}
		list = append(list, SteeredStage{Stage: f.Name, Steered: steered, Spread: a.Principal(f).spread()})
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
