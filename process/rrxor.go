package process

var rrxorEntry = Entry{
	Name: "rrxor",
	Kind: "hmm",
	Params: []Param{
		{"p1", 0.5, "[0, 1]", "probability that the first random bit is 0"},
		{"p2", 0.5, "[0, 1]", "probability that the second random bit is 0"},
	},
	Summary: "two random bits, then their exclusive or: R R X R R X …",
	New:     func(p Params) (Sampler, error) { return asSampler(RRXOR(p.Number("p1"), p.Number("p2"))) },
}

// RRXOR returns the random-random-XOR process (Crutchfield and Feldman, 2003, Sec. VI),
// which repeats two random bits followed by their exclusive or. In state S nothing is
// known about the current triple, in 0 and 1 its first bit, and in T (true) and F (false)
// the third bit, which must be 1 or 0:
//
//	T⁰[S,0] = p1, T¹[S,1] = 1−p1; T⁰[0,F] = p2, T¹[0,T] = 1−p2;
//	T⁰[1,T] = p2, T¹[1,F] = 1−p2; T¹[T,S] = T⁰[F,S] = 1.
//
// p1 and p2 are in [0, 1].
func RRXOR(p1, p2 float64) (*HMM, error) {
	if err := checkProbability("rrxor", "p1", p1); err != nil {
		return nil, err
	}
	if err := checkProbability("rrxor", "p2", p2); err != nil {
		return nil, err
	}
	return ofEdges("rrxor", "0 1", "S 0 1 T F", map[string]float64{"p1": p1, "p2": p2}, []Transition{
		{"S", "0", "0", p1},
		{"S", "1", "1", 1 - p1},
		{"0", "F", "0", p2},
		{"0", "T", "1", 1 - p2},
		{"1", "T", "0", p2},
		{"1", "F", "1", 1 - p2},
		{"T", "S", "1", 1},
		{"F", "S", "0", 1},
	})
}
