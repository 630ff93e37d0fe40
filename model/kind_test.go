package model

import (
	"slices"
	"testing"
)

// What a configuration answers about its network agrees with the model's hooks and the
// shapes of its parameters.
func TestAnswersAboutTheNetworkFitTheModel(t *testing.T) {
	names := map[string]bool{}
	for _, test := range small {
		m := jittered[float64](t, test.config)
		c := m.Config
		names[c.Network()] = true
		for _, name := range c.LayerHooks() {
			if has := slices.Contains(c.Hooks(), "blocks.0."+name); has != (c.NLayers > 0) {
				t.Errorf("%s: of %d layers, layer 0 has %s: %v", test.name, c.NLayers, name, has)
			}
		}
		if has := slices.Contains(c.LayerHooks(), "attn.hook_pattern"); has != c.HasAttention() {
			t.Errorf("%s: attention %v, a pattern %v", test.name, c.HasAttention(), has)
		}
		if has := slices.Contains(c.LayerHooks(), "hook_resid_mid"); has != c.AddsToStream() {
			t.Errorf("%s: adds to the stream %v, resid_mid %v", test.name, c.AddsToStream(), has)
		}
		matrix := "blocks.0.attn.W_A"
		switch {
		case !c.HasAttention():
			if width := c.HeadWidth(0); width != 0 {
				t.Errorf("%s: heads %d wide without attention", test.name, width)
			}
			continue
		case c.AddsToStream():
			matrix = "blocks.0.attn.W_V"
		}
		if shape := m.Weights.Get(matrix).Shape; c.HeadWidth(0) != shape[2] || c.Width(0) != shape[1] {
			t.Errorf("%s: %d into %d, the matrix has %v", test.name, c.Width(0), c.HeadWidth(0), shape)
		}
	}
	if len(names) != 3 {
		t.Errorf("the networks are called %v, want three names", names)
	}
}
