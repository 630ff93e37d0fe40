package process

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// ring is a cycle of n states of which one emits b and the others a.
func ring(t testing.TB, n int) *HMM {
	h, err := Periodic("b" + strings.Repeat("a", n-1))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// literallyVisible is visible as its comment has it: the pairs that words of each length
// leave apart.
func literallyVisible(t table, reached []bool) (tokens int, ok bool) {
	next, ok := t.successors(reached)
	if !ok {
		return 0, false
	}
	pairs := map[[2]int]bool{}
	for j := range t.states {
		for i := range j {
			if reached[i] && reached[j] {
				pairs[[2]int{i, j}] = true
			}
		}
	}
	for tokens = 0; len(pairs) > 0; tokens++ {
		apart := map[[2]int]bool{}
		for pair := range pairs {
			for _, to := range next {
				if i, j := to[pair[0]], to[pair[1]]; i >= 0 && j >= 0 && i != j {
					apart[[2]int{min(i, j), max(i, j)}] = true
				}
			}
		}
		if len(apart) == len(pairs) {
			return 0, false
		}
		pairs = apart
	}
	return max(1, tokens), true
}

func TestVisibleIsWhatItSays(t *testing.T) {
	seen := map[int]int{}
	rapid.Check(t, func(t *rapid.T) {
		n, a := rapid.IntRange(1, 7).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "tokens")
		b := table{states: numbers(n)}
		for range a {
			m := make([]float64, n*n)
			for i := range n {
				if to := rapid.IntRange(-n, n-1).Draw(t, "to"); to >= 0 {
					m[i*n+to] = 1
				}
			}
			b.matrices = append(b.matrices, m)
		}
		reached := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "reached")
		for k := range n * n * len(b.matrices) * n { // n times over all entries: what is reached leads to what is
			i, j, m := k/n%n, k%n, b.matrices[k/n/n%len(b.matrices)]
			reached[j] = reached[j] || reached[i] && m[i*n+j] > 0
		}
		tokens, ok := b.visible(reached)
		want, wantOK := literallyVisible(b, reached)
		if ok != wantOK || ok && tokens != want {
			t.Fatalf("%d, %v; want %d, %v", tokens, ok, want, wantOK)
		}
		if ok {
			seen[tokens]++
		}
	})
	if len(seen) < 2 {
		t.Errorf("only %v", seen)
	}
}

// Room for each pair of states is taken once, not once for each length of words.
func TestVisibleTakesPairsOnce(t *testing.T) {
	for _, n := range []int{64, 256} {
		b := ring(t, n).table()
		reached := b.reached()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		tokens, ok := b.visible(reached)
		runtime.ReadMemStats(&after)
		if !ok || tokens != n-1 {
			t.Errorf("%d states: visible by %d tokens, %v", n, tokens, ok)
		}
		if bytes := after.TotalAlloc - before.TotalAlloc; bytes > uint64(100*n*n) {
			t.Errorf("%d states: %d bytes", n, bytes)
		}
	}
}

// literallyRefined refines a partition by every pair of states, token and class.
func literallyRefined(t table, classes [][]int) [][]int {
	n := len(t.states)
	agree := func(i, j int) bool {
		for _, m := range t.matrices {
			for _, class := range classes {
				difference := 0.0
				for _, k := range class {
					difference += m[i*n+k] - m[j*n+k]
				}
				if math.Abs(difference) > sameProbability {
					return false
				}
			}
		}
		return true
	}
	var refined [][]int
	for _, class := range classes {
		from := len(refined)
		for _, i := range class {
			k := slices.IndexFunc(refined[from:], func(other []int) bool { return agree(i, other[0]) })
			if k < 0 {
				k = len(refined) - from
				refined = append(refined, nil)
			}
			refined[from+k] = append(refined[from+k], i)
		}
	}
	return refined
}

func TestFutureClassesAreWhatTheySay(t *testing.T) {
	merged := 0
	rapid.Check(t, func(t *rapid.T) {
		n, a := rapid.IntRange(1, 6).Draw(t, "n"), rapid.IntRange(1, 2).Draw(t, "tokens")
		differ := rapid.IntRange(1, n).Draw(t, "states that differ")
		b := table{states: numbers(n), right: ones(n)}
		for range a {
			m := make([]float64, n*n)
			for i := range differ * n {
				m[i] = float64(rapid.IntRange(0, 1).Draw(t, "entry")) / 4
			}
			copy(m[differ*n:], m) // rows that follow are these again, or zeros
			b.matrices = append(b.matrices, m)
		}
		want := [][]int{nil}
		for i := range n {
			want[0] = append(want[0], i)
		}
		for {
			refined := literallyRefined(b, want)
			if len(refined) == len(want) {
				break
			}
			want = refined
		}
		if got := b.futureClasses(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%v, want %v", got, want)
		}
		if 1 < len(want) && len(want) < n {
			merged++
		}
	})
	if merged == 0 {
		t.Error("no partition but the trivial ones")
	}
}

// Processes one in the other, of which the innermost is wrong, are made once each: the
// work does not double with each.
func TestNestedProcessesAreMadeOnce(t *testing.T) {
	nested := func(depth int) Spec {
		spec := Spec{Name: "mess3", Params: Params{"x": 7.0}}
		for range depth {
			spec = Spec{Name: "noisy", Params: Params{"process": spec}}
		}
		return spec
	}
	allocations := func(depth int) float64 {
		spec := nested(depth)
		return testing.AllocsPerRun(1, func() { _, _ = spec.Build() })
	}
	if few, many := allocations(7), allocations(28); many > 6*few {
		t.Errorf("%v allocations for 7 processes, %v for 28", few, many)
	}
	_, err := nested(2).Build()
	if want := "params.process is not possible: noisy: process: params.process is not possible: noisy: process: " +
		"params.x is not possible: mess3: x = 7 is outside (0, 0.5]"; fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// A fault names a state of any length by its beginning.
func TestFaultsAreShort(t *testing.T) {
	states := []string{strings.Repeat("é", 10_000)}
	for _, p := range must(Check(t.Context(), []string{"0"}, states, [][][]float64{{{-1}}})) {
		if len(p.Text) > 3*longestName || !strings.Contains(p.Text, "é…") {
			t.Errorf("%d bytes: %.100s", len(p.Text), p.Text)
		}
	}
}

// The limits have a bound of products.
func TestBoundsOfWork(t *testing.T) {
	if testing.Short() {
		return
	}
	const n = 600
	step := int64(n * n * 2 * (1 + ratePasses)) // n beliefs, each of one state
	if positions := int64(len(must(ring(t, n).converge(t.Context(), rateBudget)).upper)); positions < 10 || positions*step > rateWork+2*step {
		t.Errorf("%d positions of %d products", positions, step)
	}
}
