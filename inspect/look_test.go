package inspect

import (
	"math"
	"strings"
	"testing"
)

// A look has at each position what Predict has after the tokens up to it, and its last
// stage is the model. A head's attention adds up to 1 and does not look ahead.
func TestLookIsPredictAtEachPosition(t *testing.T) {
	m := coinOf(t, 8)
	word := []int32{2, 1, 1, 0}
	l, err := m.Look(word)
	if err != nil {
		t.Fatal(err)
	}
	for n := range word {
		p, err := m.Predict(word[:n+1])
		if err != nil {
			t.Fatal(err)
		}
		near := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-12 {
				t.Errorf("position %d: %s %v, want %v", n, what, got, want)
			}
		}
		near("KL", *l.KL[n], p.KL)
		near("KL of the last stage", *l.Lens[len(l.Lens)-1].KL[n], p.KL)
		for z := range p.Model {
			near("model", l.Model[n][z], p.Model[z])
		}
		for z := range p.Optimal {
			near("optimal", l.Optimal[n][z], p.Optimal[z])
		}
		if got, want := l.Lens[len(l.Lens)-1].Likeliest[n], p.Likeliest(1)[0]; got != want {
			t.Errorf("position %d: likeliest %d, want %d", n, got, want)
		}
	}
	for layer, heads := range l.Patterns {
		for h, pattern := range heads {
			for n, row := range pattern {
				sum := 0.0
				for s, x := range row {
					if sum += x; s > n && x != 0 {
						t.Errorf("head %d.%d attends from %d to %d", layer, h, n, s)
					}
				}
				if math.Abs(sum-1) > 1e-12 {
					t.Errorf("head %d.%d: the attention of %d adds up to %v", layer, h, n, sum)
				}
			}
		}
	}
	if heads := m.Heads(); len(heads) != len(l.Patterns[0]) {
		t.Errorf("%d patterns of %d heads", len(l.Patterns[0]), len(heads))
	}
}

func TestLookRefuses(t *testing.T) {
	m := coinOf(t, 4)
	for _, test := range []struct {
		word []int32
		want string
	}{
		{nil, "0 tokens given; the model takes 1 to 4"},
		{[]int32{2, 0, 0, 0, 0}, "5 tokens given; the model takes 1 to 4"},
		{[]int32{2, 9}, "9"},
		{[]int32{0, 1}, "a possible sequence is"},
	} {
		_, err := m.Look(test.word)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want one line with %q", test.word, err, test.want)
		}
	}
}
