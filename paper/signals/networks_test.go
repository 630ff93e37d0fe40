package signals

import (
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/model"
	"foretell/process"
)

// onSignal are the accuracies of three architectures on a signal, at the end and after
// half of the steps.
func onSignal(s signal, end, half [3]float64) compared {
	c := compared{signal: s, printed: printedResults[s]}
	for i := range end {
		c.end[i] = accuracy{global: end[i], conditional: end[i], ceiling: 1, windows: 10_000}
		c.half[i] = accuracy{global: half[i], conditional: half[i], ceiling: 1, windows: 10_000}
	}
	return c
}

func TestMainTableIsJudged(t *testing.T) {
	as := func(change func(mainResults)) mainResults {
		m := mainResults{
			onSignal(sine, [3]float64{1, 1, 1}, [3]float64{1, 1, 1}),
			onSignal(mackeyGlass, [3]float64{0.37, 0.44, 0.54}, [3]float64{0.37, 0.44, 0.5}),
			onSignal(switching, [3]float64{0.68, 0.72, 0.79}, [3]float64{0.68, 0.72, 0.7}),
			onSignal(brackets, [3]float64{0.06, 0.07, 0.12}, [3]float64{0.06, 0.07, 0.1}),
			onSignal(routing, [3]float64{0.05, 0.06, 0.28}, [3]float64{0.05, 0.06, 0.1}),
		}
		change(m)
		return m
	}
	nothing := [3]float64{0.05, 0.06, 0.05}
	claimtest.Rule(t, mainResults.judge, []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open},
		[]claimtest.Case[mainResults]{
			{Name: "as printed", M: as(func(mainResults) {}), Want: claim.Holds},
			{Name: "a GPT that knows all trails", M: as(func(m mainResults) {
				m[1] = onSignal(mackeyGlass, [3]float64{0.5, 1, 0.98}, [3]float64{0.5, 1, 0.98})
			}), Want: claim.Differs},
			{Name: "the sine is not learned", M: as(func(m mainResults) {
				m[0] = onSignal(sine, [3]float64{1, 1, 0.9}, [3]float64{1, 1, 0.9})
			}), Want: claim.Differs},
			{Name: "everywhere the other way about", M: mainResults{
				onSignal(sine, [3]float64{1, 1, 0.9}, [3]float64{1, 1, 0.9}),
				onSignal(mackeyGlass, [3]float64{1, 1, 0.98}, [3]float64{1, 1, 0.98}),
				onSignal(switching, [3]float64{1, 1, 0.98}, [3]float64{1, 1, 0.98}),
			}, Want: claim.Fails},
			{Name: "nothing learned", M: mainResults{
				onSignal(sine, [3]float64{1, 1, 0.5}, [3]float64{1, 1, 0.4}),
				onSignal(switching, nothing, nothing), onSignal(brackets, nothing, nothing),
			}, Want: claim.Open},
		})
	order := as(func(m mainResults) {
		m[2] = onSignal(switching, [3]float64{0.3, 0.4, 0.97}, [3]float64{0.3, 0.4, 0.9})
	}).judge()
	if gaps := order.Conditions[len(order.Conditions)-1]; gaps.Verdict != claim.Differs || gaps.Reason != claim.Convention {
		t.Errorf("another order of gaps: %+v", gaps)
	}
	if e := as(func(mainResults) {}).judge().Effect; e.What != theLead || math.Abs(e.Estimate-5) > 1e-9 {
		t.Errorf("the smallest lead is on brackets: %+v", e)
	}
	still := onSignal(brackets, [3]float64{0.05, 0.5, 0.6}, [3]float64{0.05, 0.3, 0.6}).order()
	if still.Verdict != claim.Open || still.Unconverged == "" {
		t.Errorf("an MLP that gains more than it trails: %+v", still)
	}
}

func TestDepthsAreJudged(t *testing.T) {
	at := func(s signal, end ...float64) byDepth {
		return byDepth{signal: s, end: [3]float64(end), half: [3]float64(end), guess: 0.05, windows: 10_000}
	}
	gaining := func(s byDepth, depth int, half float64) byDepth { s.half[depth] = half; return s }
	for _, c := range []struct {
		name string
		of   byDepth
		want claim.Verdict
	}{
		{"a threshold", at(brackets, 0.106, 0.094, 0.247), claim.Holds},
		{"three layers do it", at(brackets, 0.1, 0.5, 0.9), claim.Fails},
		{"nothing", at(brackets, 0.05, 0.05, 0.05), claim.Open},
		{"more than a guess, at no depth a rule", at(brackets, 0.1, 0.1, 0.1), claim.Fails},
		{"one layer does it, and five guess", at(brackets, 0.22, 0.09, 0.03), claim.Fails},
		{"one layer gains, and three do it", gaining(at(brackets, 0.15, 0.2, 0.3), 0, 0.05), claim.Fails},
		{"five layers may get there", gaining(at(brackets, 0.1, 0.1, 0.15), 2, 0.1), claim.Open},
		{"three layers are about to", gaining(at(brackets, 0.1, 0.14, 0.5), 1, 0.1), claim.Open},
		{"steady", at(switching, 0.764, 0.787, 0.821), claim.Holds},
		{"all the same", at(switching, 1, 1, 1), claim.Fails},
		{"five layers fall back", at(switching, 0.7, 0.8, 0.7), claim.Fails},
		{"five layers catch up", gaining(at(switching, 0.7, 0.8, 0.75), 2, 0.5), claim.Open},
		{"three layers gain more than they trail", gaining(at(switching, 0.7, 0.8, 0.9), 1, 0.6), claim.Open},
		{"three layers guess", at(switching, 0.8, 0.05, 0.8), claim.Open},
		{"saturated", at(routing, 0.238, 0.279, 0.265), claim.Holds},
		{"saturated at a guess", at(routing, 0.238, 0.05, 0.05), claim.Open},
		{"deeper is better", at(routing, 0.2, 0.3, 0.5), claim.Fails},
		{"five layers gain", gaining(at(routing, 0.2, 0.3, 0.3), 2, 0.2), claim.Open},
		{"three layers gain", gaining(at(routing, 0.2, 0.3, 0.4), 1, 0.2), claim.Open},
	} {
		found := sweep{c.of}.judge()
		if found.Verdict != c.want || found.Obtained == "" {
			t.Errorf("%s: %+v, want %s", c.name, found, c.want)
		}
	}
	// The effect is the number that decides: one layer's, where it refutes the condition.
	for accuracy, want := range map[float64]string{
		0.22: "accuracy with 1 layer", 0.1: "accuracy with five layers minus accuracy with three",
	} {
		if e := (sweep{at(brackets, accuracy, 0.09, 0.247)}).judge().Effect; e.What != want {
			t.Errorf("one layer with %g: %+v", accuracy, e)
		}
	}
}

func TestTradesAreJudged(t *testing.T) {
	as := func(mlp, gpt, even accuracy, along [2][]float64) trades {
		mlp.windows, gpt.windows, even.windows = 10_000, 10_000, 10_000
		return trades{{
			traded: printedTrades[0], weighted: [3]accuracy{1: mlp, 2: gpt}, even: [3]accuracy{2: even}, half: mlp, along: along,
			gradient: []gradientNorms{{2, 1}, {2, 1}, {2, 1}},
		}}
	}
	flat := [2][]float64{{0, 0.5, 0.68}, {0, 0.5, 0.8}}
	other := accuracy{global: 0.68, conditional: 0.07}
	claimtest.Rule(t, trades.judge, []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open},
		[]claimtest.Case[trades]{
			{
				Name: "as printed", M: as(other, accuracy{global: 0.6, conditional: 0.25}, accuracy{conditional: 0.1}, flat),
				Want: claim.Holds,
			},
			{
				Name: "both higher, and always were, and the weight does not help",
				M:    as(other, accuracy{global: 0.8, conditional: 0.9}, accuracy{conditional: 0.95}, flat), Want: claim.Differs,
			},
			{
				Name: "the MLP still gains, and the weight does not help",
				M: func() trades {
					m := as(other, accuracy{global: 0.7, conditional: 0.9}, accuracy{conditional: 0.95}, flat)
					m[0].half.global, m[0].gradient = 0.6, []gradientNorms{{1, 2}, {1, 1}, {0, 1}}
					return m
				}(), Want: claim.Fails,
			},
			{Name: "both higher in the end", M: as(other, accuracy{global: 0.8, conditional: 0.9}, accuracy{conditional: 0.9},
				[2][]float64{{0, 0.6, 0.68}, {0, 0.3, 0.8}}), Want: claim.Differs},
			{Name: "no difference", M: as(other, other, other, flat), Want: claim.Open},
			{
				Name: "as printed, but for the gradient in the end",
				M: func() trades {
					m := as(other, accuracy{global: 0.6, conditional: 0.25}, accuracy{conditional: 0.1}, flat)
					m[0].gradient[2].background = 0.5
					return m
				}(), Want: claim.Differs,
			},
		})
}

// Windows are held out from the recording by the process's own quantiser, and go on where
// it ends.
func TestRecordingGoesOn(t *testing.T) {
	p, err := mackeyGlass.process()
	if err != nil {
		t.Fatal(err)
	}
	record := p.(*process.Ring).Record()
	recorded, later := recordings()
	g := gridOf(recorded)
	if len(record) != len(recorded) || len(later) != len(recorded) {
		t.Fatalf("%d, %d and %d points", len(record), len(recorded), len(later))
	}
	for i, x := range recorded {
		if g.token(x) != record[i] {
			t.Fatalf("point %d is %g, token %d, and the process has %d", i, x, g.token(x), record[i])
		}
	}
}

// The accuracy of a model that always says the same token is that token's frequency, and
// windows before a retrieval step have one.
func TestAccuracyOfAConstant(t *testing.T) {
	h, err := sampled(routing, 100)
	if err != nil {
		t.Fatal(err)
	}
	if len(h.any) != 100 || len(h.events) != 100 {
		t.Fatalf("%d and %d windows", len(h.any), len(h.events))
	}
	m, err := constantModel(5)
	if err != nil {
		t.Fatal(err)
	}
	got, err := h.accuracy(t.Context(), &claim.Study{Workers: 2}, m)
	if err != nil {
		t.Fatal(err)
	}
	global, conditional := 0.0, 0.0
	for i := range h.any {
		global += h.any[i].next[5] / 100
		if h.events[i].retrieval() != 1 {
			t.Error("a window before a retrieval step that is not certain")
		}
		conditional += h.events[i].next[5] / 100
	}
	if math.Abs(got.global-global) > 1e-12 || math.Abs(got.conditional-conditional) > 1e-12 || conditional == 0 {
		t.Errorf("%+v, want %g and %g", got, global, conditional)
	}
}

// constantModel always holds a token most likely.
func constantModel(token int) (*model.Transformer[float32], error) {
	c := of(routing, linear).model()
	c.DVocab = 32
	m, err := model.Zero[float32](c)
	if err == nil {
		m.Weights.Get("unembed.b_U").Data[token] = 1
	}
	return m, err
}

// The parts of the gradient add up to the gradient of the loss, and windows without
// retrieval steps have no second part.
func TestGradientNorms(t *testing.T) {
	h, err := sampled(routing, 64)
	if err != nil {
		t.Fatal(err)
	}
	c := of(routing, gpt).model()
	c.DVocab = 32
	m, err := model.New[float32](c, 1)
	if err != nil {
		t.Fatal(err)
	}
	if g := h.gradient(m); g.background <= 0 || g.retrieval <= 0 || g.share(1) <= g.share(eventWeight) {
		t.Errorf("%+v", g)
	}
	for i := range h.any {
		h.any[i].retrieves = nil
	}
	if g := h.gradient(m); g.retrieval > 1e-6*g.background || math.Abs(g.share(1)-1) > 1e-6 {
		t.Errorf("without retrieval steps: %+v", g)
	}
}
