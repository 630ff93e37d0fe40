package numerals

import "testing"

func TestScientific(t *testing.T) {
	for x, want := range map[float64]string{1e-6: "1e-6", 1e-4: "1e-4", 1e-12: "1e-12", 2.5e10: "2.5e10", 3: "3e0", -1e-3: "-1e-3", 1e-100: "1e-100"} {
		if got := Scientific(x); got != want {
			t.Errorf("%v is printed as %q, want %q", x, got, want)
		}
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 2000: "2,000", 524800: "524,800", 1234567: "1,234,567"} {
		if got := Grouped(n); got != want {
			t.Errorf("%d is printed as %q, want %q", n, got, want)
		}
	}
}
