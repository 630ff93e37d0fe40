package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// source has mutants of every kind.
const source = `package toy

const scale = 2

type Counter struct{ n int }

func (c *Counter) Add(by int) { c.n += by }

// Sum adds up 0 to n.
func Sum(n int) int {
	sum := 0
	for i := 0; i <= n; i++ {
		sum = sum + i // so far
	}
	if n < 1 && n > -100 {
		sum = 0
	}
	if unlikely(n) {
		panic("never")
	}
	return sum
}

func unlikely(n int) bool { return n == 1<<20 }

func Twice(x float64) float64 {
	clear([]int{})
	return scale * x
}
`

// toy makes the working directory a module of one file.
func toy(t *testing.T, source string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"go.mod": "module toy\n\ngo 1.26\n", "toy.go": source} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func found(t *testing.T) []mutant {
	t.Helper()
	all, err := mutants("toy.go")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The mutants of a file are operators swapped, constants plus one, conditions negated
// and statements dropped.
func TestMutantsOfAFile(t *testing.T) {
	toy(t, source)
	var got []string
	for _, m := range found(t) {
		got = append(got, strings.TrimPrefix(m.String(), "toy.go:"))
	}
	want := strings.Split(`3: const scale = 2 → const scale = (2 + 1)
7: func (c *Counter) Add(by int) { c.n += by } → func (c *Counter) Add(by int) {  }
7: func (c *Counter) Add(by int) { c.n += by } → func (c *Counter) Add(by int) { c.n -= by }
11: sum := 0 → sum := (0 + 1)
12: for i := 0; i <= n; i++ { → for i := 0; !(i <= n); i++ {
12: for i := 0; i <= n; i++ { → for i := (0 + 1); i <= n; i++ {
12: for i := 0; i <= n; i++ { → for i := 0; i < n; i++ {
12: for i := 0; i <= n; i++ { → for i := 0; i <= n; i-- {
13: sum = sum + i → (dropped)
13: sum = sum + i → sum = sum - i
15: if n < 1 && n > -100 { → if !(n < 1 && n > -100) {
15: if n < 1 && n > -100 { → if n < 1 || n > -100 {
15: if n < 1 && n > -100 { → if n <= 1 && n > -100 {
15: if n < 1 && n > -100 { → if n < (1 + 1) && n > -100 {
15: if n < 1 && n > -100 { → if n < 1 && n >= -100 {
15: if n < 1 && n > -100 { → if n < 1 && n > -(100 + 1) {
16: sum = 0 → (dropped)
16: sum = 0 → sum = (0 + 1)
18: if unlikely(n) { → if !(unlikely(n)) {
19: panic("never") → (dropped)
24: func unlikely(n int) bool { return n == 1<<20 } → func unlikely(n int) bool { return n != 1<<20 }
24: func unlikely(n int) bool { return n == 1<<20 } → func unlikely(n int) bool { return n == 1>>20 }
24: func unlikely(n int) bool { return n == 1<<20 } → func unlikely(n int) bool { return n == (1 + 1)<<20 }
24: func unlikely(n int) bool { return n == 1<<20 } → func unlikely(n int) bool { return n == 1<<(20 + 1) }
27: clear([]int{}) → (dropped)
28: return scale * x → return scale / x`, "\n")
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// Capacities, the signs of infinities, and zeros beside an error that is made there have
// no mutants: lengths have, and so have zeros beside an error that may be none.
func TestWhatChangesNothingIsNotDrawn(t *testing.T) {
	toy(t, `package toy

import (
	"fmt"
	"math"
)

func Worst() float64 { return math.Inf(1) }

func Make(n int) ([]int, error) {
	return make([]int, n+1, n+2), nil
}

func Find(n int) (int, error) {
	if n < 7 {
		return 0, fmt.Errorf("%d", n)
	}
	return 0, nil
}
`)
	var got []string
	for _, m := range found(t) {
		got = append(got, strings.TrimPrefix(m.String(), "toy.go:"))
	}
	want := strings.Split(`11: return make([]int, n+1, n+2), nil → return make([]int, n-1, n+2), nil
11: return make([]int, n+1, n+2), nil → return make([]int, n+(1 + 1), n+2), nil
15: if n < 7 { → if !(n < 7) {
15: if n < 7 { → if n <= 7 {
15: if n < 7 { → if n < (7 + 1) {
18: return 0, nil → return (0 + 1), nil`, "\n")
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// An edit elsewhere in the file changes neither what identifies a mutant nor the order
// of the draw, and another seed does.
func TestDrawOutlivesEdits(t *testing.T) {
	order := func(source string, seed uint64) (drawn []identity) {
		toy(t, source)
		all := found(t)
		shuffle(all, seed)
		for _, m := range all {
			if m.function != "More" {
				drawn = append(drawn, m.identity)
			}
		}
		return drawn
	}
	edited := strings.Replace(source, "const scale", "func More(n int) int { return n + 1 }\n\nconst scale", 1)
	if before := order(source, 1); !slices.Equal(before, order(edited, 1)) || slices.Equal(before, order(source, 2)) {
		t.Error("the order of the draw depends on an edit, or not on the seed")
	}
}

// small has a mutant of each fate but one that does not compile: an endless loop, one
// that tests kill, one that they let pass, one that they do not reach, one that is known
// to change nothing.
const small = `package toy

func Sum(n int) int {
	sum := 0
	for i := range n + 1 {
		for k := 0; k < i; k++ {
			sum += 1
		}
	}
	return sum
}

func Never() { panic("never") }
`

const smallTest = `package toy

import "testing"

func TestToy(t *testing.T) {
	if Sum(3) != 6 {
		t.Error("wrong")
	}
}
`

// An endless loop is killed, code that no test reaches survives, a known equivalent is
// neither, and the tree is as it was.
func TestCampaign(t *testing.T) {
	toy(t, small)
	if err := os.WriteFile("toy_test.go", []byte(smallTest), 0o600); err != nil {
		t.Fatal(err)
	}
	id, reason, err := parseKnown("toy.go Sum\n- sum := 0\n+ sum := (0 + 1)\nsaid to be equal\nfor the test")
	if err != nil || reason != "said to be equal for the test" {
		t.Fatal(reason, err)
	}
	var progress strings.Builder
	r, err := campaign(&progress, ".", map[identity]string{id: reason}, draw{count: 100, seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(progress.String()) {
		got = append(got, strings.Join(strings.Fields(line)[1:], " "))
	}
	slices.Sort(got)
	want := strings.Split(`UNCOVERED toy.go:13: func Never() { panic("never") } → func Never() { }
equivalent toy.go:4: sum := 0 → sum := (0 + 1)
killed toy.go:5: for i := range n + 1 { → for i := range n + (1 + 1) {
killed toy.go:5: for i := range n + 1 { → for i := range n - 1 {
killed toy.go:6: for k := 0; k < i; k++ { → for k := (0 + 1); k < i; k++ {
killed toy.go:6: for k := 0; k < i; k++ { → for k := 0; !(k < i); k++ {
killed toy.go:6: for k := 0; k < i; k++ { → for k := 0; k < i; k-- {
killed toy.go:6: for k := 0; k < i; k++ { → for k := 0; k <= i; k++ {
killed toy.go:7: sum += 1 → (dropped)
killed toy.go:7: sum += 1 → sum += (1 + 1)
killed toy.go:7: sum += 1 → sum -= 1`, "\n")
	if !slices.Equal(got, want) || r.drawn != 11 || r.killed != 9 || r.equivalent != 1 || len(r.survivors) != 1 {
		t.Errorf("%v\n%s", r, strings.Join(got, "\n"))
	}
	if text, err := os.ReadFile("toy.go"); err != nil || string(text) != small {
		t.Error("the source has changed", err)
	}
}

// A list whose entry is not in the code any more, or is no entry, is refused.
func TestStaleEquivalents(t *testing.T) {
	for _, c := range []struct{ list, want string }{
		{"# nothing yet\n", ""},
		{"toy.go Sum\n- sum = 0\n+ (dropped)\nan empty sum is 0\n", ""},
		{"toy.go Sum\n- sum = 0\n+ (dropped)\nan empty sum is 0\n\ntoy.go Sum\n- sum = 0\n+ (dropped)\nonce more\n", "the code has changed"},
		{"toy.go Twice\n- sum = 0\n+ (dropped)\nelsewhere\n", "the code has changed"},
		{"toy.go Sum\n- sum = 0\n+ (dropped)\n", "want four lines"},
		{"toy.go Sum\nsum = 0\n+ (dropped)\nno minus\n", "then - OLD"},
		{"gone.go Sum\n- sum = 0\n+ (dropped)\nno file\n", "gone.go"},
	} {
		toy(t, source)
		if err := os.WriteFile("list", []byte(c.list), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := readKnown("list")
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.list, err, c.want)
		}
	}
}

// The equivalents of the repository are in its code.
func TestEquivalentsAreCurrent(t *testing.T) {
	t.Chdir("../..")
	if _, err := readKnown(known); err != nil {
		t.Error(err)
	}
}
