package token

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/internal/random"

	"pgregory.net/rapid"
)

// tokenizerRow is a tokenizer with parameters and what holds for it beyond the laws of
// all of them.
type tokenizerRow struct {
	name   string
	params Params
	rate   float64 // bits a sample
	// optimal says that on its training samples it is never worse than their mean, nor
	// than itself with fewer levels.
	optimal bool
	// more has parameters of a finer one; nil where optimal is false.
	more Params
	// loose says that what is decoded may have other tokens.
	loose bool
}

// table has at least one row for each tokenizer: a new one is tested by adding its row.
var table = []tokenizerRow{
	{name: "uniform", rate: 5},
	{name: "uniform", params: Params{"levels": 2}, rate: 1},
	{name: "uniform", params: Params{"levels": 9}, rate: math.Log2(9)},
	{name: "uniform", params: Params{"levels": 65536}, rate: 16},
	{name: "uniform", params: Params{"levels": 8, "clip": 2.05}, rate: 3},
	{name: "mu_law", rate: 8},
	{name: "mu_law", params: Params{"levels": 2, "mu": 1}, rate: 1},
	{name: "mu_law", params: Params{"levels": 65536, "mu": 1e6}, rate: 16},
	{name: "a_law", rate: 8},
	{name: "a_law", params: Params{"levels": 3, "a": 1}, rate: math.Log2(3)},
	{name: "lloyd_max", rate: 5, optimal: true, more: Params{"levels": 64}},
	{name: "lloyd_max", params: Params{"levels": 2}, rate: 1, optimal: true, more: Params{"levels": 3}},
	{name: "lloyd_max", params: Params{"levels": 4, "tolerance": 0}, rate: 2, optimal: true, more: Params{"levels": 8}},
	{name: "optimal", rate: 5, optimal: true, more: Params{"levels": 33}},
	{name: "optimal", params: Params{"levels": 2}, rate: 1, optimal: true, more: Params{"levels": 3}},
	{name: "high_rate", rate: 5},
	{name: "high_rate", params: Params{"levels": 2}, rate: 1},
	{name: "vector", rate: 3, optimal: true, more: Params{"codewords": 128}},
	{name: "vector", params: Params{"block": 1, "codewords": 8}, rate: 3, optimal: true, more: Params{"block": 1, "codewords": 64}},
	{name: "vector", params: Params{"block": 7, "codewords": 100, "seed": 3}, rate: math.Log2(100) / 7},
	{name: "product", rate: 3, optimal: true, more: Params{"codewords": 128}},
	{name: "product", params: Params{"block": 9, "parts": 3, "codewords": 10}, rate: math.Log2(10) / 3},
	{name: "window", rate: (9 + 4*64) / 64.},
	{name: "window", params: Params{"window": 5, "means": 3, "scales": 2, "levels": 4}, rate: (math.Log2(6) + 10) / 5},
	{name: "dft", rate: 2, optimal: true, more: Params{"bits": 40}},
	{name: "dft", params: Params{"block": 5, "bits": 3}, rate: 0.6, optimal: true, more: Params{"block": 5, "bits": 4}},
	{name: "dct", rate: 2, optimal: true, more: Params{"bits": 33}},
	{name: "dct", params: Params{"block": 2, "bits": 12}, rate: 6},
	{name: "haar", rate: 2, optimal: true, more: Params{"bits": 33}},
	{name: "daubechies4", rate: 2, optimal: true, more: Params{"bits": 33}},
	{name: "learned", params: Params{"steps": 100}, rate: 1, loose: true},
	{name: "learned", params: Params{"block": 5, "codes": 1, "codewords": 64, "steps": 100}, rate: 1.2, loose: true},
}

func (r tokenizerRow) String() string {
	text := r.name
	for _, p := range tokenizers[slices.IndexFunc(tokenizers, func(t Tokenizer) bool { return t.Name == r.name })].Params {
		if v, ok := r.params[p.Name]; ok {
			text += fmt.Sprintf(",%s=%g", p.Name, v)
		}
	}
	return text
}

func TestEveryTokenizerHasARow(t *testing.T) {
	for _, entry := range Tokenizers() {
		if !slices.ContainsFunc(table, func(r tokenizerRow) bool { return r.name == entry.Name }) {
			t.Errorf("%s has no row", entry.Name)
		}
		if entry.Summary == "" || strings.Contains(entry.Summary, "\n") {
			t.Errorf("%s: summary %q", entry.Name, entry.Summary)
		}
		for _, p := range entry.Params {
			if p.Summary == "" || !(p.Low <= p.Default && p.Default <= p.High) || p.Whole && p.Default != math.Trunc(p.Default) {
				t.Errorf("%s: parameter %+v", entry.Name, p)
			}
		}
	}
}

// gaussian returns n independent samples of a normal distribution.
func gaussian(n int, mean, deviation float64, seed uint64) []float64 {
	x, s := make([]float64, n), random.New(seed, "token/test")
	for i := range x {
		x[i] = mean + float64(deviation*s.Normal())
	}
	return x
}

// wave returns n samples of two sines and a little noise around a level.
func wave(n int, level float64, seed uint64) []float64 {
	x := gaussian(n, level, 0.05, seed)
	for i := range x {
		x[i] += math.Sin(float64(i)/5) + 0.5*math.Sin(float64(i)/1.7)
	}
	return x
}

// fits are the quantisers of fitted, by row and signal: some take a while.
var fits = map[string]Quantizer{}

// fitted calls check with each row's quantiser, fitted on each of the signals.
func fitted(t *testing.T, check func(t *testing.T, row tokenizerRow, q Quantizer, train []float64)) {
	signals := []struct {
		name string
		x    []float64
	}{{"gaussian", gaussian(1<<13, 3, 2, 1)}, {"wave", wave(1<<13, -40, 2)}}
	for _, row := range table {
		for _, signal := range signals {
			t.Run(row.String()+"/"+signal.name, func(t *testing.T) {
				name := row.String() + signal.name
				q, ok := fits[name]
				if !ok {
					var err error
					if q, err = Fit(row.name, row.params, signal.x); err != nil {
						t.Fatal(err)
					}
					fits[name] = q
				}
				check(t, row, q, signal.x)
			})
		}
	}
}

// someSamples draws whole blocks of samples, of which some are far from those of
// training.
func someSamples(q Quantizer, train []float64) *rapid.Generator[[]float64] {
	return rapid.Custom(func(t *rapid.T) []float64 {
		n := q.Block() * rapid.IntRange(0, 3).Draw(t, "blocks")
		sample := rapid.OneOf(rapid.SampledFrom(train), rapid.Float64Range(-50, 50), rapid.Float64Range(-hugest, hugest))
		return rapid.SliceOfN(sample, n, n).Draw(t, "samples")
	})
}

// What is decoded encodes to the same tokens, which are in their alphabets, as many as
// the blocks have.
func TestRoundTrip(t *testing.T) {
	fitted(t, func(t *testing.T, row tokenizerRow, q Quantizer, train []float64) {
		samples := someSamples(q, train)
		rapid.Check(t, func(t *rapid.T) {
			x := samples.Draw(t, "x")
			tokens, err := q.Encode([]int32{-7}, x)
			if err != nil {
				t.Fatal(err)
			}
			if tokens[0] != -7 {
				t.Fatalf("Encode does not append: %v", tokens)
			}
			tokens = tokens[1:]
			if len(tokens)*q.Block() != len(x)*len(q.Levels()) {
				t.Fatalf("%d tokens of %d samples", len(tokens), len(x))
			}
			if err := checkTokens("", tokens, q.Levels()); err != nil {
				t.Fatal(err)
			}
			back, err := q.Decode([]float64{-7}, tokens)
			if err != nil {
				t.Fatal(err)
			}
			if back[0] != -7 || len(back) != 1+len(x) {
				t.Fatalf("Decode does not append %d samples: %v", len(x), back)
			}
			again, err := q.Encode(nil, back[1:])
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(tokens, again) && !row.loose {
				t.Fatalf("%v is %v, decoded and encoded again %v", x, tokens, again)
			}
		})
	})
}

// Of two samples the greater has no smaller token, and what stands for it is no smaller.
func TestScalarOnesAreMonotone(t *testing.T) {
	fitted(t, func(t *testing.T, _ tokenizerRow, q Quantizer, train []float64) {
		if q.Block() != 1 {
			return
		}
		samples := rapid.OneOf(rapid.SampledFrom(train), rapid.Float64Range(-50, 50), rapid.Float64Range(-hugest, hugest))
		rapid.Check(t, func(t *rapid.T) {
			x := []float64{samples.Draw(t, "a"), samples.Draw(t, "b")}
			slices.Sort(x)
			tokens, err := q.Encode(nil, x)
			if err != nil {
				t.Fatal(err)
			}
			back, err := q.Decode(nil, tokens)
			if err != nil {
				t.Fatal(err)
			}
			if tokens[0] > tokens[1] || back[0] > back[1] {
				t.Fatalf("%v has tokens %v, which stand for %v", x, tokens, back)
			}
		})
	})
}

func TestRate(t *testing.T) {
	fitted(t, func(t *testing.T, row tokenizerRow, q Quantizer, train []float64) {
		if got := Rate(q); math.Abs(got-row.rate) > 1e-12 {
			t.Errorf("rate %v, want %v", got, row.rate)
		}
		train = train[:len(train)/q.Block()*q.Block()]
		tokens, err := q.Encode(nil, train)
		if err != nil {
			t.Fatal(err)
		}
		entropy, err := EntropyRate(q, tokens)
		if err != nil {
			t.Fatal(err)
		}
		if entropy < 0 || entropy > row.rate+1e-12 {
			t.Errorf("entropy rate %v, want at most %v", entropy, row.rate)
		}
	})
}

// An optimal quantiser is no worse than the best constant, and a finer one no worse than
// it.
func TestDistortion(t *testing.T) {
	fitted(t, func(t *testing.T, row tokenizerRow, q Quantizer, train []float64) {
		train = train[:len(train)/q.Block()*q.Block()]
		distortion, err := Distortion(q, train)
		if err != nil {
			t.Fatal(err)
		}
		if !row.optimal {
			return
		}
		mean, variance := 0.0, 0.0
		for _, v := range train {
			mean += v / float64(len(train))
		}
		for _, v := range train {
			variance += square(v-mean) / float64(len(train))
		}
		if distortion > variance {
			t.Errorf("distortion %v, variance %v", distortion, variance)
		}
		finer, err := Fit(row.name, row.more, train)
		if err != nil {
			t.Fatal(err)
		}
		if less, err := Distortion(finer, train); err != nil || less > distortion {
			t.Errorf("distortion %v, with %v %v (%v)", distortion, row.more, less, err)
		}
	})
}

// The same samples and parameters make the same quantiser.
func TestFitIsDeterministic(t *testing.T) {
	fitted(t, func(t *testing.T, row tokenizerRow, q Quantizer, train []float64) {
		other, err := Fit(row.name, row.params, slices.Clone(train))
		if err != nil {
			t.Fatal(err)
		}
		train = train[:len(train)/q.Block()*q.Block()]
		a, _ := q.Encode(nil, train)
		b, _ := other.Encode(nil, train)
		if !slices.Equal(a, b) {
			t.Error("two fits give different tokens")
		}
	})
}

// What is fitted on a few samples of whatever kind, far off, next to each other, or
// hardly different, is an error of one line or fulfils the laws.
func TestFitOfFewSamples(t *testing.T) {
	sample := rapid.OneOf(rapid.Float64Range(-2, 2), rapid.SampledFrom([]float64{0, 0.5, 1, 1e6, -hugest, hugest, 1e-150, 5e-324}),
		rapid.Map(rapid.IntRange(0, 30), func(n int) float64 { return 1 + float64(n)*0x1p-52 }),
		rapid.Map(rapid.IntRange(0, 30), func(n int) float64 { return 1e15 + float64(n)/8 }))
	for _, entry := range Tokenizers() {
		if entry.Name == learned {
			continue // its own tests train it
		}
		t.Run(entry.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				x := rapid.SliceOfN(sample, 2, 64).Draw(t, "x")
				params := Params{}
				for _, p := range entry.Params {
					if p.Name == "levels" || p.Name == "codewords" {
						params[p.Name] = float64(rapid.IntRange(2, 9).Draw(t, p.Name))
					}
					if p.Name == "window" || p.Name == "block" || p.Name == "means" {
						params[p.Name] = 4
					}
				}
				q, err := Fit(entry.Name, params, x)
				if err != nil {
					isOneLine(t, err)
					return
				}
				holds(t, q, false, x[:len(x)/q.Block()*q.Block()], nil)
			})
		})
	}
}

// What cannot be encoded or decoded is an error of one line, and dst is as it was.
func TestBadInput(t *testing.T) {
	fitted(t, func(t *testing.T, _ tokenizerRow, q Quantizer, train []float64) {
		one := make([]float64, q.Block())
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e200, -math.MaxFloat64} {
			one[q.Block()-1] = bad
			tokens, err := q.Encode([]int32{5}, one)
			isOneLine(t, err)
			if !slices.Equal(tokens, []int32{5}) {
				t.Errorf("%g: dst became %v", bad, tokens)
			}
		}
		if q.Block() > 1 {
			_, err := q.Encode(nil, train[:q.Block()+1])
			isOneLine(t, err)
		}
		good, err := q.Encode(nil, train[:q.Block()])
		if err != nil {
			t.Fatal(err)
		}
		if len(good) > 1 {
			_, err := q.Decode(nil, good[1:])
			isOneLine(t, err)
		}
		for i, levels := range q.Levels() {
			for _, bad := range []int32{-1, int32(levels), math.MinInt32, math.MaxInt32} {
				tokens := slices.Clone(good)
				tokens[i] = bad
				x, err := q.Decode([]float64{5}, tokens)
				isOneLine(t, err)
				if !slices.Equal(x, []float64{5}) {
					t.Errorf("token %d: dst became %v", bad, x)
				}
			}
		}
	})
}

// What cannot be learned from is an error of one line.
func TestBadTraining(t *testing.T) {
	nan := gaussian(1000, 0, 1, 1)
	nan[999] = math.NaN()
	infinite := gaussian(1000, 0, 1, 1)
	infinite[500] = math.Inf(-1)
	for _, row := range table {
		for what, x := range map[string][]float64{
			"none": nil, "one": {1}, "constant": slices.Repeat([]float64{0.5}, 1000), "NaN": nan, "infinite": infinite,
			"huge": {1e200, -1e200, 1, 2, 3, 4, 5, 6}, "near": {1, math.Nextafter(1, 2)},
		} {
			q, err := Fit(row.name, row.params, x)
			if q != nil && err != nil {
				t.Errorf("%v: %s makes a quantiser and the error %v", row, what, err)
			}
			if what != "near" || row.name == "uniform" && row.rate > 1 {
				isOneLine(t, err)
			}
		}
	}
}

func TestBadParameters(t *testing.T) {
	for _, entry := range Tokenizers() {
		for _, p := range entry.Params {
			for _, v := range []float64{math.NaN(), math.Inf(1), p.Low - 1, 2*p.High + 1} {
				_, err := Fit(entry.Name, Params{p.Name: v}, wave(100, 0, 1))
				isOneLine(t, err)
			}
		}
		_, err := Fit(entry.Name, Params{"nothing": 1}, wave(100, 0, 1))
		isOneLine(t, err)
	}
	for given, want := range map[string]string{
		"unifrom": `unknown tokenizer "unifrom": did you mean "uniform"?`,
	} {
		if _, err := Fit(given, nil, wave(100, 0, 1)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", given, err, want)
		}
	}
	for want, params := range map[string]Params{
		`uniform: unknown parameter "level": did you mean "levels"?`: {"level": 3},
		"uniform: levels = 1 is outside [2, 65536]":                  {"levels": 1},
		"uniform: levels = 2.5 is not a whole number":                {"levels": 2.5},
	} {
		if _, err := Fit("uniform", params, wave(100, 0, 1)); err == nil || err.Error() != want {
			t.Errorf("%v: %v, want %s", params, err, want)
		}
	}
}

func isOneLine(t rapid.TB, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("no error")
	} else if text := err.Error(); text == "" || strings.Contains(text, "\n") || len(text) > 200 {
		t.Errorf("the error is %q", text)
	}
}
