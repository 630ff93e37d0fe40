package settings_test

import (
	"reflect"
	"strings"
	"testing"

	"foretell/settings"
	"foretell/train"
)

// parsed reads the settings of a resolved configuration, with assignments.
func parsed(t *testing.T, assignments ...string) settings.Settings {
	t.Helper()
	const text = `process: {name: mess3}
model: {d_model: 8, n_layers: 1, n_heads: 1, d_mlp: 16, n_ctx: 4, normalization_type: LN}
train: {seed: 1, batch_size: 8, num_steps: 40, lr: 0.01}
`
	c, err := train.Parse("c.yaml", []byte(text), assignments...)
	if err != nil {
		t.Fatal(err)
	}
	written, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	s, err := settings.Parse("config.yaml", written)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A configuration that gives a default differs in nothing from one that leaves it out,
// and one that gives anything else differs in that.
func TestDifferingIsByMeaning(t *testing.T) {
	plain := parsed(t)
	for _, test := range []struct{ assignment, differing, all string }{
		{"train.weight_decay=0", "", ""},
		{"train.objective=sampled", "", ""},
		{"train.share_prefixes=off", "", ""},
		{"train.lr=1e-2", "", ""},
		{"train.weight_decay=0.1", "train.weight_decay", "train.weight_decay"},
		{"train.seed=2", "train.seed", "train.seed"},
		{"train.evaluate_every=5", "train.evaluate_every", "train.evaluate_every"},
		{"train.checkpoint_every=5", "", "train.checkpoint_every"},
		{"process.params.x=0.2", "process.params.x", "process.params.x"},
		{"model.d_model=16", "model.d_model", "model.d_model model.d_head model.initializer_range"},
	} {
		list := []settings.Settings{plain, parsed(t, test.assignment)}
		if got := strings.Join(settings.Differing(list), " "); got != test.differing {
			t.Errorf("%s: %q differ, want %q", test.assignment, got, test.differing)
		}
		if got := strings.Join(settings.AllDiffering(list), " "); got != test.all {
			t.Errorf("%s: %q differ, want %q in all", test.assignment, got, test.all)
		}
	}
}

// A column has one type. A setting that is left out has its default, unless it does not
// apply or its default is that of the process.
func TestColumn(t *testing.T) {
	list := []settings.Settings{
		parsed(t),
		parsed(t, "train.weight_decay=0.1", "train.lr=1", "process.params.x=0.2", "train.loss_positions=[1, 2]"),
		parsed(t, "train.objective=exact", "train.batch_size=0", "model.unembed_bias=false"),
		settings.Of([2]string{"model.d_model", "4"}),
	}
	for path, want := range map[string][]any{
		"train.seed":           {int64(1), int64(1), int64(1), nil},
		"train.lr":             {0.01, 1.0, 0.01, nil},
		"train.weight_decay":   {0.0, 0.1, 0.0, nil},
		"train.objective":      {"sampled", "sampled", "exact", nil},
		"train.batch_size":     {int64(8), int64(8), nil, nil},
		"train.loss_positions": {"", "[1, 2]", "", nil},
		"train.stop.patience":  {nil, nil, nil, nil},
		"process.params.x":     {nil, 0.2, nil, nil},
		"model.d_model":        {int64(8), int64(8), int64(8), int64(4)},
		"model.unembed_bias":   {true, true, false, true},
	} {
		if got := settings.Column(list, path); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %#v, want %#v", path, got, want)
		}
	}
}

func TestFind(t *testing.T) {
	known := []string{"train.lr", "model.eps", "train.eps"}
	for name, want := range map[string]string{
		"train.lr": "train.lr", "lr": "train.lr",
		"eps":         "eps could be model.eps or train.eps; give the whole path",
		"train.eqs":   `no run has the setting train.eqs; did you mean "train.eps"?`,
		"temperature": "no run has the setting temperature; the names are train.lr, model.eps, train.eps",
	} {
		got, err := settings.Find(known, name)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
