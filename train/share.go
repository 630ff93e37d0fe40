package train

import (
	"fmt"
	"slices"

	"foretell/internal/strict"
	"foretell/process"
)

// The values of train.share_prefixes.
const (
	shareOff  = "off"
	shareOn   = "on"
	shareAuto = "auto"
)

// shareBelow is the largest ratio of distinct prefixes to positions in a batch at which
// share_prefixes: auto shares prefixes. A pass over a tree computes attention node by
// node, which costs a little time; below this ratio sharing saves more (see
// docs/performance.md). The ratio is part of the definition of a run. The docs of
// SharePrefixes and the help of the train command repeat it.
const shareBelow = 0.7

// BatchText describes the data of one step of a resolved configuration, such as "128
// sequences of 10 tokens".
func (c Config) BatchText() string {
	if c.Train.Objective == objectiveExact {
		return fmt.Sprintf("all sequences of %d tokens", c.Objective().Length())
	}
	return fmt.Sprintf("%d sequences of %d tokens", c.Train.BatchSize, c.Model.NCtx)
}

// checkBatch checks the fields that define the sequences of a step.
func (o Options) checkBatch(p process.Sampler) error {
	if o.SharePrefixes != "" {
		if err := choose("share_prefixes", o.SharePrefixes, shareOff, shareOn, shareAuto); err != nil {
			return err
		}
	}
	if o.Objective != objectiveExact {
		return checkRange("batch_size", float64(o.BatchSize), 1, 1<<20)
	}
	for _, given := range []struct {
		path  string
		value string
		is    bool
		set   string // the value with the same meaning as leaving the key out
	}{
		{"batch_size", fmt.Sprint(o.BatchSize), o.BatchSize != 0, "0"},
		{"train_sequences", fmt.Sprint(o.TrainSequences), o.TrainSequences != 0, "0"},
		{"share_prefixes", o.SharePrefixes, !slices.Contains([]string{"", shareOff}, o.SharePrefixes), shareOff},
	} {
		if given.is {
			return strict.Fieldf(given.path, "= %s has no meaning with objective: exact, "+
				"which learns from all sequences of %s, each prefix once; set it to %s or leave it out",
				given.value, p.Name(), given.set)
		}
	}
	return nil
}

// checkWords returns an error if the sequences have too many prefixes for objective:
// exact.
func (o Options) checkWords(length int, p process.Sampler) error {
	if o.Objective != objectiveExact {
		return nil
	}
	if n := process.NumPrefixes(p.Alphabet(), length); n > maxWords {
		return strict.Fieldf("objective", "= exact is for at most %d prefixes, and %s has more prefixes "+
			"of up to %d tokens; %sobjective: optimal_targets, which has the same expected gradient",
			maxWords, p.Name(), length, shorter(p))
	}
	return nil
}

// shorter returns the beginning of the advice in a message of checkWords: to use the
// largest n_ctx at which a process has few enough prefixes for objective: exact. It is
// just "use " if there is no such n_ctx.
func shorter(p process.Sampler) string {
	n := 0
	for process.NumPrefixes(p.Alphabet(), n+1) <= maxWords {
		n++
	}
	if n == 0 {
		return "use "
	}
	return fmt.Sprintf("use an n_ctx of at most %d, or ", n)
}

// maxWords is the largest number of prefixes that objective: exact allows: each step goes
// through all of them.
const maxWords = 1 << 21

// sharesTrees reports whether batches go through the model as trees. With share_prefixes:
// auto it draws the first batch and records its share of distinct prefixes.
func (p *Plan) sharesTrees() bool {
	switch p.SharePrefixes {
	case shareOn:
		return true
	case shareAuto:
		if p.objective.LastOnly() {
			return false
		}
		distinct := p.distinctShare()
		p.DistinctPrefixes = &distinct
		return distinct <= shareBelow
	}
	return false
}

// distinctShare is the ratio of distinct prefixes to positions in the first batch.
func (p *Plan) distinctShare() float64 {
	T, n := p.objective.Length(), p.config.Train.BatchSize
	inputs, order := make([]int32, n*T), make([]int32, n)
	newBatchDrawer(p).draw(inputs, make([]int32, n*T), 1, 0, n)
	sortSequences(order, inputs)
	distinct := T
	for i := 1; i < len(order); i++ {
		distinct += T - commonPrefix(sequence(inputs, order[i-1], T), sequence(inputs, order[i], T))
	}
	return float64(distinct) / float64(len(inputs))
}
