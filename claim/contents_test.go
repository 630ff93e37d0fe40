package claim

import "testing"

// A column's meaning is found by its name, also with an ending or a beginning, and for
// one process of several. A name that only begins like that is not cut to nothing.
func TestMeaning(t *testing.T) {
	g := Glossary{
		"beliefs": "belief over the hidden states", "decay": "factor of attention per step", "kl": "divergence, nats",
	}
	for name, want := range map[string]string{
		"decay": g["decay"], "decay_x0.15": g["decay"], "beliefs_x0.05_a0.85": g["beliefs"],
		"kl_sd":             "divergence, nats, standard deviation over seeds",
		"decay_random_init": "factor of attention per step, at random initialisation",
		"spread_shuffled":   "spread, with shuffled targets",
		"r2_final_beliefs":  "R² of final beliefs",
		"_x0.15":            "", "nobody_knows": "", "": "",
	} {
		if got := g.Meaning(name); got != want {
			t.Errorf("%s means %q, want %q", name, got, want)
		}
	}
}
