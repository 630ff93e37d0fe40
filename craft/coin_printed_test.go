package craft

import (
	"math"
	"testing"

	"foretell/internal/random"
	"foretell/model"
	"foretell/process"
)

// streams runs the printed head and returns its output and resid_mid, (N+1,4).
func streams(t *testing.T, m *model.Transformer[float64], flips []int32) (out, mid []float64) {
	t.Helper()
	_, cache := run(t, m, append([]int32{process.BOS}, flips...))
	return cache.Get("blocks.0.hook_attn_out").Data, cache.Get("blocks.0.hook_resid_mid").Data
}

// checkPrintedHead compares Eq. 13 (claim C1) and Eq. 15 (C2) with the forward pass at
// every position.
func checkPrintedHead(t *testing.T, m *model.Transformer[float64], flips []int32) {
	t.Helper()
	out, mid := streams(t, m, flips)
	counts := [2]float64{}
	for n := range len(flips) + 1 {
		own := [4]float64{0, 0, 1, float64(n)}
		if n > 0 {
			counts[flips[n-1]]++
			own = [4]float64{3: float64(n)}
			own[flips[n-1]] = 1
		}
		eq13 := [4]float64{counts[0] / float64(n+1), counts[1] / float64(n+1)}
		for i := range 4 {
			if !near(out[n*4+i], eq13[i], 1e-12) {
				t.Fatalf("%v: attn_out after %d is %v, Eq. 13 has %v", flips, n, out[n*4:n*4+4], eq13)
			}
			if !near(mid[n*4+i], own[i]+eq13[i], 1e-12) {
				t.Fatalf("%v: resid_mid after %d is %v, Eq. 15 has %v on top of %v", flips, n, mid[n*4:n*4+4], eq13, own)
			}
		}
	}
}

// All sequences to N = 12, whose prefixes are the shorter ones, and some to N = 1023.
func TestPrintedHead(t *testing.T) {
	m, err := PrintedCoin(1024)
	if err != nil {
		t.Fatal(err)
	}
	flips := make([]int32, 12)
	for bits := range 1 << len(flips) {
		for i := range flips {
			flips[i] = int32(bits >> i & 1)
		}
		checkPrintedHead(t, m, flips)
	}
	s := random.New(1, "test/flips")
	for _, n := range []int{100, 513, 1023} {
		flips := make([]int32, n)
		for i := range flips {
			flips[i] = int32(s.IntN(2))
		}
		checkPrintedHead(t, m, flips)
	}
}

// The bullets after Eq. 15 leave out the last token's own embedding: after BOS, heads,
// the e_H component is 3/2, so that Sec. 6 counts three heads.
func TestPrintedBulletsErr(t *testing.T) {
	m, err := PrintedCoin(8)
	if err != nil {
		t.Fatal(err)
	}
	_, mid := streams(t, m, []int32{1})
	const eH, eN = 1, 3
	last := mid[4:]
	if last[eH] != 1.5 || last[eN] != 1 {
		t.Errorf("resid_mid is %v", last)
	}
	if counted := last[eH] * (last[eN] + 1); counted != 3 {
		t.Errorf("Sec. 6 counts %v heads", counted)
	}
}

// Sec. 6's simple choice squares the odds, adds resid_mid to them, and leaves BOS
// a probability: after BOS, heads the logits are 3/2 + l, −l and 0 with l = log 2.
func TestPrintedOutputErrs(t *testing.T) {
	m, err := PrintedCoin(8)
	if err != nil {
		t.Fatal(err)
	}
	w, l := model.NewWorkspace[float64](m.Config, 1), math.Log(2)
	w.Hook = func(x model.Tensor[float64]) {
		if x.Name == "blocks.0.hook_resid_post" {
			x.Data[4+1] += l // mlp_out = l·(e_H − e_T)
			x.Data[4+0] -= l
		}
	}
	p := model.Probabilities(m.Forward(w, []int32{process.BOS, 1}, 1)[3:])
	if odds := math.Log(p[1] / p[0]); !near(odds, 2*l+1.5, 1e-12) {
		t.Errorf("the log-odds are %v, want 2·log 2 + 3/2", odds)
	}
	if !near(p[process.BOS], 1/(1+math.Exp(1.5+l)+math.Exp(-l)), 1e-12) {
		t.Errorf("BOS has probability %v", p[process.BOS])
	}
}

// Claim C3: the printed pair is 0, ½, 1 below, at and above h; a bump is the indicator.
func TestIndicators(t *testing.T) {
	for h := range 20 {
		for x := range 40 {
			want, step := 0.0, 0.5
			if x == h {
				want = 1
			}
			if x != h {
				step = math.Max(0, math.Copysign(1, float64(x-h)))
			}
			if got := PrintedIndicator(h).At(float64(x)); got != step {
				t.Errorf("printed, h = %d, x = %d: %v, want %v", h, x, got, step)
			}
			if got := Bump(float64(h), 1).At(float64(x)); got != want {
				t.Errorf("bump, h = %d, x = %d: %v, want %v", h, x, got, want)
			}
		}
	}
}

// Claim C3: no ramp is an indicator. Second differences over the integers are 1, −2, 1
// of an indicator, and of one sign, at most two in a row, of a ramp, wherever it starts.
func TestNoRampIsAnIndicator(t *testing.T) {
	differences := func(c Curve) (found []float64) {
		for x := range 8 {
			found = append(found, c.At(float64(x))-2*c.At(float64(x+1))+c.At(float64(x+2)))
		}
		return found
	}
	for i, want := range []float64{0, 0, 1, -2, 1, 0, 0, 0} {
		if got := differences(Bump(4, 1))[i]; got != want {
			t.Errorf("second difference %d of an indicator is %v, want %v", i, got, want)
		}
	}
	for _, knot := range []float64{2, 2.25, 3.5, 4} {
		for _, left := range []bool{false, true} {
			bends := 0
			for _, d := range differences(Curve{Ramps: []Ramp{{knot, -3, left}}}) {
				if d > 1e-12 {
					t.Errorf("knot %v: second difference %v of a ramp with a negative slope", knot, d)
				}
				if d < -1e-12 {
					bends++
				}
			}
			if bends < 1 || bends > 2 {
				t.Errorf("knot %v: %d bends", knot, bends)
			}
		}
	}
}

// Claim C3: the pairs as printed give BOS −C for each that is on, (H+T+1)·C in sum.
func TestPrintedPairsCountForBOS(t *testing.T) {
	const n = 9
	for heads := range n + 1 {
		for tails := range n + 1 {
			active := 0.0
			for h := range n + 1 {
				active += PrintedIndicator(h).At(float64(heads)) + PrintedIndicator(h).At(float64(tails))
			}
			if active != float64(heads+tails+1) {
				t.Errorf("%d heads, %d tails: %v", heads, tails, active)
			}
		}
	}
}

// Claim C3: where the head's own output stands in place of the simplified input, the
// corrected table is read at 3/2 after BOS, heads.
func TestMethodOnEq15(t *testing.T) {
	m, err := CoinMethod(LogTable(4), 5)
	if err != nil {
		t.Fatal(err)
	}
	logits, err := m.Logits([]int32{process.BOS, 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := logits[3+1] - logits[3+0]; !near(got, math.Log(6)/2, 1e-12) {
		t.Errorf("log-odds %v, want ½·log 6", got)
	}
}

// Claim C3: what both tables hold, inside and beyond their range.
func TestTables(t *testing.T) {
	const n = 200
	printed, corrected := PrintedTable(n), LogTable(n)
	if a, b := len(printed.Ramps), len(corrected.Ramps); a != n+2 || b != n+2 {
		t.Errorf("%d and %d neurons", a, b)
	}
	for x := range 2 * n {
		want, wrong := math.Log1p(float64(x)), 0.0
		factorial, _ := math.Lgamma(float64(min(x, n)) + 1)
		wrong = factorial + want/2
		if x > n {
			wrong, want = factorial+math.Log1p(n), 0
		}
		if got := printed.At(float64(x)); !near(got, wrong, 1e-9) {
			t.Errorf("printed at %d: %v, want %v", x, got, wrong)
		}
		if got := corrected.At(float64(x)); !near(got, want, 1e-11) {
			t.Errorf("corrected at %d: %v, want %v", x, got, want)
		}
	}
}

// Claim C4: the printed ramps hit the integers to n and go on with slope ±2·log(π/2); the
// corrected ones keep their error with fewer, and leave log(1+x) as its tangent does.
func TestRamps(t *testing.T) {
	const n = 500
	printed, corrected := PrintedRamps(n), LogRamps(n, 1e-3)
	for x := range n + 1 {
		if got, want := printed.At(float64(x)), math.Log1p(float64(x)); !near(got, want, 1e-9) {
			t.Fatalf("printed at %d: %v, want %v", x, got, want)
		}
		if got, want := corrected.At(float64(x)), math.Log1p(float64(x)); !near(got, want, 1e-3+1e-12) {
			t.Fatalf("corrected at %d: %v, want %v", x, got, want)
		}
	}
	for i, r := range printed.Ramps {
		if r.Left || r.Knot != float64(i)+0.5 {
			t.Fatalf("the printed ramp %d starts at %v", i, r.Knot)
		}
	}
	if slope := math.Abs(printed.At(n+2) - printed.At(n+1)); !near(slope, 2*math.Log(math.Pi/2), 0.01) {
		t.Errorf("beyond n the printed slope is %v", slope)
	}
	if off := LogRamps(n, 1e-6).At(2*n) - math.Log1p(2*n); !near(off, 1-math.Ln2, 0.01) {
		t.Errorf("at 2n the corrected curve is %v off", off)
	}
	if got, want := float64(len(corrected.Ramps)), math.Log1p(n)/math.Sqrt(16e-3); !near(got, want, 1) {
		t.Errorf("%v ramps, want about %v", got, want)
	}
}

// With Gemini's simplified input the methods' MLPs give the logits of their curves.
func TestMethodsOnTheSimplifiedInput(t *testing.T) {
	const n = 12
	for _, curve := range []Curve{PrintedTable(n), LogTable(n), PrintedRamps(n), LogRamps(n, 0.01)} {
		m, err := CoinMethod(curve, n+1)
		if err != nil {
			t.Fatal(err)
		}
		if m.Config.DMLP != 2*len(curve.Ramps) {
			t.Errorf("%d neurons, want %d", m.Config.DMLP, 2*len(curve.Ramps))
		}
		for heads := range n + 1 {
			for tails := range n + 1 - heads {
				got := SimplifiedLogits(m, heads, tails)
				want := [3]float64{curve.At(float64(tails)), curve.At(float64(heads)), silent}
				for z := range want {
					if !near(got[z], want[z], 1e-11) {
						t.Fatalf("after %d heads and %d tails: %v, want %v", heads, tails, got, want)
					}
				}
			}
		}
	}
}
