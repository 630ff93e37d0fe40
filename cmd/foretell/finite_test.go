package main

import (
	"math"
	"strings"
	"testing"

	"foretell/model"
)

// TestWeightsAreFinite holds that a model whose weights are no numbers, or whose numbers
// overflow, is refused, in JSON where that is asked for.
func TestWeightsAreFinite(t *testing.T) {
	inFolder(t)
	for name, change := range map[string]func(x []float32){
		"none": func(x []float32) { x[1] = float32(math.NaN()) },
		"huge": func(x []float32) {
			for i := range x {
				x[i] = 3e38
			}
		},
	} {
		c := model.Config{DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: 4, DVocab: 3, NormalizationType: "none"}
		m, err := model.New[float32](c, 1)
		if err != nil {
			t.Fatal(err)
		}
		change(m.Weights.Data)
		if err := m.Save(name); err != nil {
			t.Fatal(err)
		}
		write(t, name+"/config.yaml", "process: {name: mess3}\nmodel: {d_model: 4, n_layers: 1, n_heads: 1, n_ctx: 4, normalization_type: none}\n")
		for _, args := range []string{"predict " + name + " --tokens 0,1", "generate " + name + " --tokens 0,1", "probe " + name, "walk " + name + " --tokens 0,1"} {
			if args == "walk huge --tokens 0,1" {
				continue // in float64 it does not overflow
			}
			status, stdout, stderr := call(t, strings.Fields(args)...)
			if status != exitFailed || stdout != "" || strings.Count(stderr, "\n") != 1 {
				t.Errorf("%s: status %d, %q, %q", args, status, stdout, stderr)
			}
			status, stdout, again := call(t, append(strings.Fields(args), "--json")...)
			var refused struct{ Error string }
			decode(t, stdout, &refused)
			if status != exitFailed || again != stderr || "foretell: "+refused.Error+"\n" != stderr {
				t.Errorf("%s --json: status %d, %q, %q", args, status, stdout, again)
			}
		}
	}
}
