package token_test

import (
	"math"
	"slices"
	"testing"

	"foretell/internal/portable"
	"foretell/internal/random"
	"foretell/process"
	"foretell/token"
)

// EE269's sine of period 16 in 32 levels: its nine tokens, by hand.
func TestUniformIsTheLectures(t *testing.T) {
	u, err := token.NewUniform(-1, 1, 32)
	if err != nil {
		t.Fatal(err)
	}
	root := math.Sqrt2 / 2
	got, err := u.Encode(nil, []float64{-3, -1, -root, -0.38, 0, 0.38, root, 1, 1e100})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int32{0, 0, 5, 10, 16, 21, 26, 31, 31}; !slices.Equal(got, want) {
		t.Errorf("tokens %v, want %v", got, want)
	}
	if got, want := u.Step(), 2.0/31; got != want {
		t.Errorf("Δ = %v, want %v", got, want)
	}
}

// Halves go to the even token, so that none is preferred in the mean.
func TestUniformRoundsHalvesToEven(t *testing.T) {
	u, err := token.NewUniform(0, 6, 7)
	if err != nil {
		t.Fatal(err)
	}
	got, err := u.Encode(nil, []float64{0.5, 1.5, 2.5, 3.5, 4.5, 5.5})
	if want := []int32{0, 2, 2, 4, 4, 6}; err != nil || !slices.Equal(got, want) {
		t.Errorf("tokens %v (%v), want %v", got, err, want)
	}
}

// The signals of package process have the tokens of this quantiser, which they cannot
// import: their samples, computed here once more, encode to their tokens.
func TestUniformIsThatOfTheSine(t *testing.T) {
	for _, levels := range []int{2, 3, 9, 32, 33, 256} {
		for _, period := range []int{1, 5, 16, 100} {
			sine, err := process.Sine(period, levels)
			if err != nil {
				t.Fatal(err)
			}
			u, err := token.NewUniform(-1, 1, levels)
			if err != nil {
				t.Fatal(err)
			}
			x := make([]float64, period)
			for k := range x {
				x[k] = sineAt(k, period)
			}
			tokens, err := u.Encode(nil, x)
			if err != nil {
				t.Fatal(err)
			}
			for k, z := range tokens {
				if sine.Transition(int(z))[k*period+(k+1)%period] != 1 {
					t.Errorf("period %d, %d levels: x[%d] = %g has token %d, another one in the process", period, levels, k, x[k], z)
				}
			}
		}
	}
}

// sineAt returns sin(2πk/period), 0 ≤ k < period, exact where it is 0 or ±1.
func sineAt(k, period int) float64 {
	quarter, rest := 4*k/period, 4*k%period
	if quarter%2 == 1 {
		rest = period - rest
	}
	sine, _ := portable.Sincos(math.Pi / 2 * float64(rest) / float64(period))
	if quarter >= 2 {
		return -sine
	}
	return sine
}

func TestUniformIsThatOfMackeyGlass(t *testing.T) {
	for _, levels := range []int{2, 32, 1000} {
		recording, err := process.MackeyGlass(process.MackeyGlassParams{
			Tau: 25, Levels: levels, Points: 10000, Transient: 1000, Beta: 0.3, Gamma: 0.1, Start: 1.2,
		})
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, 26, 11025)
		for n := range x {
			x[n] = 1.2
		}
		for n := 25; len(x) < cap(x); n++ {
			delayed := x[n-25]
			x = append(x, x[n]+float64(0.3*delayed)/(1+portable.Power(delayed, 10))-float64(0.1*x[n]))
		}
		x = x[1025:]
		u, err := token.FitUniform(x, levels)
		if err != nil {
			t.Fatal(err)
		}
		tokens, err := u.Encode(nil, x)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(tokens, recording.Record()) {
			t.Errorf("%d levels: the recording has other tokens", levels)
		}
	}
}

// Within the range no error is above Δ/2, and many levels have the distortion of the
// high-rate law, Δ²/12.
func TestUniformDistortion(t *testing.T) {
	r := random.New(1, "token/test")
	x := make([]float64, 1<<16)
	for i := range x {
		x[i] = 3 + 4*r.Float64()
	}
	for _, levels := range []int{2, 3, 10, 100, 5000} {
		u, err := token.FitUniform(x, levels)
		if err != nil {
			t.Fatal(err)
		}
		tokens, err := u.Encode(nil, x)
		if err != nil {
			t.Fatal(err)
		}
		back, err := u.Decode(nil, tokens)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range x {
			if math.Abs(v-back[i]) > u.Step()/2*(1+1e-12) {
				t.Fatalf("%d levels: %v is decoded as %v, Δ = %v", levels, v, back[i], u.Step())
			}
		}
		if d, err := token.Distortion(u, x); err != nil || math.Abs(d*12/(u.Step()*u.Step())-1) > 0.02 {
			t.Errorf("%d levels: distortion %v (%v), Δ²/12 = %v", levels, d, err, u.Step()*u.Step()/12)
		}
	}
}

// The lecture's quantiser has points at the ends of its range, so two levels of a
// Gaussian are worse than its mean alone: an extreme is a poor stand-in for half of the
// samples.
func TestUniformMayBeWorseThanAConstant(t *testing.T) {
	r := random.New(2, "token/test")
	x := make([]float64, 10000)
	variance := 0.0
	for i := range x {
		x[i] = r.Normal()
		variance += x[i] * x[i] / float64(len(x))
	}
	u, err := token.FitUniform(x, 2)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := token.Distortion(u, x); err != nil || d < 5*variance {
		t.Errorf("distortion %v (%v), variance %v", d, err, variance)
	}
}
