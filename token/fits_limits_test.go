package token

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"foretell/internal/random"
)

// The frames of windows are all pairs of a mean, in equal steps from the least mean of a
// window to the greatest, and a scale, in equal ratios.
func TestFramesAreAGrid(t *testing.T) {
	wave := func(mean, scale float64) []float64 { // four samples with this mean and deviation
		return []float64{mean - scale, mean + scale, mean + scale, mean - scale}
	}
	for what, test := range map[string]struct {
		x             []float64
		means, scales []float64
	}{
		"means and scales":      {slices.Concat(wave(0, 1), wave(6, 8)), []float64{0, 2, 4, 6}, []float64{1, 2, 4, 8}},
		"a constant window":     {slices.Concat(wave(0, 1), wave(3, 8), wave(6, 0)), []float64{0, 2, 4, 6}, []float64{1, 2, 4, 8}},
		"a thousandth":          {slices.Concat(wave(0, 1000), wave(3000, 0.5)), []float64{0, 1000, 2000, 3000}, []float64{1, 10, 100, 1000}},
		"scales a factor 2 off": {slices.Concat(wave(0, 1), wave(6, 2)), []float64{0, 2, 4, 6}, []float64{1, math.Cbrt(2), math.Cbrt(4), 2}},
		"scales nearly alike": {
			slices.Concat(wave(0, 1), wave(6, 1.44)),
			[]float64{0, 2, 4, 6},
			[]float64{1.2 / math.Sqrt2, 1.2 / math.Sqrt2 * math.Cbrt(2), 1.2 / math.Sqrt2 * math.Cbrt(4), 1.2 * math.Sqrt2},
		},
		"means nearly alike":  {slices.Concat(wave(4, 3), wave(4, 24)), []float64{2.5, 3.5, 4.5, 5.5}, []float64{3, 6, 12, 24}},
		"means a scale apart": {slices.Concat(wave(1, 3), wave(4, 24)), []float64{1, 2, 3, 4}, []float64{3, 6, 12, 24}},
	} {
		w := &Windows{window: 4, scales: 4}
		own, err := w.fitFrames(test.x, 4)
		if err != nil {
			t.Fatal(err)
		}
		if len(own)%4 != 0 || len(own) != 8 {
			t.Errorf("%s: %d samples of windows that vary", what, len(own))
		}
		for _, v := range own {
			if math.Abs(math.Abs(v)-1) > 1e-12 {
				t.Errorf("%s: a normalised sample is %v, want 1 or -1", what, v)
			}
		}
		for i, mean := range test.means {
			for j, scale := range test.scales {
				if f := w.frames[4*i+j]; math.Abs(f.Mean-mean) > 1e-9 || math.Abs(f.Scale/scale-1) > 1e-12 {
					t.Errorf("%s: frame %d, %d is %v, want %v and %v", what, i, j, f, mean, scale)
				}
			}
		}
	}
	w := &Windows{window: 4, scales: 4}
	if _, err := w.fitFrames(slices.Concat(wave(1, 0), wave(2, 0)), 4); err == nil {
		t.Error("windows without any scale have frames")
	}
}

// A coefficient gets at most 8 bits, a cell for each 8 blocks and for each value.
func TestBitsOfACoefficient(t *testing.T) {
	s := random.New(3, "test/coefficients")
	for _, n := range []int{15, 16, 31, 32, 127, 128, 2047, 2048, 2049, 4096} {
		for _, distinct := range []int{2, 3, 4, 7, 8, 300, 5000} {
			column := make([]float64, n)
			for i := range column {
				column[i] = float64(i % distinct)
				if distinct > 1000 {
					column[i] = s.Normal()
				}
			}
			all, distortions, err := byBits(column, 1)
			if err != nil {
				t.Fatal(err)
			}
			want := 8
			for want > 0 && (1<<want > n/8 || 1<<want > min(n, distinct)) {
				want--
			}
			if len(all) != want+1 || len(distortions) != want+1 || all[0] != nil || distortions[0] != 1 {
				t.Errorf("%d blocks, %d values: up to %d bits, want %d", n, distinct, len(all)-1, want)
			}
			for b, q := range all[1:] {
				if levels := q.Levels()[0]; bits.Len(uint(levels)) != b+2 || levels != 2<<b {
					t.Errorf("%d bits have %d levels", b+1, levels)
				}
			}
		}
	}
}

// Coefficients are fitted on at least 16 blocks, and get 1 bit to 8 for each.
func TestBlocksAndBitsAtTheirLimits(t *testing.T) {
	x := gaussian(4*16, 0, 1, 5)
	if _, err := FitCoefficients(x[:63], "dct", 4); err == nil {
		t.Error("fifteen blocks are enough")
	}
	c, err := FitCoefficients(x, "dct", 4)
	if err != nil {
		t.Fatal(err)
	}
	for share, want := range map[int]bool{-1: false, 0: false, 1: true, 4: true, 32: true, 33: false} {
		q, err := c.Share(share)
		if (err == nil) != want {
			t.Errorf("%d bits: %v", share, err)
			continue
		}
		total := 0
		if err == nil {
			for _, b := range q.Bits() {
				total += b
			}
			if total != min(share, 4) { // of 16 blocks a coefficient can use one bit
				t.Errorf("of %d bits %d are used", share, total)
			}
		}
	}
}

// Each part of a product is fitted on its own samples, of all blocks that hold the part
// whole, with a seed of its own.
func TestPartsOfAProduct(t *testing.T) {
	const block, parts, codewords, seed = 6, 3, 4, 9
	x := gaussian(6*40, 0, 1, 2)
	p, err := FitProduct(x, block, parts, codewords, seed)
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range p.parts {
		var own []float64
		for b := range len(x) / block {
			own = append(own, x[b*block+2*i], x[b*block+2*i+1])
		}
		want, err := FitVector(own, 2, codewords, seed+uint64(i)<<54)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(part.(*Vector).codewords, want.codewords) {
			t.Errorf("part %d has other codewords", i)
		}
	}
	for _, bad := range []int{-1, 0, 4, 5, 7} {
		if _, err := FitProduct(x, block, bad, codewords, seed); err == nil {
			t.Errorf("a block of 6 is divided into %d parts", bad)
		}
	}
}
