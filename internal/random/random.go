// Package random provides counter-based random streams that are keyed by purpose.
//
// A stream is identified by a seed, a purpose ("train/batch", "init", "shuffle") and up
// to three indices (step, sequence, …). Its numbers depend only on these, not on the
// numbers drawn from other streams, the worker, or whether the run was stopped and
// resumed. That makes a run bit-identical for any number of workers.
//
// The generator is Philox4x64-10 (Salmon et al., "Parallel random numbers: as easy as 1,
// 2, 3", SC 2011), which is also behind NumPy's Philox. It is a block cipher applied to a
// counter: any stream starts immediately, and streams do not overlap.
package random

import (
	"hash/fnv"
	"math"
	"math/bits"

	"foretell/internal/portable"
)

// Stream is a keyed stream of random numbers. It implements [math/rand/v2.Source]. A
// Stream is not safe for concurrent use; create one for each goroutine, distinguished by
// the indices of [New].
type Stream struct {
	key     [2]uint64
	counter [4]uint64
	block   [4]uint64
	used    int // numbers of block already returned; 4 means all
}

// New returns the stream of seed, purpose and indices. Missing indices count as 0. It
// panics if there are more than three indices.
func New(seed uint64, purpose string, indices ...uint64) *Stream {
	s := new(Stream)
	s.Reset(seed, Purpose(purpose), indices...)
	return s
}

// Purpose returns the hash of a purpose, which is an argument of [Stream.Reset].
func Purpose(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// Reset turns s into the stream that [New] would return for these arguments, without
// allocating. purpose is the hash from [Purpose].
func (s *Stream) Reset(seed, purpose uint64, indices ...uint64) {
	if len(indices) > 3 {
		panic("random: more than three indices")
	}
	s.key = [2]uint64{seed, purpose}
	s.counter = [4]uint64{}
	copy(s.counter[1:], indices)
	s.used = len(s.block)
}

// Uint64 returns the next 64 uniform bits.
func (s *Stream) Uint64() uint64 {
	if s.used == len(s.block) {
		s.block = philox(s.counter, s.key)
		s.counter[0]++
		s.used = 0
	}
	x := s.block[s.used]
	s.used++
	return x
}

// Float64 returns a uniform number in [0, 1), a multiple of 2⁻⁵³.
func (s *Stream) Float64() float64 {
	return float64(float64(s.Uint64()>>11) / (1 << 53)) // explicit conversion prevents fusing in callers
}

// IntN returns a uniform integer in [0, n), exactly uniform by rejection. It panics if n
// <= 0.
func (s *Stream) IntN(n int) int {
	if n <= 0 {
		panic("random: IntN needs a positive n")
	}
	// Lemire, "Fast random integer generation in an interval", 2019.
	bound := uint64(n)
	hi, lo := bits.Mul64(s.Uint64(), bound)
	for threshold := -bound % bound; lo < threshold; {
		hi, lo = bits.Mul64(s.Uint64(), bound)
	}
	return int(hi)
}

// Normal returns a standard normal number.
//
// It uses Leva's ratio of uniforms ("A fast normal random number generator", 1992),
// because its result is a single division and therefore has identical bits on every
// machine, unlike the logarithm and cosine of Box–Muller. The logarithm here only decides
// a rejection, with the same outcome everywhere, and the conversions to float64 prevent
// the compiler from fusing multiplications and additions.
func (s *Stream) Normal() float64 {
	for {
		u := 1 - s.Float64() // in (0, 1]
		v := float64(1.7156 * (s.Float64() - 0.5))
		x := u - 0.449871
		y := math.Abs(v) + 0.386595
		q := float64(x*x) + float64(y*float64(float64(0.19600*y)-float64(0.25472*x)))
		switch {
		case q < 0.27597:
			return v / u
		case q > 0.27846:
			continue
		}
		if float64(v*v) <= -4*float64(u*u)*portable.Log(u) {
			return v / u
		}
	}
}

// Gamma draws from the Gamma distribution with the given shape, at least 1, and scale 1,
// by the method of Marsaglia and Tsang (2000). It returns the number as two factors,
// because a caller may need its logarithm.
func (s *Stream) Gamma(shape float64) (d, cube float64) {
	d = shape - 1./3
	c := 1 / math.Sqrt(9*d)
	for {
		x := s.Normal()
		root := 1 + float64(c*x)
		if root <= 0 {
			continue
		}
		cube = float64(root * root * root)
		bound := float64(x*x/2) + d - float64(d*cube) + float64(d*portable.Log(cube))
		if portable.Log(1-s.Float64()) < bound {
			return d, cube
		}
	}
}

// Shuffle permutes n elements uniformly by calling swap (Fisher–Yates).
func (s *Stream) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, s.IntN(i+1))
	}
}

// Multipliers of Philox4x64 and the increments of its key schedule.
const (
	multiplier0, multiplier1 = 0xD2E7470EE14C6C93, 0xCA5A826395121157
	increment0, increment1   = 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B
)

// philox encrypts a counter with ten rounds.
func philox(c [4]uint64, k [2]uint64) [4]uint64 {
	for range 10 {
		hi0, lo0 := bits.Mul64(multiplier0, c[0])
		hi1, lo1 := bits.Mul64(multiplier1, c[2])
		c = [4]uint64{hi1 ^ c[1] ^ k[0], lo1, hi0 ^ c[3] ^ k[1], lo0}
		k[0] += increment0
		k[1] += increment1
	}
	return c
}
