package signals

import (
	"slices"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// ended are solutions whose seeds end with these shares of the ceiling.
func ended(shares ...[]float64) solutions {
	m := solutions{}
	for i, s := range allSignals {
		found := solution{signal: s, models: claim.BySeed[learning]{Name: s.title}}
		if i < len(shares) {
			for _, share := range shares[i] {
				l := learning{steps: []float64{0, 10, 20}, share: []float64{0.1, share, share}, end: share}
				found.models.Models = append(found.models.Models, claim.Seeded[learning]{Found: l})
			}
		}
		m.signals = append(m.signals, found)
	}
	return m
}

func TestSolutionsAreJudged(t *testing.T) {
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, solutions.judge, verdicts, []claimtest.Case[solutions]{
		{
			Name: "all five", Want: claim.Holds,
			M: ended([]float64{1, 1}, []float64{1, 0.99}, []float64{1, 1}, []float64{1}, []float64{1}),
		},
		{Name: "those that are trained", M: ended([]float64{1}, []float64{1}, []float64{0.99}), Want: claim.Holds},
		{Name: "two of five are trained", M: ended([]float64{1}, nil, []float64{0.99}), Want: claim.Open},
		{Name: "one is not sure", M: ended([]float64{1}, []float64{1}, []float64{1}, []float64{1, 0.98}), Want: claim.Holds},
		{Name: "one fails", M: ended([]float64{1}, []float64{0.98, 0.98}), Want: claim.Differs},
		{Name: "none", M: ended([]float64{0.5}), Want: claim.Fails},
		{Name: "not sure", M: ended([]float64{1, 0.5}), Want: claim.Open},
		{Name: "nothing trained", M: ended(), Want: claim.Open},
	})
}

// Whether the recording was memorised is asked, and decides nothing.
func TestMemorisingIsAsked(t *testing.T) {
	for memorised, want := range map[float64]claim.Answer{0.995: claim.Yes, 0.98: claim.No} {
		m := ended([]float64{1}, []float64{0.8}, []float64{1}, []float64{1}, []float64{1})
		m.signals[1].forecast, m.signals[1].memorised = 0.9, memorised
		found := m.judge()
		if q := found.Asked[0]; q.Answer != want || found.Verdict != claim.Differs {
			t.Errorf("%g: %s, %s, want %s", memorised, q.Answer, found.Verdict, want)
		}
	}
}

// The committed settings are whole configurations of the signals, of the lecture's size.
func TestSettingsAreWhole(t *testing.T) {
	for _, s := range allSignals {
		c, err := s.setting()
		if err != nil {
			t.Fatal(err)
		}
		m := c.Model
		if c.Process.Name != s.name || m.NCtx != 64 || m.DModel != 64 || m.NLayers != 3 || c.Train.Seed != 0 {
			t.Errorf("%s: %+v", s.name, c)
		}
		training := s.solving(3)
		if training.Config.Train.Seed != 3 || training.Snapshots[len(training.Snapshots)-1] != c.Train.NumSteps {
			t.Errorf("%s: seed %d, snapshots %v", s.name, training.Config.Train.Seed, training.Snapshots)
		}
	}
}

// What the slides' circuits look at, in sequences that are written out.
func TestLooks(t *testing.T) {
	routed := []int32{30, 2, 29, 0, 31, 18, 6, 31}
	bracketed := []int32{30, 7, 30, 2, 31, 2, 31, 7}
	steps := func(n int, at ...int) []bool {
		marks := make([]bool, n)
		for _, i := range at {
			marks[i] = true
		}
		return marks
	}
	delayed := make([]int32, 40)
	delayed[0], delayed[20] = 29, 28 // D = 29, then 17
	for _, test := range []struct {
		of        signal
		tokens    []int32
		retrieval []bool
		want      [][]sight
	}{
		{routing, routed, steps(8, 6), [][]sight{{{5, []int{1}}}, {{5, []int{0}}}, {{5, []int{4}}}, {{1, []int{0}}}}},
		{
			brackets, bracketed, steps(8, 5, 7),
			[][]sight{
				{{4, []int{3}}, {6, []int{1}}},
				{{4, []int{2}}, {6, []int{0}}},
				{{6, []int{3}}},
				{{1, []int{0}}, {3, []int{2}}},
			},
		},
		{
			switching, delayed, steps(40, 19, 39),
			[][]sight{{{38, []int{22}}}, {{38, []int{10}}}, {{38, []int{20}}}, {{38, []int{22}}}, {}, {}, {}},
		},
	} {
		for i, l := range looks[test.of] {
			got := l.at(nil, test.tokens, test.retrieval)
			if test.of == switching { // the last of those that look
				got = slices.DeleteFunc(got, func(s sight) bool { return s.from != 38 })
			}
			if !sameSights(got, test.want[i]) {
				t.Errorf("%s, %s: %v, want %v", test.of.title, l.name, got, test.want[i])
			}
		}
	}
}

func sameSights(a, b []sight) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].from != b[i].from || len(a[i].to) != len(b[i].to) {
			return false
		}
		for j := range a[i].to {
			if a[i].to[j] != b[i].to[j] {
				return false
			}
		}
	}
	return true
}

// The head that ends up looking most is followed from the start.
func TestStrongestHead(t *testing.T) {
	c := circuit{
		steps:     []float64{0, 10, 20},
		attention: [][][][]float64{{{{0.1, 0.5}, {0.2, 0.1}, {0.3, 0}}, {{0}, {0.3}, {0.6}}}},
	}
	h := c.strongest(0)
	if h.layer != 1 || h.head != 0 || h.appeared(c.steps) != 10 {
		t.Errorf("%+v, at %v", h, h.appeared(c.steps))
	}
}
