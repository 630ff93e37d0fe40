package process

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// ChainSampler draws sequences of interleaved chains of a known lag in bulk. Tokens are
// bytes. The sampler draws one token of every sequence before the next token of any, so
// the memory latency of one sequence overlaps with the computation of others. A
// ChainSampler serves analyses that need more tokens than training does. Sample, which
// draws the data for training, uses different random streams and gives different tokens.
//
// A token takes 32 random bits and one look-up in an alias table of eight bytes per
// entry. Its probability is a multiple of 2⁻³², within 2⁻³¹ of the probability in P or
// π. A ChainSampler is safe for concurrent use.
type ChainSampler struct {
	longest int
	bits    uint             // number of bits of a bucket's index
	rows    *[1 << 16]uint64 // [token << bits | bucket]: the alias tables of the rows of P
	start   *[1 << 16]uint64 // [bucket]: the alias table of π; only the first buckets are used
}

// mostBytes is the number of different tokens that a byte can represent.
const mostBytes = 256

// ChainSampler returns a sampler of the process's sequences. It returns an error if there
// are more than 256 tokens.
func (c *Interleaved) ChainSampler() (*ChainSampler, error) {
	a := c.Alphabet()
	if a > mostBytes {
		return nil, fmt.Errorf("interleaved: %d tokens do not fit into a byte, want at most %d", a, mostBytes)
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

// Fill draws sequences of Algorithm 1 of D'Angelo et al. 2025 with the given lag into
// dst, (len(dst)/sequences, sequences): token t of sequence n is dst[t·sequences+n]. It
// takes one value from src, the seed of a SplitMix64 stream (Steele et al. 2014); each
// number of this stream yields two tokens in the order of dst. It panics when len(dst) is
// not a multiple of sequences, or when the lag is below 1 or above the largest lag of the
// process.
func (s *ChainSampler) Fill(dst []uint8, sequences, lag int, src rand.Source) {
	if sequences < 1 || len(dst)%sequences != 0 {
		panic(fmt.Sprintf("process: %d tokens cannot be divided into %d sequences of equal length",
			len(dst), sequences))
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

// fillFrom draws each token of dst from a row of the table. The token at the same index
// of sources, which may overlap with earlier parts of dst, selects the row. It returns
// the stream's new state.
func fillFrom(table *[1 << 16]uint64, bits uint, dst, sources []uint8, state uint64) uint64 {
	sources = sources[:len(dst)]
	bits, down := bits&31, (32-bits)&63
	n := 0
	for ; n+1 < len(dst); n += 2 {
		state += splitMixStep
		u := splitMix(state)
		low, high := u&(1<<32-1), u>>32
		a := table[uint16(uint64(sources[n])<<bits|low>>down)]
		dst[n] = uint8(a >> ((low - a>>16) >> 60 & 8))
		b := table[uint16(uint64(sources[n+1])<<bits|high>>down)]
		dst[n+1] = uint8(b >> ((high - b>>16) >> 60 & 8))
	}
	if n < len(dst) {
		state += splitMixStep
		u := splitMix(state) & (1<<32 - 1)
		a := table[uint16(uint64(sources[n])<<bits|u>>down)]
		dst[n] = uint8(a >> ((u - a>>16) >> 60 & 8))
	}
	return state
}

// byteAlias returns an alias table (Walker 1977) over 2^bits buckets for draws of 32
// bits. The upper bits of a draw select the bucket; a draw below the bucket's threshold
// yields its own token, any other draw the alias. An entry is threshold·2¹⁶ + own
// token·2⁸ + alias.
func byteAlias(p []float64, bits uint) []uint64 {
	buckets := 1 << bits
	full := uint64(1) << (32 - bits) // the capacity of a bucket, in units of 2⁻³²
	mass := integerMasses(append(slices.Clone(p), make([]float64, buckets-len(p))...), 1<<32)
	table := make([]uint64, buckets)
	var small, large []int
	for b, m := range mass {
		table[b] = (uint64(b)*full+full)<<16 | uint64(uint8(b))<<8 // a full bucket, which yields its own token
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
