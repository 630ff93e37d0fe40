package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"foretell/internal/strict"
)

// Spec is the section sweep of a study file. It has the keys of W&B's sweep
// configuration and, in addition, seeds.
type Spec struct {
	// Method is grid, for all combinations of the values, or random, for RunCap
	// combinations drawn at random.
	Method string `yaml:"method"`
	// Parameters has the values of each setting that varies, by its path, such as train.lr.
	Parameters map[string]Parameter `yaml:"parameters"`
	// Seeds is the number of runs of each combination. They have the seed of the
	// configuration and the seeds after it.
	Seeds  int    `yaml:"seeds"`
	Metric Metric `yaml:"metric"`
	// RunCap is the largest number of runs. With method: random it is the number of
	// combinations, each of which is trained with all seeds.
	RunCap int `yaml:"run_cap"`
}

// Metric is the result by which the runs of a study are compared.
type Metric struct {
	// Name is a column of the table of runs: loss, kl, gap, or the name of a watched number.
	Name string `yaml:"name" json:"name"`
	Goal string `yaml:"goal" json:"goal"` // minimize or maximize
}

// Parameter is the values of a setting: a list, or a distribution from which
// method: random draws.
type Parameter struct {
	Values       []strict.Value `yaml:"values"`
	Value        *strict.Value  `yaml:"value"`
	Distribution string         `yaml:"distribution"`
	Min          *float64       `yaml:"min"`
	Max          *float64       `yaml:"max"`
}

// The methods, goals and distributions that a study file can name.
const (
	grid, random            = "grid", "random"
	minimize, maximize      = "minimize", "maximize"
	uniform, integer, ratio = "uniform", "int_uniform", "log_uniform_values"
)

// DefaultCap is the largest number of runs of a study that does not set run_cap.
const DefaultCap = 100_000

// UnmarshalYAML reads a mapping, or a list of values alone.
func (p *Parameter) UnmarshalYAML(unmarshal func(any) error) error {
	var form strict.Form
	if err := unmarshal(&form); err != nil {
		return err
	}
	if form == strict.List {
		return unmarshal(&p.Values)
	}
	type plain Parameter
	return unmarshal((*plain)(p))
}

// check returns an error if the section cannot be a study, and fills in the defaults.
func (s *Spec) check() error {
	s.Method, s.Metric.Goal = cmp.Or(s.Method, grid), cmp.Or(s.Metric.Goal, minimize)
	if !slices.Contains([]string{grid, random}, s.Method) {
		return strict.Fieldf("sweep.method", "%s", strict.NotOneOf(s.Method, []string{grid, random}))
	}
	if goals := []string{minimize, maximize}; !slices.Contains(goals, s.Metric.Goal) {
		return strict.Fieldf("sweep.metric.goal", "%s", strict.NotOneOf(s.Metric.Goal, goals))
	}
	if s.Seeds < 0 || s.RunCap < 0 {
		return errors.New("sweep: seeds and run_cap are numbers of runs; want at least 1")
	}
	if s.Method == random && s.RunCap == 0 {
		return errors.New("sweep: method: random draws run_cap combinations; give run_cap")
	}
	if _, given := s.Parameters[seedPath]; given && s.Seeds > 0 {
		return fmt.Errorf("sweep: %s has its own values; leave out seeds", seedPath)
	}
	s.Seeds, s.RunCap = cmp.Or(s.Seeds, 1), cmp.Or(s.RunCap, DefaultCap)
	for _, path := range s.paths() {
		p := s.Parameters[path]
		if err := p.check(s.Method); err != nil {
			return fmt.Errorf("sweep: %s: %w", path, err)
		}
		if p.Value != nil {
			p.Values, p.Value = []strict.Value{*p.Value}, nil
			s.Parameters[path] = p
		}
	}
	return nil
}

// paths returns the paths of the parameters in the order of a study: sorted, so that the
// order of a file or of flags changes no run.
func (s *Spec) paths() []string { return slices.Sorted(maps.Keys(s.Parameters)) }

// seedPath is the setting that differs between runs of one combination.
const seedPath = "train.seed"

func (p Parameter) check(method string) error {
	listed, drawn := p.Values != nil || p.Value != nil, p.Min != nil || p.Max != nil || p.Distribution != ""
	switch {
	case p.Values != nil && p.Value != nil:
		return errors.New("has value and values; give one of them")
	case listed && drawn:
		return errors.New("has values and a distribution; give one of them")
	case listed:
		return p.checkValues()
	case !drawn:
		return errors.New("has no values; give values: [1e-3, 3e-3], or min and max with method: random")
	case method != random:
		return errors.New("has a distribution, which method: random draws from; for method: grid give values")
	}
	return p.checkDistribution()
}

func (p Parameter) checkValues() error {
	if p.Values != nil && len(p.Values) == 0 {
		return errors.New("values is empty; give at least one value")
	}
	for i, value := range p.Values {
		if value.Form == strict.Nothing {
			return fmt.Errorf("value %d is missing", i+1)
		}
		if before := slices.Index(p.Values, value); before < i {
			return fmt.Errorf("values %d and %d are the same, %s", before+1, i+1, value.Text)
		}
	}
	return nil
}

func (p Parameter) checkDistribution() error {
	known := []string{uniform, integer, ratio}
	switch {
	case p.Min == nil || p.Max == nil:
		return errors.New("has no min or no max; a distribution has both")
	case !(*p.Min < *p.Max):
		return fmt.Errorf("min %g is not less than max %g", *p.Min, *p.Max)
	case p.Distribution != "" && !slices.Contains(known, p.Distribution):
		return fmt.Errorf("distribution: %s", strict.NotOneOf(p.Distribution, known))
	case p.Distribution == ratio && *p.Min <= 0:
		return fmt.Errorf("min %g is not positive, as %s needs it", *p.Min, ratio)
	}
	return nil
}
