package token

import (
	"fmt"
	"slices"
)

var productTokenizer = Tokenizer{
	Name: "product",
	Params: []Param{
		{"block", 4, 2, longestBlock, true, "samples in a block"},
		{"parts", 2, 2, longestBlock, true, "number of parts of a block, each with a codebook"},
		{"codewords", 64, 2, mostLevels, true, "vectors in each codebook"},
		seedParam,
	},
	Summary: "a vector quantiser for each part of a block",
	Fit: func(x []float64, p Params) (Quantizer, error) {
		return asQuantizer(FitProduct(x, p.whole("block"), p.whole("parts"), p.whole("codewords"), uint64(p["seed"])))
	},
}

const productName = "product"

// Product combines quantisers. Its block consists of one block of each quantiser, one
// after the other. The tokens of a block are in the same order.
type Product struct {
	parts  []Quantizer
	block  int
	levels []int
}

// NewProduct returns the product of one or more quantisers.
func NewProduct(parts ...Quantizer) (*Product, error) {
	if len(parts) == 0 {
		return nil, fmt.Errorf("%s: no quantisers were given: want at least one", productName)
	}
	p := &Product{parts: slices.Clone(parts)}
	for _, part := range parts {
		p.block += part.Block()
		p.levels = append(p.levels, part.Levels()...)
	}
	return p, nil
}

// FitProduct divides blocks into equal parts and fits a vector quantiser for each part
// ([FitVector]). It returns an error if the parts do not divide the block evenly.
func FitProduct(x []float64, block, parts, codewords int, seed uint64) (*Product, error) {
	if err := checkBlock(productName, len(x), block); err != nil {
		return nil, err
	}
	if parts < 1 || block%parts != 0 {
		return nil, fmt.Errorf("%s: a block of %d samples cannot be divided into %d equal parts",
			productName, block, parts)
	}
	if err := checkTraining(productName, x); err != nil {
		return nil, err
	}
	quantizers, width := make([]Quantizer, parts), block/parts
	for i := range quantizers {
		var own []float64
		for at := i * width; at+block-i*width <= len(x); at += block {
			own = append(own, x[at:at+width]...)
		}
		v, err := FitVector(own, width, codewords, seed+uint64(i)<<54)
		if err != nil {
			return nil, fmt.Errorf("%s: part %d: %w", productName, i, err)
		}
		quantizers[i] = v
	}
	return NewProduct(quantizers...)
}

// Block returns the total number of samples of all parts.
func (p *Product) Block() int { return p.block }

// Levels returns the alphabet sizes of all tokens in a block, one part after the other.
func (p *Product) Levels() []int { return p.levels }

// Encode appends the tokens of x; see [Quantizer].
func (p *Product) Encode(dst []int32, x []float64) ([]int32, error) {
	if err := checkBlocks(productName, len(x), p.block); err != nil {
		return dst, err
	}
	if err := checkSamples(productName, x); err != nil {
		return dst, err
	}
	all := slices.Grow(dst, len(x)/p.block*len(p.levels))
	for at := 0; at < len(x); {
		for _, part := range p.parts {
			var err error
			if all, err = part.Encode(all, x[at:at+part.Block()]); err != nil {
				return dst, err
			}
			at += part.Block()
		}
	}
	return all, nil
}

// Decode appends the samples for the tokens; see [Quantizer].
func (p *Product) Decode(dst []float64, tokens []int32) ([]float64, error) {
	if err := checkTokens(productName, tokens, p.levels); err != nil {
		return dst, err
	}
	all := slices.Grow(dst, len(tokens)/len(p.levels)*p.block)
	for at := 0; at < len(tokens); {
		for _, part := range p.parts {
			var err error
			if all, err = part.Decode(all, tokens[at:at+len(part.Levels())]); err != nil {
				return dst, err
			}
			at += len(part.Levels())
		}
	}
	return all, nil
}
