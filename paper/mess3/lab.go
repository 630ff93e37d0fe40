package mess3

import (
	"context"
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/model"
	"foretell/paper/internal/trained"
	"foretell/probe"
)

// lab is one study of the paper: its profile, and what several rows use: the measurements
// on models, and the information in sequences.
type lab struct {
	profile
	subjects    map[trained.Condition]*subject
	information map[words]probe.Learnable
}

// words is the key of all sequences of a process up to a length.
type words struct {
	trained.Source
	length int
}

func newLab(p profile) *lab {
	return &lab{p, map[trained.Condition]*subject{}, map[words]probe.Learnable{}}
}

// learnable returns the information that can be learned from the sequences of a subject.
func (l *lab) learnable(s *subject) probe.Learnable {
	of := words{s.Source, s.Prefixes.Length}
	if _, known := l.information[of]; !known {
		l.information[of] = probe.NewLearnable(s.Prefixes)
	}
	return l.information[of]
}

// of returns the measurements on the models of the listed conditions. It measures each
// model once, for all rows.
func (l *lab) of(ctx context.Context, s *claim.Study, list []trained.Condition) ([]*subject, error) {
	subjects := make([]*subject, len(list))
	for i, c := range list {
		if l.subjects[c] == nil {
			s.Tell("measuring " + c.Label())
			m, err := l.look(ctx, s, c)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.Label(), err)
			}
			l.subjects[c] = m
		}
		subjects[i] = l.subjects[c]
	}
	return subjects, nil
}

// look measures a model and determines whether it has converged.
func (l *lab) look(ctx context.Context, s *claim.Study, c trained.Condition) (*subject, error) {
	of, err := trained.NewSubject(ctx, s, c)
	if err != nil {
		return nil, err
	}
	m := &subject{Subject: of}
	look := l.scrutiny(c)
	look.learnable = l.learnable(m)
	if look.control {
		if look.untrained, err = model.New[float32](of.Model.Config, c.Seed); err != nil {
			return nil, err
		}
	}
	return m, m.measure(ctx, look, s.Workers)
}

// scrutiny selects the measurements that rows need on a model. One-head models of M12
// need no control. Every other model is compared with its random initialisation. The
// paper's model of the first seed, which tables show, is compared with all controls.
func (l *lab) scrutiny(c trained.Condition) scrutiny {
	if c.Settings == l.oneLayer && !l.isPaperModel(c) {
		return scrutiny{}
	}
	own := l.isPaperModel(c) || c == l.longer(c.Source) || slices.Contains(l.variedModels(), c)
	return scrutiny{
		control: true, controls: l.isPaperModel(c) && c.Seed == l.headline[0],
		components: own, logits: own, shape: c.Settings == l.rivalSettings(c.Source),
	}
}

// isPaperModel reports whether a model is one of the paper's own, on which M2 is tested.
func (l *lab) isPaperModel(c trained.Condition) bool {
	return slices.Contains(l.seededModels(c.Source), c)
}
