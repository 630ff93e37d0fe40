package model

import (
	"fmt"
	"testing"
)

// The four sizes have the numbers of parameters of OpenAI's checkpoints, counted without
// making room for any.
func TestGPT2Sizes(t *testing.T) {
	want := map[string]int{"small": 124_439_808, "medium": 354_823_168, "large": 774_030_080, "xl": 1_557_611_200}
	for _, s := range GPT2Sizes {
		c, err := GPT2(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Parameters(); got != want[s.Name] {
			t.Errorf("%s has %d parameters, want %d", s.Name, got, want[s.Name])
		}
		if c.NCtx != 1024 || c.DVocab != 50257 || c.DMLP != 4*c.DModel || c.DHead != 64 || c.Eps != 1e-5 ||
			c.ActFn != "gelu_new" || !c.TieUnembed || c.HasUnembedBias() {
			t.Errorf("%s is %+v", s.Name, c)
		}
		if err := c.checkGPT2(); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
	if n := testing.AllocsPerRun(1, func() { _, _ = GPT2("xl") }); n > 5000 {
		t.Errorf("%v allocations", n)
	}
	if _, err := GPT2("huge"); fmt.Sprint(err) != `GPT-2 "huge" is not one of small, medium, large, xl` {
		t.Error(err)
	}
}
