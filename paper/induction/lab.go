package induction

// lab is one study of the paper: its profile, and what rows have made already, which they
// share.
type lab struct {
	profile
	held map[task]*chains
}

func newLab(p profile) *lab { return &lab{profile: p, held: map[task]*chains{}} }

// chains are the held-out sequences of a task.
func (l *lab) chains(of task) (*chains, error) {
	if l.held[of] == nil {
		c, err := newChains(of, l.heldOut, l.context)
		if err != nil {
			return nil, err
		}
		l.held[of] = c
	}
	return l.held[of], nil
}
