package signals

import (
	"math"

	"foretell/token"
)

// coder is a quantiser by the rate that is asked of it.
type coder struct {
	name   string
	family int // which of families it belongs to
	// fit returns what makes the quantiser of a rate, in bits a sample, for signals like x;
	// that returns nil at rates that it has none for.
	fit func(x []float64) (func(rate float64) (token.Quantizer, error), error)
}

// families are groups of coders, a figure each.
var families = []struct{ name, file, caption, seen string }{
	{
		"single samples", "single-samples",
		"Quantisers of single samples by their rate: near the bound of independent samples or above, whatever the signal.",
		"Uniform and companding quantisers are far above Lloyd–Max, which the high-rate law comes to.",
	},
	{
		"blocks, codebooks", "codebooks",
		"Codebooks of blocks beside Lloyd–Max: vectors are nearer to the bound than single samples on a Gaussian, and " +
			"on other signals blocks gain what samples share.",
		"On the Gaussian all are near Lloyd–Max, on other signals below it.",
	},
	{
		"blocks, transforms", "transforms",
		"Transforms of blocks of 16 beside Lloyd–Max: nothing to gain on a Gaussian, and on other signals what samples " +
			"share.",
		"On the Gaussian all lie on Lloyd–Max, on other signals below it.",
	},
}

// Coders that others are compared with.
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

// named is a quantiser of the table of package token, and how it is called here.
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

// samplesABlock is the block of transforms, of the product and of the learned quantiser.
const samplesABlock = 16

// coders are the quantisers of which distortion is measured.
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

// fromTable is a coder of package token's table; params are those of a rate, nil where it
// has none.
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

// fromCoefficients is a transform, whose coefficients are fitted once for all rates.
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

// mostVectorBits are those of the largest codebook of vectors.
const mostVectorBits = 8

// vectorParams has as long vectors as a codebook has room for: 8, 4 or 2 samples.
func vectorParams(rate float64) token.Params {
	for block := 8.0; block >= 2; block /= 2 {
		if bits := rate * block; bits <= mostVectorBits {
			return token.Params{"block": block, "codewords": math.Exp2(bits)}
		}
	}
	return nil
}

// codeBits are those of each code of the learned quantiser, and of each part of the
// product; mostLearned is the largest rate of both.
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

// eventWait is the longest wait that a token of an event code stands for.
const eventWait = 64

// measureEvents measures codes of where a source crosses 1, 3, 7, 15 and 31 thresholds:
// their bits a sample, and the distortion of what is rebuilt of them.
func measureEvents(s source) (rateCurve, error) {
	curve := rateCurve{source: s.name, coder: "events"}
	for thresholds := 1; thresholds < lectureLevels; thresholds = 2*thresholds + 1 {
		d, err := token.FitDetector("crossings", token.Params{"thresholds": float64(thresholds), "hysteresis": 0}, s.train)
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

// eventPoint measures a detector; its code is without values.
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
