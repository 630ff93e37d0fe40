package signals

import (
	"math"

	"foretell/token"
)

// coder is a kind of quantiser that is measured at several rates.
type coder struct {
	name   string
	family int // index in families
	// fit prepares the coder for the samples x. The function that it returns fits the
	// quantiser of a given rate, in bits a sample, or returns nil if the coder has no
	// quantiser of that rate.
	fit func(x []float64) (func(rate float64) (token.Quantizer, error), error)
}

// families are groups of coders, with one figure each: its file, and what to see in it.
var families = []struct{ name, file, seen string }{
	{
		"single samples", "single-samples",
		"The curves of uniform and companding quantisers are far above Lloyd–Max. The high-rate law approaches " +
			"Lloyd–Max.",
	},
	{
		"blocks, codebooks", "codebooks",
		"On the Gaussian all curves are near Lloyd–Max, on other signals below it.",
	},
	{
		"blocks, transforms", "transforms",
		"On the Gaussian all curves coincide with Lloyd–Max; on other signals they are below it.",
	},
}

// Names of coders.
const (
	uniformCoder  = "uniform"
	lloydMaxCoder = "Lloyd–Max"
	aLawCoder     = "A-law"
	highRateCoder = "high-rate law"
	dctCoder      = "DCT"
	vectorCoder   = "vectors"
	productCoder  = "product"
	learnedCoder  = "learned"
)

// named is the name of a quantiser in package token, with its label in reports.
type named struct{ table, label string }

var (
	scalars = []named{
		{"uniform", uniformCoder},
		{"lloyd_max", lloydMaxCoder},
		{"mu_law", "µ-law"},
		{"a_law", aLawCoder},
		{"high_rate", highRateCoder},
	}
	transforms = []named{{"dft", "DFT"}, {"dct", dctCoder}, {"haar", "Haar"}, {"daubechies4", "Daubechies-4"}}
)

// samplesABlock is the number of samples in a block of the transforms, the product
// quantiser and the learned quantiser.
const samplesABlock = 16

// coders returns the quantisers whose distortion is measured.
func (p profile) coders() (all []coder) {
	for _, s := range scalars {
		all = append(all, fromTable(s, 0, scalarParams))
	}
	all = append(all,
		fromTable(named{"vector", vectorCoder}, 1, vectorParams),
		fromTable(named{"product", productCoder}, 1, productParams),
		fromTable(named{"learned", learnedCoder}, 1, p.learnedParams))
	for _, t := range transforms {
		all = append(all, fromCoefficients(t))
	}
	return all
}

// fromTable returns a coder that is a quantiser of package token. The function params
// returns the quantiser's parameters for a rate, or nil if the coder does not have that
// rate.
func fromTable(of named, family int, params func(rate float64) token.Params) coder {
	return coder{of.label, family, func(x []float64) (func(rate float64) (token.Quantizer, error), error) {
		return func(rate float64) (token.Quantizer, error) {
			if p := params(rate); p != nil {
				return token.Fit(of.table, p, x)
			}
			return nil, nil
		}, nil
	}}
}

// fromCoefficients returns a transform coder. Its coefficients are fitted once for all
// rates.
func fromCoefficients(of named) coder {
	return coder{of.label, 2, func(x []float64) (func(rate float64) (token.Quantizer, error), error) {
		c, err := token.FitCoefficients(x, of.table, samplesABlock)
		if err != nil {
			return nil, err
		}
		return func(rate float64) (token.Quantizer, error) { return c.Share(int(samplesABlock * rate)) }, nil
	}}
}

func scalarParams(rate float64) token.Params {
	if rate < 1 {
		return nil
	}
	return token.Params{"levels": math.Exp2(rate)}
}

// mostVectorBits limits the codebooks of vectors: they have at most 2^mostVectorBits
// codewords.
const mostVectorBits = 8

// vectorParams returns the parameters of a quantiser of vectors, or nil if the rate is
// too large. Vectors have 8, 4 or 2 samples, whichever is the longest for which the
// codebook is not too large.
func vectorParams(rate float64) token.Params {
	for block := 8.0; block >= 2; block /= 2 {
		if bits := rate * block; bits <= mostVectorBits {
			return token.Params{"block": block, "codewords": math.Exp2(bits)}
		}
	}
	return nil
}

// codeBits is the number of bits in each code of the learned quantiser, and in each part
// of the product quantiser. mostLearned is the largest rate of both, in bits a sample.
const (
	codeBits    = 4
	mostLearned = 2
)

func productParams(rate float64) token.Params {
	if rate > mostLearned {
		return nil
	}
	return token.Params{"block": samplesABlock, "parts": samplesABlock * rate / codeBits, "codewords": 1 << codeBits}
}

func (p profile) learnedParams(rate float64) token.Params {
	if rate > mostLearned {
		return nil
	}
	return token.Params{
		"block": samplesABlock, "codes": samplesABlock * rate / codeBits, "codewords": 1 << codeBits,
		"steps": float64(p.quantising.learnedSteps),
	}
}

// eventWait is the longest wait between events, in samples, that one token of an event
// code can represent.
const eventWait = 64

// measureEvents measures event codes of the crossings of 1, 3, 7, 15 and 31 thresholds:
// their bits a sample, and the distortion of the signal that is rebuilt from them.
func measureEvents(s source) (rateCurve, error) {
	curve := rateCurve{source: s.name, coder: "events"}
	for thresholds := 1; thresholds < lectureLevels; thresholds = 2*thresholds + 1 {
		params := token.Params{"thresholds": float64(thresholds), "hysteresis": 0}
		d, err := token.FitDetector("crossings", params, s.train)
		if err != nil {
			return curve, err
		}
		point, err := eventPoint(d, s)
		if err != nil {
			return curve, err
		}
		curve.points = append(curve.points, point)
	}
	return curve, nil
}

// eventPoint measures the event code of a detector. The code represents the time and the
// kind of each event, and no value.
func eventPoint(d token.Detector, s source) (ratePoint, error) {
	p := ratePoint{returned: 1}
	code, err := token.NewEventCode(len(d.Kinds()), eventWait, nil)
	if err != nil {
		return p, err
	}
	events, err := d.Detect(s.held)
	if err != nil {
		return p, err
	}
	tokens, err := code.Encode(nil, events, len(s.held))
	if err != nil {
		return p, err
	}
	rebuilt, err := d.Rebuild(events, len(s.held))
	p.rate = code.Rate(len(tokens), len(s.held))
	p.entropy, p.distortion = p.rate, s.distortion(s.held, rebuilt)
	return p, err
}
