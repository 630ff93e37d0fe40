package intervene

import (
	"foretell/probe"
)

// mean estimates the average over sequences and positions from sums over the sequences of
// each group.
func (a *ablater[F]) mean(sum byGroup) probe.Estimate {
	var parts []float64
	for _, group := range sum {
		total := 0.0
		for _, x := range group {
			total += x / float64(len(group))
		}
		parts = append(parts, total)
	}
	e := probe.Ratio(parts, a.shares())
	if len(parts) == 1 {
		e.Error = 0
	}
	return e
}

// shares returns the total weight of the sequences in each group. With several rounds of
// resampling, each group is a round over all sequences.
func (a *ablater[F]) shares() []float64 {
	shares := make([]float64, max(a.words.groups, a.rounds))
	for _, word := range a.words.list {
		shares[word.group] += word.weight
	}
	for i := range shares {
		if a.rounds > 1 {
			shares[i] = shares[0]
		}
	}
	return shares
}

// overGroups returns the weighted average over the sequences of all groups, by position.
func (a *ablater[F]) overGroups(sum byGroup) []float64 {
	kl, total := make([]float64, a.words.Length), 0.0
	for _, share := range a.shares() {
		total += share
	}
	for _, group := range sum {
		for t, x := range group {
			kl[t] += x / total
		}
	}
	return kl
}

// damage returns the result for the unchanged model.
func (a *ablater[F]) damage() *Damage {
	d := &Damage{With: a.plan.With, Reference: ToModel, Length: a.words.Length}
	d.Words, d.Sequences = a.words.Number()
	kl := a.mean(a.base)
	d.KL, d.KLError, d.KLByPosition = kl.Mean, kl.Error, a.overGroups(a.base)
	if a.rounds > 1 {
		d.KLError = 0
	}
	if a.words.table == nil {
		return d
	}
	d.Reference, d.ChanceByPosition = ToOptimal, a.words.chance()
	chance := 0.0
	for _, x := range d.ChanceByPosition {
		chance += x / float64(d.Length)
	}
	d.Chance = &chance
	return d
}

// ablated returns the result for the model without a part.
func (a *ablater[F]) ablated(part Part, sum byGroup) Ablated {
	difference := a.groups()
	for g := range sum {
		for t, x := range sum[g] {
			difference[g][t] = x - a.base[g][t]
		}
	}
	kl, damage := a.mean(sum), a.mean(difference)
	return Ablated{
		Name: part.Name, Sites: part.Sites, KL: kl.Mean, KLError: kl.Error,
		Damage: damage.Mean, DamageError: damage.Error, KLByPosition: a.overGroups(sum),
	}
}
