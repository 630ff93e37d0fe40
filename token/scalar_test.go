package token

import (
	"math"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"
)

// The guide counts as a search does, whatever thresholds there are: dense ones, far ones,
// next to each other.
func TestGuideCounts(t *testing.T) {
	number := rapid.OneOf(rapid.Float64Range(-1, 1), rapid.Float64Range(-hugest, hugest),
		rapid.Map(rapid.IntRange(0, 50), func(n int) float64 { return fromOrdinal(ordinal(1) + int64(n)) }),
		rapid.Map(rapid.IntRange(0, 50), func(n int) float64 { return fromOrdinal(int64(n)) }))
	rapid.Check(t, func(t *rapid.T) {
		thresholds := rapid.SliceOfNDistinct(number, 1, 60, rapid.ID[float64]).Draw(t, "thresholds")
		slices.Sort(thresholds)
		g := newGuide(thresholds)
		for _, x := range append(rapid.SliceOf(number).Draw(t, "x"), thresholds...) {
			for _, x := range []float64{x, math.Nextafter(x, math.Inf(1)), math.Nextafter(x, math.Inf(-1))} {
				want := sort.Search(len(thresholds), func(k int) bool { return thresholds[k] > x })
				if got := g.count(x); int(got) != want {
					t.Fatalf("%v of %v are not above %v, want %d", got, thresholds, x, want)
				}
			}
		}
	})
}

func TestNewScalar(t *testing.T) {
	q, err := NewScalar([]float64{0, 1}, []float64{-5, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := q.Encode(nil, []float64{-9, -1e-300, 0, 0.5, 1, 9})
	if want := []int32{0, 0, 1, 1, 2, 2}; err != nil || !slices.Equal(tokens, want) {
		t.Errorf("tokens %v (%v), want %v", tokens, err, want)
	}
	for _, c := range []struct {
		thresholds, points []float64
		want               string
	}{
		{nil, []float64{1}, "scalar: levels = 1 is outside [2, 65536]"},
		{[]float64{1, 2}, []float64{0, 3}, "scalar: 2 thresholds and 2 points: want one more point than thresholds"},
		{[]float64{0}, []float64{0, 3}, "scalar: threshold 0 is 0: want it above the point 0 and not above the next point, 3"},
		{[]float64{math.NaN()}, []float64{0, 3}, "scalar: threshold 0 is NaN: want it above the point 0 and not above the next point, 3"},
		{[]float64{1}, []float64{0, math.Inf(1)}, "scalar: sample 1 is +Inf: want numbers within ±1e+150"},
	} {
		if _, err := NewScalar(c.thresholds, c.points); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// benchmarkEncode reports millions of samples a second, and that none allocates.
func benchmarkEncode(b *testing.B, name string, params Params) {
	x := gaussian(1<<16, 0, 1, 1)
	q, err := Fit(name, params, x)
	if err != nil {
		b.Fatal(err)
	}
	dst := make([]int32, 0, len(x))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := q.Encode(dst, x); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*float64(len(x))/b.Elapsed().Seconds()/1e6, "Msamples/s")
}

func BenchmarkUniform(b *testing.B)    { benchmarkEncode(b, "uniform", nil) }
func BenchmarkUniform256(b *testing.B) { benchmarkEncode(b, "uniform", Params{"levels": 256}) }
func BenchmarkMuLaw(b *testing.B)      { benchmarkEncode(b, "mu_law", nil) }
func BenchmarkMuLaw32(b *testing.B)    { benchmarkEncode(b, "mu_law", Params{"levels": 32}) }
func BenchmarkALaw(b *testing.B)       { benchmarkEncode(b, "a_law", nil) }

func BenchmarkDecode(b *testing.B) {
	x := gaussian(1<<16, 0, 1, 1)
	q, _ := Fit("mu_law", nil, x)
	tokens, _ := q.Encode(nil, x)
	for b.Loop() {
		x, _ = q.Decode(x[:0], tokens)
	}
	b.ReportMetric(float64(b.N)*float64(len(x))/b.Elapsed().Seconds()/1e6, "Msamples/s")
}

// Encoding and decoding into room that is there allocates nothing.
func TestNoAllocations(t *testing.T) {
	fitted(t, func(t *testing.T, row tokenizerRow, q Quantizer, train []float64) {
		if !slices.Contains([]string{"vector", "product", "window"}, row.name) && q.Block() != 1 {
			return // it transforms blocks
		}
		tokens, x := make([]int32, 0, 2000), make([]float64, 0, 1000)
		if n := testing.AllocsPerRun(10, func() {
			tokens, _ = q.Encode(tokens[:0], train[:1000/q.Block()*q.Block()])
			x, _ = q.Decode(x[:0], tokens)
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}
