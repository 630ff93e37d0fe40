package token

import (
	"math"
	"testing"
)

// The entropy of equal cells is the logarithm of their number, and of the halves of a
// normal density it is one bit.
func TestEntropyOfDensity(t *testing.T) {
	flat, err := NewDensity(func(float64) float64 { return 1 }, 0, 8)
	if err != nil {
		t.Fatal(err)
	}
	q, err := HighRate(flat, 8)
	if err != nil {
		t.Fatal(err)
	}
	if got := flat.Entropy(q); math.Abs(got-3) > 1e-9 {
		t.Errorf("eight equal cells have %v bits", got)
	}
	halves, err := NewScalar([]float64{0}, []float64{-1, 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := Normal(0, 1).Entropy(halves); math.Abs(got-1) > 1e-12 {
		t.Errorf("the halves of a normal density have %v bits", got)
	}
}

// At every rate the distortion is between Shannon's bound and 1.53 dB above it, which it
// approaches as the rate grows. It is below Lloyd–Max of the same rate.
func TestEntropyCoded(t *testing.T) {
	most, d := math.Pi*math.E/6, Normal(0, 1)
	for _, bits := range []float64{0.1, 0.5, 1, 2, 3, 5, 8} {
		q, err := EntropyCoded(d, bits)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Entropy(q); math.Abs(got-bits) > 1e-8 {
			t.Errorf("%g bits: the entropy is %v", bits, got)
		}
		over := d.Distortion(q) * math.Exp2(2*bits)
		if over < 1 || over > most*(1+1e-9) || bits >= 5 && over < most*0.999 {
			t.Errorf("%g bits: %v times the bound, want 1 to %v", bits, over, most)
		}
		if bits != math.Trunc(bits) {
			continue
		}
		best, err := LloydMax(d, 1<<int(bits), 1e-9)
		if err != nil {
			t.Fatal(err)
		}
		if bits > 1 && d.Distortion(q) >= d.Distortion(best) {
			t.Errorf("%g bits: %v is not below Lloyd–Max, %v", bits, d.Distortion(q), d.Distortion(best))
		}
	}
	for _, bits := range []float64{-1, 0, 40, math.NaN()} {
		if _, err := EntropyCoded(d, bits); err == nil {
			t.Errorf("%v bits are not refused", bits)
		}
	}
}

// Cells without mass have their middle as the point, and another mean moves all of it.
func TestEntropyCodedElsewhere(t *testing.T) {
	gap, err := NewDensity(func(x float64) float64 {
		if math.Abs(x) < 4 {
			return 0
		}
		return 1
	}, -8, 8)
	if err != nil {
		t.Fatal(err)
	}
	q, err := uniformThresholds(gap, 2)
	if err != nil {
		t.Fatal(err)
	}
	if at := q.Points()[4]; at != 0 {
		t.Errorf("the cell without mass has its point at %v", at)
	}
	a, err := EntropyCoded(Normal(0, 1), 2)
	if err != nil {
		t.Fatal(err)
	}
	b, err := EntropyCoded(Normal(5, 2), 2)
	if err != nil {
		t.Fatal(err)
	}
	if x, y := Normal(0, 1).Distortion(a), Normal(5, 2).Distortion(b)/4; math.Abs(x-y) > 1e-9 {
		t.Errorf("%v, and %v with another mean and scale", x, y)
	}
}

// The best quantiser of a density is never worse than the high-rate law's, and the law's
// own value, √3π/2·2^(−2R), is approached from below.
func TestHighRateIsNeverBetter(t *testing.T) {
	d, before := Normal(0, 1), 0.0
	for bits := 1; bits <= 8; bits++ {
		best, err := LloydMax(d, 1<<bits, 1e-10)
		if err != nil {
			t.Fatal(err)
		}
		law, err := HighRate(d, 1<<bits)
		if err != nil {
			t.Fatal(err)
		}
		limit, err := HighRateDistortion(d, 1<<bits)
		if err != nil {
			t.Fatal(err)
		}
		if ratio := d.Distortion(law) / d.Distortion(best); ratio < 1 {
			t.Errorf("%d bits: the high-rate law has %v times the least distortion", bits, ratio)
		}
		share := d.Distortion(best) / limit
		if share <= before || share >= 1 {
			t.Errorf("%d bits: %v of the law's value, after %v with a bit less", bits, share, before)
		}
		before = share
	}
}
