package token

import (
	"math"
	"slices"
	"testing"

	"foretell/internal/kernel"
	"foretell/internal/needs"
	"foretell/internal/random"
)

// surrogate is the loss whose gradient [addGradient] promises, with what it takes as
// constant, the codewords q and their distance from z, as they were in pass p. β is 0.25,
// as van den Oord et al. 2017 have it.
func surrogate(a autoencoder, weights []float64, p quantised[float64]) float64 {
	w := weightsOf(a, weights)
	z := forward(a.encoder, w.encoder, p.encoder.x).y
	through := make([]float64, len(z))
	loss := 0.0
	for i := range z {
		through[i] = z[i] + p.q[i] - p.encoder.y[i]
		if p.tokens != nil {
			loss += 0.25 * square(z[i]-p.q[i])
		}
	}
	for i, y := range forward(a.decoder, w.decoder, through).y {
		loss += square(y - p.encoder.x[i])
	}
	return loss / float64(len(p.encoder.x))
}

func TestAutoencoderGradient(t *testing.T) {
	a := newAutoencoder(6, 2, 5, 3, 7)
	for _, books := range []bool{false, true} {
		weights, x := gaussian(a.size(), 0, 0.5, 3), gaussian(4*6, 0, 1, 4)
		p := pass(a, weights, x, books)
		g := make([]float64, len(weights))
		addGradient(a, weights, g, p)
		largest := 0.0
		for i, w := range weights {
			const h = 1e-5
			weights[i] = w + h
			above := surrogate(a, weights, p)
			weights[i] = w - h
			below := surrogate(a, weights, p)
			weights[i] = w
			largest = max(largest, math.Abs(g[i]))
			if want := (above - below) / (2 * h); math.Abs(g[i]-want) > 1e-8*(1+math.Abs(want)) {
				t.Fatalf("books %v: the gradient of weight %d of %d is %g, differences say %g", books, i, len(weights), g[i], want)
			}
		}
		if largest < 0.01 {
			t.Errorf("books %v: no gradient is above %g", books, largest)
		}
	}
}

// Each latent vector has the nearest of its own codebook's codewords.
func TestNearestIsOfAllCodewords(t *testing.T) {
	a := newAutoencoder(4, 3, 6, 2, 4)
	books, z := gaussian(a.books(), 0, 1, 1), gaussian(5*3*2, 0, 1, 2)
	tokens := make([]int32, 5*3)
	nearest(a, tokens, books, z)
	for i, token := range tokens {
		v := z[2*i : 2*i+2]
		for k := range int32(a.codewords) {
			if d := squaredDistance(v, codeword(a, books, i, k)); d < squaredDistance(v, codeword(a, books, i, token)) {
				t.Errorf("vector %d: token %d, and %d is nearer", i, token, k)
			}
		}
	}
}

// A codeword that nothing is near to starts anew where something is.
func TestUnusedCodewordsStartAnew(t *testing.T) {
	a := newAutoencoder(4, 2, 4, 2, 4)
	src := random.New(1, "token: test")
	x := make([]float32, 256*4)
	for i := range x {
		x[i] = float32(src.Normal())
	}
	weights := initialWeights(a, 1)
	c := newCodebooks(a, weights, x, src)
	for _, k := range []int{1, 6} {
		c.start(k, []float32{1e6, 1e6})
	}
	p := pass(a, weights, x, true)
	for range 1000 {
		c.follow(p, src)
	}
	for i, v := range c.books {
		if !(v < 1e3 && v > -1e3) {
			t.Errorf("codeword %d is at %g still", i/2, v)
		}
	}
}

// Each codebook begins at its own part of the latent vectors: where all blocks are the
// same, all its codewords are.
func TestCodebooksStartAtLatentVectors(t *testing.T) {
	a := newAutoencoder(4, 3, 4, 2, 4)
	weights, x := initialWeights(a, 1), slices.Repeat([]float32{0.3, -1, 0.5, 2}, 32)
	c := newCodebooks(a, weights, x, random.New(1, "token: test"))
	z := pass(a, weights, x[:4], false).encoder.y
	for code := range a.codes {
		want := slices.Repeat(z[code*a.width:(code+1)*a.width], a.codewords)
		if got := c.books[code*a.codewords*a.width:][:len(want)]; !slices.Equal(got, want) {
			t.Errorf("codebook %d begins at %v, want %v", code, got, want)
		}
	}
}

// Codewords follow to the means of what is nearest to them: of one batch again and again
// each has the number of its blocks and their mean, at the rate of codebookDecay.
func TestCodewordsFollowMeans(t *testing.T) {
	a := newAutoencoder(4, 2, 4, 2, 4)
	weights, x := initialWeights(a, 1), make([]float32, 256*4)
	for i, v := range gaussian(len(x), 0, 1, 6) {
		x[i] = float32(v)
	}
	src := random.New(1, "token: test")
	c := newCodebooks(a, weights, x, src)
	p := pass(a, weights, x, true)
	counts, means := make([]float64, len(c.used)), make([]float64, len(c.books))
	for i, token := range p.tokens {
		k := i%a.codes*a.codewords + int(token)
		counts[k]++
		for j := range a.width {
			means[k*a.width+j] += float64(p.encoder.y[i*a.width+j])
		}
	}
	start, began := slices.Clone(c.used), slices.Clone(c.sums)
	left := 1.0 // weight of the beginning
	for step := range 900 {
		c.follow(p, src)
		left *= codebookDecay
		if step > 2 && step < 899 {
			continue
		}
		for k, n := range counts {
			if n == 0 {
				t.Fatalf("codeword %d has no block", k)
			}
			used := left*float64(start[k]) + (1-left)*n
			for j := k * a.width; j < (k+1)*a.width; j++ {
				want := (left*float64(began[j]) + (1-left)*means[j]) / used
				if math.Abs(float64(c.books[j])-want) > 1e-3 || math.Abs(float64(c.used[k])-used) > 1e-3*used {
					t.Fatalf("step %d, codeword %d: %g of %g blocks, want %g of %g", step, k, c.books[j], c.used[k], want, used)
				}
			}
		}
	}
}

// The weights are the same on every instruction set that this machine has, those of the
// Go loops among them.
func TestLearnedBitsAreTheseOnEveryInstructionSet(t *testing.T) {
	defer kernel.Select("")
	x := wave(1<<12, 0, 1)
	var want []float32
	for _, isa := range []string{"generic", "avx2", "avx512half", "avx512", "neon", "wasm", "wasmexact"} {
		if kernel.Select(isa) != nil {
			continue // not of this machine
		}
		q, err := FitLearned(x, 8, 2, 8, 60, 1)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = q.weights
		}
		if !slices.Equal(q.weights, want) {
			t.Errorf("%s has other weights than the Go loops", isa)
		}
	}
}

// On two sines and a little noise, 16 samples share what they have in common: with the
// same rate, the distortion is half of that of the best scalar quantiser or less.
func TestLearnedUsesWhatSamplesShare(t *testing.T) {
	needs.Time(t, "trains for a second")
	x, held := wave(1<<15, 0, 1), wave(1<<14, 0, 2)
	q, err := FitLearned(x, 16, 4, 16, 2000, 1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Distortion(q, held)
	if err != nil {
		t.Fatal(err)
	}
	_, deviation := meanAndDeviation(held)
	const oneBit = 0.3634 // a little more than two levels have of such a signal
	if got > oneBit/2*square(deviation) {
		t.Errorf("distortion %g of variance %g with one bit a sample", got, square(deviation))
	}
	t.Logf("distortion %g of variance %g", got, square(deviation))
}

func TestLearnedRefuses(t *testing.T) {
	x := wave(1000, 0, 1)
	for want, call := range map[string]func() (*Learned, error){
		"learned: 1000 samples are 62 blocks of 16: want at least one block for each of 64 codewords": func() (*Learned, error) {
			return FitLearned(x, 16, 4, 64, 100, 1)
		},
		"learned: codes = 0 is outside [1, 256]": func() (*Learned, error) { return FitLearned(x, 16, 0, 16, 100, 1) },
	} {
		if q, err := call(); err == nil || err.Error() != want || q != nil {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Decoded samples have the unit and the mean of the samples.
func TestLearnedKeepsTheUnit(t *testing.T) {
	const mean = 50
	x := gaussian(512, mean, 2, 8)
	l, err := FitLearned(x, 2, 2, 8, 200, 1)
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := l.Encode(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := l.Decode(nil, tokens)
	if err != nil {
		t.Fatal(err)
	}
	missed, variance := 0.0, 0.0
	for i, v := range x {
		missed += square(v - decoded[i])
		variance += square(v - mean)
	}
	if missed > variance/2 {
		t.Errorf("decoding misses %v of a variance of %v", missed, variance)
	}
}

// The parts of a perceptron's weights are all of them, in the documented shapes.
func TestPerceptronParts(t *testing.T) {
	for _, p := range []perceptron{{1, 1, 1}, {6, 5, 4}, {2, 64, 3}} {
		w := partsOf(p, make([]float64, p.size()))
		if got := len(w.w0) + len(w.w1) + len(w.b1) + len(w.w2) + len(w.b2); got != p.size() ||
			len(w.w0) != p.in*p.out || len(w.b1) != p.hidden || len(w.b2) != p.out {
			t.Errorf("%+v has %d weights in parts, and its size is %d", p, got, p.size())
		}
	}
}
