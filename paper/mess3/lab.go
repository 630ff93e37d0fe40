package mess3

import (
	"context"
	"fmt"

	"foretell/claim"
	"foretell/model"
	"foretell/paper/internal/trained"
)

// lab is one study of the paper: its profile, and what rows have measured on models,
// which they share.
type lab struct {
	profile
	subjects map[trained.Condition]*subject
}

func newLab(p profile) *lab { return &lab{p, map[trained.Condition]*subject{}} }

// of returns what is measured on the models of conditions.
func (l *lab) of(ctx context.Context, s *claim.Study, list []trained.Condition) ([]*subject, error) {
	subjects := make([]*subject, len(list))
	for i, c := range list {
		if l.subjects[c] == nil {
			s.Tell("looking into " + c.Label())
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

// look measures a model as closely as the rows about it need: those of M2 with all
// controls, those of M12 with none, and the others beside a random initialisation.
func (l *lab) look(ctx context.Context, s *claim.Study, c trained.Condition) (*subject, error) {
	of, err := trained.NewSubject(s, c)
	if err != nil {
		return nil, err
	}
	m := &subject{Subject: of}
	var look scrutiny
	switch {
	case c.Settings == l.oneLayer && !l.isPaperModel(c):
		return m, m.measure(ctx, look, s.Workers)
	case l.isPaperModel(c):
		look.controls, look.components = true, true
	}
	look.shape = c.Settings == l.small
	if look.untrained, err = model.New[float32](of.Model.Config, c.Seed); err != nil {
		return nil, err
	}
	return m, m.measure(ctx, look, s.Workers)
}

// isPaperModel says whether a condition is one of M2.
func (l *lab) isPaperModel(c trained.Condition) bool {
	for _, of := range l.paperModels() {
		if c == of {
			return true
		}
	}
	return false
}
