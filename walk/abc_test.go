package walk

import (
	"math"
	"testing"

	"foretell/model"
)

// The walk shows the numbers that Virgilio 2025 prints.
func TestABCAsPrinted(t *testing.T) {
	d, err := New(t.Context(), ABC(), []int32{0, 1, 2}, Defaults)
	if err != nil {
		t.Fatal(err)
	}
	embedding := d.Sections[0].Steps
	tables := []struct {
		name string
		got  Matrix
		want []string
	}{
		{"W_E", embedding[0].Equations[0].Result(), []string{"1.1988", "1.3633", "-1.8032", "-0.7401", "-1.0425", "1.4757"}},
		{"W_pos", embedding[1].Equations[0].Result(), []string{"-0.3160", "0.9374", "-0.4459", "1.2218", "-0.2666", "0.9128"}},
		{"C_0", embedding[2].Equations[0].Result(), []string{"0.8829", "2.3007"}},
		{"C_1", embedding[2].Equations[1].Result(), []string{"-2.2491", "0.4816"}},
		{"C_2", embedding[2].Equations[2].Result(), []string{"-1.3090", "2.3885"}},
		{"A_out", newMatrix(2, 3, ABC().Weights.Get("unembed.W_U").Data).transpose(), []string{"-0.5150", "1.2707", "1.1767", "1.2045", "-0.3778", "-0.6578"}},
	}
	for _, table := range tables {
		for i, x := range table.got.Data {
			if got := decimal(x, 4); len(table.got.Data) != len(table.want) || got != table.want[i] {
				t.Errorf("%s: %s at %d, want %v", table.name, got, i, table.want)
			}
		}
	}
}

// After A comes B, after B C and after C A, with the cross-entropy that
// Virgilio 2025 states.
func TestABCPredicts(t *testing.T) {
	logits, err := ABC().Logits([]int32{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	loss := 0.0
	for i, next := range []int{1, 2, 0} {
		loss -= math.Log(model.Probabilities(logits[3*i : 3*i+3])[next]) / 3
	}
	if loss > 1e-4 {
		t.Errorf("cross-entropy %v", loss)
	}
}

// The calculations of the errata.
func TestABCErrata(t *testing.T) {
	out := newMatrix(3, 2, []float64{-0.5150, 1.2707, 1.1767, 1.2045, -0.3778, -0.6578})
	logitsAt := func(x, y float64) []float64 { return multiply(out, newMatrix(2, 1, []float64{x, y})).Data }
	total := 0.0
	for _, x := range logitsAt(1, 1) {
		total += math.Exp(x)
	}
	if math.Abs(total-13.3) > 0.01 {
		t.Errorf("the exponentials add up to %v", total)
	}
	for _, c := range []struct {
		y    float64
		wins int
		want []float64
	}{
		{1.75, 0, []float64{2.7387, 0.9312, -0.7734}},
		{-1.75, 2, []float64{-1.7087, -3.2846, 1.5290}},
	} {
		got := logitsAt(-1, c.y)
		if wins, _ := largest(got); wins != c.wins {
			t.Errorf("token %d wins at [-1, %v]", wins, c.y)
		}
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 5e-5 {
				t.Errorf("logits %v at [-1, %v], want %v", got, c.y, c.want)
			}
		}
	}
	const c0, c1 = -1.0425, 1.4757 // W_C
	for _, c := range []struct{ p0, p1, x, y float64 }{
		{-0.4459, 1.2218, -1.4884, 2.6975},
		{-0.2666, 0.9128, -1.3091, 2.3885},
	} {
		if math.Abs(c0+c.p0-c.x) > 1e-12 || math.Abs(c1+c.p1-c.y) > 1e-12 {
			t.Errorf("W_C + %v, %v", c.p0, c.p1)
		}
	}
	seen := map[string]bool{}
	for _, e := range ABCErrata {
		if e.Where == "" || e.Printed == "" || e.True == "" || e.Check == "" || e.Printed == e.True || seen[e.Where] {
			t.Errorf("%+v", e)
		}
		seen[e.Where] = true
	}
}
