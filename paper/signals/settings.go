package signals

import (
	"embed"
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/train"
)

// settings holds configurations that solve the five signals. `foretell train` accepts the
// files as they are.
//
//go:embed settings/*.yaml
var settings embed.FS

// setting returns the configuration for a signal, without a seed.
func (s signal) setting() (train.Config, error) {
	path := "settings/" + s.name + ".yaml"
	data, err := settings.ReadFile(path)
	if err != nil {
		return train.Config{}, fmt.Errorf("signals: %w", err)
	}
	return train.Parse(path, data)
}

// judgedAgain holds numbers to add to a signal's seeds. It has the signal whose setting
// was changed after models had been judged, so that the new setting is judged on new
// seeds.
var judgedAgain = map[signal]uint64{switching: 6}

// seeds returns the seeds of a signal's models.
func (p profile) seeds(s signal) []uint64 {
	list := slices.Clone(p.solvedSeeds)
	for i := range list {
		list[i] += judgedAgain[s]
	}
	return list
}

// solving returns a training run with a signal's setting. The run keeps a snapshot at
// each evaluation.
func (s signal) solving(seed uint64) claim.Training {
	c, err := s.setting()
	if err != nil {
		panic(err) // cannot happen: the package's tests parse these files
	}
	c.Train.Seed = seed
	t := claim.Training{
		Name:   fmt.Sprintf("%s-solved-seed%d", s.name, seed),
		Label:  fmt.Sprintf("%s, solved, seed %d", s.title, seed),
		Config: c,
	}
	for step := c.Train.EvaluateEvery; step <= c.Train.NumSteps; step += c.Train.EvaluateEvery {
		t.Snapshots = append(t.Snapshots, step)
	}
	return t
}
