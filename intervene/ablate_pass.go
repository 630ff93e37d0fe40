package intervene

import (
	"context"
	"errors"
	"slices"

	"foretell/internal/parallel"
	"foretell/model"
)

// swept describes a sweep over the sequences.
type swept[F model.Float] struct {
	hooks []string
	// beside is, for each sequence, the index of a second sequence that runs in the same
	// pass; nil means no second sequences. In a pass over n sequences, the second sequence
	// of sequence b is at index n+b.
	beside  []int
	workers int
	change  func(t model.Tensor[F], from, n int) // called for a pass over n sequences, the first with index `from`
	// visit is called for each sequence. The argument word is the sequence's index in the
	// list of all sequences, and the argument at its index in the pass.
	visit func(p *pass[F], at, word int) (byPosition []float64, _ error)
}

// sweep runs passes over all sequences, a batch at a time, and returns what visit
// returned for each sequence.
func (a *ablater[F]) sweep(ctx context.Context, s swept[F]) ([][]float64, error) {
	found := make([][]float64, len(a.words.list))
	chunks := (len(found) + a.batch - 1) / a.batch
	return found, parallel.Each(ctx, s.workers, chunks, func(i int) error {
		from, to := i*a.batch, min((i+1)*a.batch, len(found))
		size := to - from
		if s.beside != nil {
			size *= 2
		}
		p := newPass(a.model, a.words.Length, size, s.hooks)
		for word := from; word < to; word++ {
			p.add(a.words.list[word].tokens)
		}
		for word := from; word < to && s.beside != nil; word++ {
			p.add(a.words.list[s.beside[word]].tokens)
		}
		p.run(func(t model.Tensor[F]) { s.change(t, from, to-from) })
		for word := from; word < to; word++ {
			var err error
			if found[word], err = s.visit(p, word-from, word); err != nil {
				return err
			}
		}
		return nil
	})
}

// reference returns the predictions that the model is compared with, after each token of
// a sequence.
func (a *ablater[F]) reference(word int) [][]float64 {
	if a.words.table != nil {
		return a.words.optimal(a.words.list[word])
	}
	return a.own[word]
}

// kl returns KL after each token of a sequence.
func (a *ablater[F]) kl(p *pass[F], at, word int) ([]float64, error) {
	kl := make([]float64, a.words.Length)
	for t, best := range a.reference(word) {
		kl[t] = model.Divergence(best, p.at(at, t))
		if kl[t]-kl[t] != 0 {
			return nil, errors.New("intervene: the model computes NaN or infinity when a part is ablated")
		}
	}
	return kl, nil
}

// sum adds the results of a sweep to the sums in `to`, in the order of the sequences. A
// sequence's results go to its group or, with several rounds, to the group of the round.
func (a *ablater[F]) sum(to byGroup, found [][]float64, round int) {
	for i, word := range a.words.list {
		group := word.group
		if a.rounds > 1 {
			group = round
		}
		for t, x := range found[i] {
			to[group][t] += word.weight * x
		}
	}
}

func (a *ablater[F]) groups() byGroup {
	g := make(byGroup, max(a.words.groups, a.rounds))
	for i := range g {
		g[i] = make([]float64, a.words.Length)
	}
	return g
}

// asItIs measures the unchanged model.
func (a *ablater[F]) asItIs(ctx context.Context) error {
	if a.words.table == nil {
		a.own = make([][][]float64, len(a.words.list))
	}
	s := swept[F]{hooks: []string{}, workers: a.plan.Workers, visit: a.first}
	found, err := a.sweep(ctx, s)
	if err != nil {
		return err
	}
	a.base = a.groups()
	for round := range a.rounds {
		a.sum(a.base, found, round)
	}
	if a.plan.With == Mean {
		return a.addMeans(ctx)
	}
	return nil
}

// first measures the unchanged model on a sequence, and records its predictions if they
// are the reference.
func (a *ablater[F]) first(p *pass[F], at, word int) ([]float64, error) {
	if err := p.check(at); err != nil {
		return nil, err
	}
	for t := range a.words.Length {
		if a.own != nil {
			a.own[word] = append(a.own[word], model.Probabilities(p.at(at, t)))
		}
	}
	return a.kl(p, at, word)
}

// addMeans computes the mean activations at all places, going through the sequences once,
// in order.
func (a *ablater[F]) addMeans(ctx context.Context) error {
	places := slices.Concat(a.places...)
	a.means = map[place][]float64{}
	for _, at := range places {
		a.means[at] = nil
	}
	_, err := a.sweep(ctx, swept[F]{
		hooks: hooksAt(places), workers: 1,
		change: func(t model.Tensor[F], from, n int) {
			for at := range a.means {
				for b := 0; b < n && at.hook == t.Name; b++ {
					a.means[at] = addWeighted(a.means[at], t, at, b, a.words.list[from+b].weight)
				}
			}
		},
		visit: func(*pass[F], int, int) ([]float64, error) { return nil, nil },
	})
	return err
}

// addWeighted adds the numbers at a place in sequence b of a pass, multiplied by weight,
// to a sum. A nil sum starts at zero.
func addWeighted[F model.Float](sum []float64, t model.Tensor[F], at place, b int, weight float64) []float64 {
	fresh, i := sum == nil, 0
	at.rows(t.Shape, b, func(_, from, to int) {
		for _, x := range t.Data[from:to] {
			if fresh {
				sum = append(sum, 0)
			}
			sum[i] += weight * float64(x)
			i++
		}
	})
	return sum
}

// without measures the model without a part.
func (a *ablater[F]) without(ctx context.Context, part int) (byGroup, error) {
	kl := a.groups()
	for round := range a.rounds {
		s := swept[F]{hooks: hooksAt(a.places[part]), workers: a.plan.Workers, visit: a.kl}
		if a.plan.With == Resample {
			s.beside = a.words.donors(a.plan.Seed, round)
		}
		s.change = func(t model.Tensor[F], _, n int) {
			for _, at := range a.places[part] {
				for b := 0; b < n && at.hook == t.Name; b++ {
					a.ablate(t, at, b, n)
				}
			}
		}
		found, err := a.sweep(ctx, s)
		if err != nil {
			return nil, err
		}
		a.sum(kl, found, round)
	}
	return kl, nil
}

// ablate replaces the activation at a place in sequence b of a pass over n sequences.
func (a *ablater[F]) ablate(t model.Tensor[F], at place, b, n int) {
	if a.plan.With == Resample {
		replace(t, at, b, n+b)
		return
	}
	mean := a.means[at]
	at.rows(t.Shape, b, func(_, from, to int) {
		clear(t.Data[from:to])
		if a.plan.With == Zero {
			return
		}
		for i := range t.Data[from:to] {
			t.Data[from+i] = F(mean[i])
		}
		mean = mean[to-from:]
	})
}
