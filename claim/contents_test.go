package claim

import "testing"

// A column's meaning is found by its name, also with an ending and for one process of
// several. A name that only begins like that is not cut to nothing.
func TestMeaning(t *testing.T) {
	decay := Meaning("decay")
	if decay == "" || Meaning("decay_x0.15") != decay {
		t.Errorf("decay is %q, of one process %q", decay, Meaning("decay_x0.15"))
	}
	for _, name := range []string{"_x0.15", "nobody_knows", ""} {
		if got := Meaning(name); got != "" {
			t.Errorf("%q means %q", name, got)
		}
	}
}
