package numerals

import "testing"

func TestCardinal(t *testing.T) {
	for n, want := range map[int]string{-1: "-1", 0: "zero", 3: "three", 12: "twelve", 13: "13"} {
		if got := Cardinal(n); got != want {
			t.Errorf("%d is printed as %q, want %q", n, got, want)
		}
	}
}

func TestOneIn(t *testing.T) {
	for n, want := range map[int]string{2: "half", 4: "a quarter", 7: "1/7", 100: "a hundredth"} {
		if got := OneIn(n); got != want {
			t.Errorf("one in %d is printed as %q, want %q", n, got, want)
		}
	}
}
