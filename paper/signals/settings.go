package signals

import (
	"embed"
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/train"
)

// settings are configurations that solve the five signals, which `foretell train` takes
// as they are.
//
//go:embed settings/*.yaml
var settings embed.FS

// setting is the configuration of a signal, without its seed.
func (s signal) setting() (train.Config, error) {
	path := "settings/" + s.name + ".yaml"
	data, err := settings.ReadFile(path)
	if err != nil {
		return train.Config{}, fmt.Errorf("signals: %w", err)
	}
	return train.Parse(path, data)
}

// judgedAgain is by how much the seeds of a signal are moved on whose setting was changed
// when others had been judged, so that they are new.
var judgedAgain = map[signal]uint64{switching: 6}

// seeds are those of a signal's models.
func (p profile) seeds(s signal) []uint64 {
	list := slices.Clone(p.solvedSeeds)
	for i := range list {
		list[i] += judgedAgain[s]
	}
	return list
}

// solving is the training of a signal's setting, of which each evaluated step is kept.
func (s signal) solving(seed uint64) claim.Training {
	c, err := s.setting()
	if err != nil {
		panic(err) // a file of this package, which its tests read
	}
	c.Train.Seed = seed
	t := claim.Training{
		Name: fmt.Sprintf("%s-solved-seed%d", s.name, seed), Label: fmt.Sprintf("%s, solved, seed %d", s.title, seed),
		Config: c,
	}
	for step := c.Train.EvaluateEvery; step <= c.Train.NumSteps; step += c.Train.EvaluateEvery {
		t.Snapshots = append(t.Snapshots, step)
	}
	return t
}
