package train

// sharing is a step's batch as a forest. Its sequences are drawn in parallel and sorted
// by their tokens, and each of their prefixes goes through the model once.
type sharing struct {
	T, V    int
	inputs  []int32   // shape (B,T)
	targets []int32   // shape (B,T)
	weights []float32 // shape (B,T)
	soft    []float32 // (B,T,V) with the optimal predictor's targets; else nil
	order   []int32   // (B): indices of the sequences, sorted by tokens
	forest  *forest
}

func newSharing(p *Plan) *sharing {
	o, n := p.objective, p.config.Train.BatchSize
	s := &sharing{T: o.Length(), V: p.config.Model.DVocab}
	s.inputs, s.targets, s.weights = make([]int32, n*s.T), make([]int32, n*s.T), make([]float32, n*s.T)
	s.order = make([]int32, n)
	if o.Optimal {
		s.soft = make([]float32, n*s.T*s.V)
	}
	s.forest = newForest(p.PassRows, s.V)
	return s
}

// draw draws n sequences of a step, numbers `first` to first+n−1.
func (s *sharing) draw(b *batch, step, first, n int) {
	b.draw(step, first, n)
	from, to := first*s.T, (first+n)*s.T
	copy(s.inputs[from:to], b.inputs)
	copy(s.targets[from:to], b.targets)
	copy(s.weights[from:to], b.weights)
	if s.soft != nil {
		copy(s.soft[from*s.V:to*s.V], b.soft)
	}
}

// plant makes the forest of the drawn sequences.
func (s *sharing) plant() {
	s.forest.clear()
	sortSequences(s.order, s.inputs)
	for _, i := range s.order {
		s.forest.add(sequence(s.inputs, i, s.T))
		for t := range s.T {
			row, at := s.forest.at(t), int(i)*s.T+t
			if s.soft == nil {
				row[s.targets[at]] += s.weights[at]
				continue
			}
			for z, m := range s.soft[at*s.V : (at+1)*s.V] {
				row[z] += m
			}
		}
	}
}
