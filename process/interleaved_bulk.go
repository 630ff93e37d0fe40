package process

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// ChainSampler draws sequences of interleaved chains of a known lag in bulk: tokens of
// one byte, many sequences side by side, so that what one waits for from memory another
// computes. It is for analyses that need more tokens than a training; Sample, which
// draws what models learn from, has streams and bits of its own.
//
// A token takes 32 random bits and one look into an alias table of eight bytes an entry.
// Its probability is a whole multiple of 2⁻³², within 2⁻³¹ of that of P or π. It is safe
// for use by many goroutines.
type ChainSampler struct {
	longest int
	bits    uint // of a bucket's number
	rows    *[1 << 16]uint64
	start   *[1 << 16]uint64 // its first buckets
}

// mostBytes is how many tokens a byte holds.
const mostBytes = 256

// ChainSampler returns a sampler of the process's sequences. It is an error when there
// are more than 256 tokens.
func (c *Interleaved) ChainSampler() (*ChainSampler, error) {
	a := c.Alphabet()
	if a > mostBytes {
		return nil, fmt.Errorf("interleaved: %d tokens, of which a byte holds %d", a, mostBytes)
	}
	s := &ChainSampler{
		longest: c.longest(), bits: uint(bits.Len(uint(a - 1))),
		rows: new([1 << 16]uint64), start: new([1 << 16]uint64),
	}
	copy(s.start[:], byteAlias(c.pi, s.bits))
	for i, row := range c.p {
		copy(s.rows[i<<s.bits:], byteAlias(row, s.bits))
	}
	return s, nil
}

// Fill draws so many sequences of Algorithm 1 of a lag into dst, (len(dst)/sequences,
// sequences): token t of sequence n is dst[t·sequences+n]. It takes one value from src,
// the seed of a SplitMix64 stream (Steele et al. 2014), of which each number makes two
// tokens in the order of dst. It panics when dst holds no whole number of tokens of each
// sequence, or when the lag is below 1 or above the largest of the process.
func (s *ChainSampler) Fill(dst []uint8, sequences, lag int, src rand.Source) {
	if sequences < 1 || len(dst)%sequences != 0 {
		panic(fmt.Sprintf("process: %d tokens are no whole number for each of %d sequences", len(dst), sequences))
	}
	if lag < 1 || lag > s.longest {
		panic(fmt.Sprintf("process: lag %d is not in [1, %d]", lag, s.longest))
	}
	state := src.Uint64()
	independent := min(s.longest*sequences, len(dst))
	state = fillFrom(s.start, s.bits, dst[:independent], make([]uint8, independent), state)
	fillFrom(s.rows, s.bits, dst[independent:], dst[independent-min(lag*sequences, independent):], state)
}

// splitMixStep is the increment of SplitMix64's state.
const splitMixStep = 0x9E3779B97F4A7C15

// splitMix is the output function of SplitMix64.
func splitMix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// fillFrom draws each token of dst from the table's row of the one at the same place of
// from, which may overlap with what is drawn before it. It returns the stream's state.
func fillFrom(table *[1 << 16]uint64, bits uint, dst, from []uint8, state uint64) uint64 {
	from = from[:len(dst)]
	bits, down := bits&31, (32-bits)&63
	n := 0
	for ; n+1 < len(dst); n += 2 {
		state += splitMixStep
		u := splitMix(state)
		low, high := u&(1<<32-1), u>>32
		a := table[uint16(uint64(from[n])<<bits|low>>down)]
		dst[n] = uint8(a >> ((low - a>>16) >> 60 & 8))
		b := table[uint16(uint64(from[n+1])<<bits|high>>down)]
		dst[n+1] = uint8(b >> ((high - b>>16) >> 60 & 8))
	}
	if n < len(dst) {
		state += splitMixStep
		u := splitMix(state) & (1<<32 - 1)
		a := table[uint16(uint64(from[n])<<bits|u>>down)]
		dst[n] = uint8(a >> ((u - a>>16) >> 60 & 8))
	}
	return state
}

// byteAlias is an alias table (Walker 1977) over 2^bits buckets for draws of 32 bits: the
// upper ones are the bucket, and a draw below the bucket's threshold is its own token,
// one from there on the alias. An entry is threshold·2¹⁶ + own·2⁸ + alias.
func byteAlias(p []float64, bits uint) []uint64 {
	buckets := 1 << bits
	full := uint64(1) << (32 - bits) // the capacity of a bucket, in units of 2⁻³²
	mass := integerMasses(append(slices.Clone(p), make([]float64, buckets-len(p))...), 1<<32)
	table := make([]uint64, buckets)
	var small, large []int
	for b, m := range mass {
		table[b] = (uint64(b)*full+full)<<16 | uint64(uint8(b))<<8 // a full bucket
		switch {
		case m < full:
			small = append(small, b)
		case m > full:
			large = append(large, b)
		}
	}
	for len(small) > 0 {
		b, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		table[b] = (uint64(b)*full+mass[b])<<16 | uint64(uint8(b))<<8 | uint64(uint8(l))
		if mass[l] -= full - mass[b]; mass[l] <= full {
			large = large[:len(large)-1]
			if mass[l] < full {
				small = append(small, l)
			}
		}
	}
	return table
}
