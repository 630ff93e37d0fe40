package sweep

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/parallel"
	"foretell/internal/portable"
	keyed "foretell/internal/random"
	"foretell/internal/strict"
	"foretell/run"
	"foretell/train"
)

// Plan is a study file with the values that a command line adds.
type Plan struct {
	Spec Spec

	name   string
	family *train.Family
}

// Read reads a study file. Each assignment path=value, … replaces a setting, or makes it
// a parameter of the study if it has several values separated by commas:
// train.lr=1e-3,3e-3. seeds, if not 0, replaces the number of seeds.
func Read(path string, seeds int, assignments ...string) (*Plan, error) {
	p := &Plan{name: path}
	var err error
	if p.family, _, err = train.LoadFamily(path, "sweep", &p.Spec); err != nil {
		return nil, err
	}
	for _, a := range assignments {
		if err := p.assign(a); err != nil {
			return nil, err
		}
	}
	if seeds != 0 {
		p.Spec.Seeds = seeds
	}
	if err := p.Spec.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// assign gives a setting the values of an assignment.
func (p *Plan) assign(assignment string) error {
	path, list, ok := strings.Cut(assignment, "=")
	if !ok {
		return fmt.Errorf(`%s: no "="; write key=value, or key=value,value`, assignment)
	}
	values, err := strict.Values(assignment, list)
	if err != nil {
		return fmt.Errorf("%w; want values separated by commas", err)
	}
	if len(values) == 0 {
		return fmt.Errorf("%s: no value; write key=value, or key=value,value", assignment)
	}
	if p.Spec.Parameters == nil {
		p.Spec.Parameters = map[string]Parameter{}
	}
	p.Spec.Parameters[strings.TrimSpace(path)] = Parameter{Values: values}
	return nil
}

// Planned is one run of a study.
type Planned struct {
	// ID is the first 12 hexadecimal digits of a SHA-256: of the configuration or, of a
	// named run, of the other fields.
	ID       string   `json:"id"`
	Name     string   `json:"name,omitempty"`     // of a run of [List]; else empty
	Settings []string `json:"settings,omitempty"` // values of [Manifest.Varied], in that order
	// Config is the resolved configuration, as JSON on one line.
	Config    json.RawMessage `json:"config"`
	Snapshots []int           `json:"snapshots,omitempty"` // see [Named]
	Watched   []string        `json:"watched,omitempty"`   // names of the numbers of [Named].Watch

	resolved *train.Config // Config; nil if it has not been read since it was written
	watch    run.Watch     // nil if the run has been read from a manifest
}

// Folder returns the name of the run's folder in runs: its name or, without one, its id.
func (p Planned) Folder() string { return cmp.Or(p.Name, p.ID) }

// idDigits is the length of an id, 48 bits. Among 100,000 runs, two have the same id by
// chance with a probability of 2 in 100,000.
const idDigits = 12

// idOf returns the id of the text that identifies a run.
func idOf(text []byte) string { return hexHash(text)[:idDigits] }

// Expand makes the manifest of the study: every run with its full configuration.
func (p *Plan) Expand() (*Manifest, error) {
	s, paths := &p.Spec, p.Spec.paths()
	combinations, err := s.size()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	m := &Manifest{Engine: train.BitsVersion, Metric: s.Metric}
	for _, path := range paths {
		if parameter := s.Parameters[path]; len(parameter.Values) != 1 {
			m.Varied = append(m.Varied, path)
		}
	}
	if s.Seeds > 1 {
		m.Varied = append(m.Varied, seedPath)
	}
	runs := make([]Planned, combinations*s.Seeds)
	err = parallel.Each(context.Background(), runtime.GOMAXPROCS(0), len(runs), func(i int) (err error) {
		runs[i], err = p.run(i/s.Seeds, i%s.Seeds, paths, m.Varied)
		if err != nil && len(runs) > 1 {
			err = fmt.Errorf("run %d of %d: %w", i+1, len(runs), err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	first := map[string]int{}
	for i, planned := range runs {
		before, repeats := first[planned.ID]
		switch {
		case !repeats:
			first[planned.ID] = i
			m.Runs = append(m.Runs, planned)
		case s.Method == random:
			m.Repeated++
		default:
			return nil, fmt.Errorf("%s: sweep: runs %d and %d are the same: %s and %s", p.name, before+1, i+1,
				setting(m.Varied, runs[before].Settings), setting(m.Varied, planned.Settings))
		}
	}
	return m, nil
}

// size returns the number of combinations. It returns an error if the study has more than
// RunCap runs.
func (s *Spec) size() (int, error) {
	if s.Method == random {
		if s.RunCap > DefaultCap/s.Seeds {
			return 0, fmt.Errorf("sweep: run_cap %d with %d seeds is more than %d runs", s.RunCap, s.Seeds, DefaultCap)
		}
		return s.RunCap, nil
	}
	n := float64(s.Seeds)
	for _, parameter := range s.Parameters {
		n *= float64(len(parameter.Values))
	}
	if n > float64(s.RunCap) {
		return 0, fmt.Errorf("sweep: the grid has %.0f runs, more than run_cap, %d", n, s.RunCap)
	}
	return int(n) / s.Seeds, nil
}

// run returns a run of the study: seed number `seed` of a combination.
func (p *Plan) run(combination, seed int, paths, varied []string) (planned Planned, err error) {
	assignments, rest := make([]string, 0, len(paths)+1), combination
	values := map[string]string{}
	for i, path := range slices.Backward(paths) { // the last parameter varies first
		var value string
		if parameter := p.Spec.Parameters[path]; parameter.Values == nil {
			value = parameter.draw(keyed.New(0, "sweep", uint64(combination), uint64(i)))
		} else if p.Spec.Method == random {
			at := keyed.New(0, "sweep", uint64(combination), uint64(i)).IntN(len(parameter.Values))
			value = parameter.Values[at].Text
		} else {
			value = parameter.Values[rest%len(parameter.Values)].Text
			rest /= len(parameter.Values)
		}
		values[path] = value
		assignments = append(assignments, path+"="+value)
	}
	slices.Reverse(assignments)
	c, err := p.family.With(assignments...)
	if err == nil && p.Spec.Seeds > 1 {
		c.Train.Seed += uint64(seed)
		values[seedPath] = strconv.FormatUint(c.Train.Seed, 10)
	}
	if err == nil {
		planned.Config, err = c.JSON()
	}
	if err != nil {
		return planned, err
	}
	planned.resolved = &c
	planned.ID = idOf(planned.Config)
	for _, path := range varied {
		planned.Settings = append(planned.Settings, values[path])
	}
	return planned, nil
}

// draw returns a value of a distribution, with six digits.
func (p Parameter) draw(stream *keyed.Stream) string {
	u, low, high := stream.Float64(), *p.Min, *p.Max
	switch p.Distribution {
	case integer:
		return strconv.FormatFloat(math.Floor(math.Ceil(low)+u*(math.Floor(high)-math.Ceil(low)+1)), 'f', -1, 64)
	case ratio:
		u = low * portable.Exp(u*portable.Log(high/low))
	default:
		u = low + u*(high-low)
	}
	return strconv.FormatFloat(u, 'g', 6, 64)
}

// describe names a run for people.
func describe(varied []string, p Planned) string {
	if p.Name != "" {
		return p.Name
	}
	return fmt.Sprintf("%s (%s)", p.ID, setting(varied, p.Settings))
}

// setting returns the settings of a run on one line.
func setting(varied, values []string) string {
	parts := make([]string, len(varied))
	for i, path := range varied {
		parts[i] = path + "=" + values[i]
	}
	if len(parts) == 0 {
		return "the configuration as it is"
	}
	return strings.Join(parts, " ")
}

// Text returns the contents of the study file, for [Begin].
func (p *Plan) Text() []byte { return p.family.Text() }
