package token

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// nearestByTrying is the first codeword with the least squared distance.
func nearestByTrying(v *Vector, x []float64) int {
	best, least := 0, math.Inf(1)
	for i := range v.levels[0] {
		if d := distanceUpTo(x, v.Codeword(i), math.Inf(1)); d < least {
			best, least = i, d
		}
	}
	return best
}

// The search from the middle finds what trying all codewords finds, ties included.
func TestNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		block := rapid.IntRange(1, 3).Draw(t, "block")
		vector := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-9, 9), rapid.SampledFrom([]float64{-1, 0, 1, 2})), block, block)
		v, err := NewVector(rapid.SliceOfN(vector, 2, 20).Draw(t, "codewords"))
		if err != nil {
			t.Fatal(err)
		}
		x := vector.Draw(t, "x")
		if got, _ := v.nearest(x); got != nearestByTrying(v, x) {
			t.Fatalf("token %d, want %d", got, nearestByTrying(v, x))
		}
	})
}

// Four clusters are found, whatever the seed: their centres are the codewords, in order.
func TestVectorFindsClusters(t *testing.T) {
	noise := gaussian(4000, 0, 0.01, 5)
	centers := [][]float64{{-3, 1}, {-3, 5}, {0, 0}, {7, -2}}
	var x []float64
	for i := 0; i+1 < len(noise); i += 2 {
		c := centers[i/2%4]
		x = append(x, c[0]+noise[i], c[1]+noise[i+1])
	}
	for seed := range uint64(10) {
		v, err := FitVector(x, 2, 4, seed)
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range centers {
			if got := v.Codeword(k); math.Hypot(got[0]-want[0], got[1]-want[1]) > 0.005 {
				t.Errorf("seed %d: codeword %d is %v, want %v", seed, k, got, want)
			}
		}
	}
}

// A codebook as large as there are distinct blocks has no distortion, one of blocks of
// one sample is nearly the optimal scalar quantiser, and longer blocks of a signal that
// repeats itself cost less.
func TestVectorDistortion(t *testing.T) {
	few := []float64{1, 2, 3, 4, 1, 2, 5, 6, 3, 4}
	v, err := FitVector(few, 2, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := Distortion(v, few); err != nil || d != 0 {
		t.Errorf("three codewords of three blocks: distortion %v (%v)", d, err)
	}
	x := gaussian(5000, 0, 1, 9)
	optimal, err := FitOptimal(x, 8)
	if err != nil {
		t.Fatal(err)
	}
	scalar, err := FitVector(x, 1, 8, 1)
	if err != nil {
		t.Fatal(err)
	}
	least, _ := Distortion(optimal, x)
	if d, err := Distortion(scalar, x); err != nil || d < least*(1-1e-9) || d > 1.01*least {
		t.Errorf("distortion %v (%v), the least %v", d, err, least)
	}
	s := wave(20000, 0, 4)
	pairs, err := FitVector(s, 2, 64, 1)
	if err != nil {
		t.Fatal(err)
	}
	single, err := FitOptimal(s, 8) // 3 bits a sample, too
	if err != nil {
		t.Fatal(err)
	}
	a, _ := Distortion(pairs, s)
	b, _ := Distortion(single, s)
	if a >= b {
		t.Errorf("pairs have distortion %v, single samples %v", a, b)
	}
}

func TestVectorBadInput(t *testing.T) {
	for want, fit := range map[string]func() (Quantizer, error){
		"vector: a block of 64 samples is longer than the signal of 10": func() (Quantizer, error) {
			return Fit("vector", Params{"block": 64}, gaussian(10, 0, 1, 1))
		},
		"vector: 64 codewords, but the signal has 2 distinct blocks of 2 samples: want at most 2 codewords": func() (Quantizer, error) {
			return Fit("vector", nil, []float64{1, 2, 3, 4, 1, 2, 3, 4, 3})
		},
		"vector: every block of 2 samples is the same: want another block length": func() (Quantizer, error) {
			return Fit("vector", nil, []float64{0, 1, 0, 1, 0, 1, 0})
		},
		"product: a block of 5 samples cannot be divided into 2 equal parts": func() (Quantizer, error) {
			return Fit("product", Params{"block": 5}, gaussian(100, 0, 1, 1))
		},
		"product: a block of 4 samples is longer than the signal of 3": func() (Quantizer, error) {
			return Fit("product", nil, gaussian(3, 0, 1, 1))
		},
		"product: no quantisers were given: want at least one": func() (Quantizer, error) { return asQuantizer(NewProduct()) },
		"vector: codeword 1 has 1 components, but the first has 2": func() (Quantizer, error) {
			return asQuantizer(NewVector([][]float64{{1, 2}, {3}}))
		},
		"window: a window of 64 samples is longer than the signal of 63": func() (Quantizer, error) {
			return Fit("window", nil, gaussian(63, 0, 1, 1))
		},
		"window: every window of 2 samples is constant: want a longer window": func() (Quantizer, error) {
			return Fit("window", Params{"window": 2}, []float64{1, 1, 2, 2, 7, 7})
		},
		"window: samples normalised by their windows: lloyd_max: 16 levels, but the samples have 4 distinct values: want at most 4 levels": func() (Quantizer, error) {
			return Fit("window", Params{"window": 4}, []float64{1, 2, 3, 4})
		},
	} {
		if q, err := fit(); err == nil || err.Error() != want || q != nil {
			t.Errorf("%v, %v, want %s", q != nil, err, want)
		}
	}
}

// A product of scalar quantisers is each of them on its own samples.
func TestProduct(t *testing.T) {
	a, _ := NewUniform(0, 10, 11)
	b, _ := NewUniform(-1, 1, 3)
	p, err := NewProduct(a, b, a)
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := p.Encode(nil, []float64{3, 0.9, 8, 20, -0.1, -20})
	if want := []int32{3, 2, 8, 10, 1, 0}; err != nil || !slices.Equal(tokens, want) {
		t.Errorf("tokens %v (%v), want %v", tokens, err, want)
	}
	x, err := p.Decode(nil, tokens)
	if want := []float64{3, 1, 8, 10, 0, 0}; err != nil || !slices.Equal(x, want) {
		t.Errorf("decoded %v (%v), want %v", x, err, want)
	}
}

// A series whose level wanders far beyond what a window does: windows need much fewer
// levels for the same distortion.
func TestWindowsOfUnknownLevel(t *testing.T) {
	x := wave(1<<13, 0, 6)
	for i := range x {
		x[i] = (1+0.9*math.Sin(float64(i)/700))*x[i] + 1000*math.Sin(float64(i)/3000)
	}
	windows, err := FitWindows(x, 32, 256, 16, 16)
	if err != nil {
		t.Fatal(err)
	}
	scalar, err := FitOptimal(x, 32)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := Distortion(windows, x)
	b, _ := Distortion(scalar, x)
	if Rate(windows) > Rate(scalar) || a > b/100 {
		t.Errorf("windows have distortion %v at %v bits, a scalar quantiser %v at %v", a, Rate(windows), b, Rate(scalar))
	}
}

// The same window at another level and loudness has the same tokens but the first two,
// where the frames of the grid allow it, and a frame takes both off.
func TestFrames(t *testing.T) {
	x := gaussian(100, 0, 1, 2)
	f, err := FrameOf(x)
	if err != nil {
		t.Fatal(err)
	}
	moved := make([]float64, len(x))
	for i, v := range x {
		moved[i] = 16*v - 1024
	}
	g, err := FrameOf(moved)
	if err != nil {
		t.Fatal(err)
	}
	a, b := f.Normalize(nil, x), g.Normalize(nil, moved)
	back := g.Restore(nil, b)
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-11 || math.Abs(back[i]-moved[i]) > 1e-11 {
			t.Fatalf("sample %d: %v and %v, restored %v of %v", i, a[i], b[i], back[i], moved[i])
		}
	}
	if f, err := FrameOf([]float64{0.1, 0.1, 0.1}); err != nil || f != (Frame{0.1, 1}) {
		t.Errorf("a constant has the frame %v (%v)", f, err)
	}
	for _, bad := range [][]float64{nil, {math.NaN()}, {1, math.Inf(1)}} {
		_, err := FrameOf(bad)
		isOneLine(t, err)
	}
}

// The longest block is 1024 samples.
func TestLongestBlock(t *testing.T) {
	q, err := FitVector(gaussian(2048, 0, 1, 1), 1024, 2, 1)
	if err != nil || q.Block() != 1024 {
		t.Errorf("%v (%v)", q, err)
	}
}
