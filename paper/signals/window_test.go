package signals

import (
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/internal/kept"
)

// guessed are guesses of which so many of a hundred are right.
func guessed(right int) guesses {
	g := guesses{hits: make([]bool, 100)}
	for i := range right {
		g.hits[i] = true
	}
	return g
}

// windowsOf are measurements in which windows of 25 tokens foretell so many of a hundred
// tokens, and the sine is certain after so many.
func windowsOf(right, certain int) windowed {
	m := windowed{points: 1000, period: []float64{1, 1, 1}, forecast: forecast{pair: guessed(50)}}
	for k := range longestWindow + 1 {
		m.unseen = append(m.unseen, guessed(min(right, 40+2*k)))
		m.smooth = append(m.smooth, guesses{loss: 1})
		m.heart = append(m.heart, float64(right)/100)
		m.sine = append(m.sine, 1)
		if k < certain {
			m.sine[k] = 0.5
		}
	}
	return m
}

// trainedTo are measurements with transformers: of a hundred tokens, the forecaster, the
// last token alone, and transformers with 25, 32 and 64 tokens foretell so many.
func trainedTo(right, last, short, middle, long int) windowed {
	m := windowsOf(right, 16)
	m.last = guessed(last)
	m.trained = []seenBy{{lookBack, guessed(short)}, {barelyEnough, guessed(middle)}, {comfortable, guessed(long)}}
	return m
}

func TestWindowsAreJudged(t *testing.T) {
	changed := func(m windowed, change func(m *windowed)) windowed {
		change(&m)
		return m
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Corrected, claim.Differs, claim.Open}
	claimtest.Rule(t, windowed.judge, verdicts, []claimtest.Case[windowed]{
		{Name: "as the slides say", M: windowsOf(40, 16), Want: claim.Holds},
		{Name: "not sure", M: windowsOf(50, 16), Want: claim.Open},
		{Name: "foretold", M: windowsOf(80, 16), Want: claim.Corrected},
		{Name: "not sure, but by heart", M: windowsOf(56, 16), Want: claim.Corrected},
		{Name: "the sine takes two tokens", M: windowsOf(40, 2), Want: claim.Corrected},
		{Name: "a transformer foretells", M: trainedTo(40, 50, 90, 91, 99), Want: claim.Corrected},
		{Name: "25 tokens are as good as 64", M: trainedTo(40, 20, 50, 51, 52), Want: claim.Corrected},
		{Name: "25 tokens have little of 64", M: trainedTo(40, 20, 30, 60, 90), Want: claim.Holds},
		{Name: "32 tokens are worse than 25", M: trainedTo(40, 20, 30, 20, 90), Want: claim.Differs},
		{Name: "64 tokens are no better than one", M: trainedTo(40, 40, 30, 30, 40), Want: claim.Holds},
		{Name: "a seed that fails", M: changed(windowsOf(40, 16), func(m *windowed) {
			m.period[1] = 0.99
		}), Want: claim.Differs},
	})
	for share, want := range map[float64]claim.Verdict{
		0.9: claim.Corrected, 0.545: claim.Open, 0.53: claim.Open, 0.3: claim.Holds,
	} {
		if got, _ := above(share, 0.01); got != want {
			t.Errorf("%v: %s, want %s", share, got, want)
		}
	}
}

// The question about the step has both answers.
func TestStepIsAsked(t *testing.T) {
	m := windowsOf(60, 16)
	if q := m.judge().Asked[0]; q.Answer != claim.No {
		t.Errorf("no step: %s", q.Answer)
	}
	m.unseen[lookBack+1] = guessed(100)
	if q := m.judge().Asked[0]; q.Answer != claim.Yes {
		t.Errorf("a step: %s", q.Answer)
	}
}

// The question about the loss has both answers, and both weights are named.
func TestLossIsAsked(t *testing.T) {
	m := windowsOf(60, 16)
	for loss, want := range map[float64]claim.Answer{0.9: claim.Yes, 1.1: claim.No} {
		m.pair.loss, m.smooth[lookBack].loss = 1, loss
		if q := m.judge().Asked[1]; q.Answer != want {
			t.Errorf("%g nats: %s", loss, q.Answer)
		}
	}
}

// The comparison with 64 tokens, and the words on 32, have each of their verdicts.
func TestContextsAreCompared(t *testing.T) {
	for _, test := range []struct {
		last, short, middle, long int
		half, barely              claim.Verdict
	}{
		{20, 80, 85, 90, claim.Corrected, claim.Holds},
		{20, 80, 80, 90, claim.Corrected, claim.Open},
		{20, 30, 60, 90, claim.Holds, claim.Holds},
		{20, 55, 40, 90, claim.Open, claim.Fails},
		{50, 30, 60, 40, claim.Open, claim.Fails},
	} {
		m := trainedTo(40, test.last, test.short, test.middle, test.long)
		if got := m.againstComfortable().Verdict; got != test.half {
			t.Errorf("%+v: %s against 64 tokens, want %s", test, got, test.half)
		}
		if got := m.barely().Verdict; got != test.barely {
			t.Errorf("%+v: %s barely enough, want %s", test, got, test.barely)
		}
	}
}

// A forecaster has counted what a plain search counts.
func TestForecasterCounts(t *testing.T) {
	x, g := recorded(lookBack, 3000)
	record := g.tokens(x)
	unseen, places := unseenWindows(g, 20, 6)
	f := newForecaster(unseen, places, 6, g.levels)
	f.learn(record[:1000], 6)
	f.learn(record[1000-6:], 6)
	found := f.byTokens(1)
	for w, end := range places {
		for k := range 7 {
			seen, hits := uint32(0), uint32(0)
			for n := 6; n < len(record); n++ {
				same := true
				for j := 1; j <= k; j++ {
					same = same && record[n-j] == unseen[end-j]
				}
				if same {
					seen++
					if record[n] == unseen[end] {
						hits++
					}
				}
			}
			node := f.nodes[f.windows[w][k]]
			if node.seen != seen || node.after[unseen[end]] != hits {
				t.Errorf("window %d, %d tokens: %d of %d, want %d of %d", w, k, node.after[unseen[end]], node.seen, hits, seen)
			}
		}
	}
	if share, _ := found[6].accuracy(); share < 0.3 {
		t.Errorf("%v is foretold from 6 tokens", share)
	}
	if more, se := found[2].gain(found[2]); more != 0 || se != 0 {
		t.Errorf("a gain of %v ± %v over itself", more, se)
	}
}

// The recording that is not seen is one, however much of it is looked at.
func TestUnseenIsAnother(t *testing.T) {
	_, g := recorded(lookBack, 10_000)
	a, _ := unseenWindows(g, 5, 40)
	b, places := unseenWindows(g, 6, 40)
	for n, z := range a {
		if b[n] != z {
			t.Fatalf("token %d depends on how many windows there are", n)
		}
	}
	if places[1]-places[0] != apart || len(b) != places[5]+1 {
		t.Errorf("places %v of %d", places, len(b))
	}
}

// The pair of tokens foretells by what followed it.
func TestPairs(t *testing.T) {
	p := newPairs(2)
	record := make([]int32, 40)
	record[30], record[39] = 1, 1
	p.learn(record, 26)
	g := p.guess(record, []int{28})
	if !g.hits[0] || math.IsNaN(g.loss) {
		t.Errorf("%+v", g)
	}
}

// The rows of a paper share one forecast: it is computed on first use.
func TestForecastIsShared(t *testing.T) {
	p := profile{forecasting: forecasting{recorded: 3000, windows: 5, forecasts: new(kept.Result[forecast])}}
	first, err := p.forecast(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := p.forecast(t.Context())
	if err != nil || &again.unseen[0] != &first.unseen[0] {
		t.Errorf("the forecast is computed twice (%v)", err)
	}
}
