package probe

import (
	"foretell/internal/random"
	"foretell/process"
)

// sampleGroups is the number of independent groups that sampled sequences are drawn in. Their spread gives the error
// bars, with one degree of freedom less.
const sampleGroups = 8

// SampleWords returns the words that begin sequences drawn from p, in place of all words where these are too many. The
// sequences are weighted by how often they were drawn: what [Analyze] makes of them estimates what it would make of all
// words, and its error bars are of that estimate.
func SampleWords(p process.Process, length, sequences int, seed uint64) (*process.Prefixes, error) {
	drawn := make([][]int32, sequences)
	for i := range drawn {
		drawn[i] = make([]int32, length)
		p.Sample(drawn[i], random.New(seed, "probe/sample", uint64(i)))
	}
	return process.WordsOf(p, drawn, sampleGroups)
}
