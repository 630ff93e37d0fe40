package process

// mostSignal bounds the samples of the catalogue's recording, which stand in a
// configuration as numbers.
const mostSignal = 100_000

// someTide are heights of a tide in metres, hour by hour: the recording that is there
// without one of one's own.
var someTide = []float64{
	2.1, 3.4, 4.2, 4.4, 3.8, 2.6, 1.4, 0.7, 0.6, 1.3, 2.5, 3.7,
	4.4, 4.3, 3.4, 2.2, 1.1, 0.6, 0.8, 1.7, 2.9, 4, 4.5, 4.1,
}

var recordingEntry = Entry{
	Name: "recording",
	Kind: "signal",
	Params: []Param{
		{"signal", someTide, "2 to 100000 numbers", "samples at equal distances in time; " +
			"@FILE.csv reads a file, @FILE.csv:2 or @FILE.csv:NAME a column of it"},
		{"levels", 16.0, "[2, 1024]", "levels of the uniform quantiser, which are the tokens; " +
			"other quantisers are in Go, as token.Fit with process.NewRecording"},
		{"range", []float64{}, "[] or [low, high]", "what the levels span, to which samples are clipped: the same " +
			"for recordings that are compared; [] from the least sample to the greatest"},
	},
	Summary: "windows of a recording of one's own, quantised: numbers of a signal, as of a file",
	New: func(p Params) (Process, error) {
		const name = "recording"
		levels, err := p.Whole(name, "levels", 2, mostLevels)
		if err != nil {
			return nil, err
		}
		if n := len(p.List("signal")); n < 2 || n > mostSignal {
			return nil, badParam(name, "signal", "has %d numbers, want 2 to %d; "+
				"process.NewSignal makes the process of a longer one in Go", n, mostSignal)
		}
		switch span := p.List("range"); len(span) {
		case 0:
			return asProcess(NewSignal(name, p.List("signal"), levels))
		case 2:
			return asProcess(NewSignalWithin(name, p.List("signal"), span[0], span[1], levels))
		default:
			return nil, badParam(name, "range", "has %d numbers, want [low, high], such as [0, 5]", len(span))
		}
	},
}
