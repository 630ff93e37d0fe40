package text

import "testing"

func TestAnd(t *testing.T) {
	names := []string{"M2", "M4", "M5"}
	for n, want := range []string{"", "M2", "M2 and M4", "M2, M4 and M5"} {
		if got := And(names[:n]); got != want {
			t.Errorf("%d names: %q, want %q", n, got, want)
		}
	}
}
