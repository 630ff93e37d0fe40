package random

import (
	"slices"
	"testing"
)

// A stream that was used and is reset is a new one, wherever it had come to.
func TestResetIsNew(t *testing.T) {
	for _, used := range []int{0, 1, 3, 4, 5, 100} {
		for _, indices := range [][]uint64{nil, {7}, {0, 2}, {1, 2, 3}} {
			s := New(5, "before", 9, 8, 7)
			for range used {
				s.Uint64()
			}
			s.Reset(1, Purpose("after"), indices...)
			fresh := New(1, "after", indices...)
			for i := range 9 {
				if got, want := s.Uint64(), fresh.Uint64(); got != want {
					t.Fatalf("after %d numbers, indices %v: number %d is %x, want %x", used, indices, i, got, want)
				}
			}
		}
	}
}

// Shuffling n elements takes n−1 numbers, each below the number of elements that are
// left: none for one element, and none for none.
func TestShuffleTakesANumberLess(t *testing.T) {
	for n := range 12 {
		a, b := New(3, "shuffle"), New(3, "shuffle")
		var got, want [][2]int
		a.Shuffle(n, func(i, j int) { got = append(got, [2]int{i, j}) })
		for left := n; left >= 2; left-- {
			want = append(want, [2]int{left - 1, b.IntN(left)})
		}
		if !slices.Equal(got, want) || a.Uint64() != b.Uint64() {
			t.Errorf("%d elements: swaps %v, want %v", n, got, want)
		}
	}
}

// Numbers below a bound above 2⁶³ are rejected about half the time, and are the ones of
// the definition then, too.
func TestIntNRejects(t *testing.T) {
	const n = 1<<62 + 1<<61 + 1 // of which 2⁶⁴ holds two, and a third part of one
	s, raw := New(2, "reject"), New(2, "reject")
	for range 200 {
		got := s.IntN(n)
		if got < 0 || got >= n {
			t.Fatalf("%d is outside [0, %d)", got, n)
		}
		rejected := 0
		for {
			hi, lo := mul(raw.Uint64(), n)
			if threshold := (1<<64 - 1 - (n - 1)) % n; lo >= uint64(threshold) {
				if int(hi) != got {
					t.Fatalf("%d after %d rejections, want %d", got, rejected, hi)
				}
				break
			}
			rejected++
		}
	}
}

// mul multiplies by halves of the words.
func mul(x, y uint64) (hi, lo uint64) {
	const half = 1<<32 - 1
	low := (x & half) * (y & half)
	middle := (x>>32)*(y&half) + low>>32
	other := (x&half)*(y>>32) + middle&half
	return (x>>32)*(y>>32) + middle>>32 + other>>32, other<<32 | low&half
}
