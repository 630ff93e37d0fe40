package signals

import (
	"context"
	"fmt"

	"foretell/claim"
	"foretell/run"
)

// lab measures the trained networks of a profile: each network once, even if several rows
// use it.
type lab struct {
	profile
	held  map[signal]*heldOut // windows on which models of a signal are judged
	seen  *heldOut            // windows of the Mackey–Glass recording that models are trained on
	found map[network]*trained
}

func newLab(p profile) *lab {
	return &lab{profile: p, held: map[signal]*heldOut{}, found: map[network]*trained{}}
}

// trained holds the measurements of a network at the end of its training and halfway.
type trained struct {
	network
	end, half accuracy
	seen      accuracy  // on windows of the recording used for training; Mackey–Glass only
	rows      []run.Row // metrics of its training run
}

// heldOut returns the windows on which models of a signal are judged. For Mackey–Glass it
// also sets l.seen.
func (l *lab) heldOut(s signal) (*heldOut, error) {
	if l.held[s] == nil {
		h, err := sampled(s, l.judgedOn)
		if err != nil {
			return nil, err
		}
		if s == mackeyGlass {
			l.seen, h = h, ahead(l.judgedOn)
		}
		l.held[s] = h
	}
	return l.held[s], nil
}

// measured returns the measurements of a network. It measures a network only once.
func (l *lab) measured(ctx context.Context, s *claim.Study, n network) (*trained, error) {
	if l.found[n] == nil {
		s.Tell("measuring " + n.label())
		t, err := l.measure(ctx, s, n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.label(), err)
		}
		l.found[n] = t
	}
	return l.found[n], nil
}

func (l *lab) measure(ctx context.Context, s *claim.Study, n network) (*trained, error) {
	h, err := l.heldOut(n.signal)
	if err != nil {
		return nil, err
	}
	t, training := &trained{network: n}, l.training(n)
	m := s.Trained(training).Model
	if t.end, err = h.accuracy(ctx, s, m); err != nil {
		return nil, err
	}
	if n.signal == mackeyGlass {
		if t.seen, err = l.seen.accuracy(ctx, s, m); err != nil {
			return nil, err
		}
	}
	if m, err = run.Snapshot(s.Dir(training), training.Snapshots[0]); err != nil {
		return nil, err
	}
	if t.half, err = h.accuracy(ctx, s, m); err != nil {
		return nil, err
	}
	t.rows, err = s.Metrics(training)
	return t, err
}
