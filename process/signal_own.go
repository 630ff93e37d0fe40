package process

// mostSignal bounds the samples of the catalogue's recording, because a configuration
// lists them as numbers.
const mostSignal = 100_000

// someTide are heights of a tide in metres, one per hour: the default recording.
var someTide = []float64{
	2.1, 3.4, 4.2, 4.4, 3.8, 2.6, 1.4, 0.7, 0.6, 1.3, 2.5, 3.7,
	4.4, 4.3, 3.4, 2.2, 1.1, 0.6, 0.8, 1.7, 2.9, 4, 4.5, 4.1,
	3.1, 1.9, 1, 0.7, 1.2, 2.2, 3.3, 4.2, 4.4, 3.8, 2.7, 1.6,
	0.9, 0.8, 1.5, 2.6, 3.6, 4.3, 4.2, 3.5, 2.4, 1.4, 0.9, 1.1,
}

var recordingEntry = Entry{
	Name: "recording",
	Kind: "signal",
	Params: []Param{
		{"signal", someTide, "2 to 100000 numbers", "samples at equal distances in time; " +
			"@FILE.csv reads a file, @FILE.csv:2 or @FILE.csv:NAME a column of it"},
		{"levels", 16.0, "[2, 1024]", "levels of the uniform quantiser, which are the tokens; " +
			"Go code can use other quantisers: token.Fit with process.NewRecording"},
		{"range", []float64{}, "[] or [low, high]", "range of the levels, to which samples are clipped; use the same " +
			"range for recordings that you compare; [] means from the least sample to the greatest"},
		{"holdout", 0.2, "[0, 0.9]", "share of the samples, at the end, held out for evaluation " +
			"and never used in training; 0 holds nothing out"},
		{"validation", 0.0, "[0, 0.7]", "share of the samples, before those held out, on which train.stop chooses " +
			"the step of the model; never used in training"},
	},
	Summary: "windows of a recording of your own, quantised; " +
		"its best possible prediction is not known, so a model is evaluated on a held-out part",
	New: newOwn,
}

// newOwn makes the catalogue's recording.
func newOwn(p Params) (Sampler, error) {
	const name = "recording"
	levels, err := p.Whole(name, "levels", 2, mostLevels)
	if err != nil {
		return nil, err
	}
	if n := len(p.List("signal")); n < 2 || n > mostSignal {
		return nil, badParam(name, "signal", "has %d numbers, want 2 to %d; "+
			"Go code can use process.NewSignal for a longer one", n, mostSignal)
	}
	var r *Recording
	switch span := p.List("range"); len(span) {
	case 0:
		r, err = NewSignal(name, p.List("signal"), levels)
	case 2:
		r, err = NewSignalWithin(name, p.List("signal"), span[0], span[1], levels)
	default:
		err = badParam(name, "range", "has %d numbers, want [low, high], such as [0, 5]", len(span))
	}
	if err != nil {
		return nil, err
	}
	if r, err = r.HoldOut(p.Number("holdout")); err != nil {
		return nil, err
	}
	return asSampler(r.WithValidation(p.Number("validation")))
}
