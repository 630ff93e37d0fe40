package model

import (
	"fmt"
	"os"
	"strings"
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
	source, err := os.ReadFile("gpt2.go")
	if err != nil {
		t.Fatal(err)
	}
	comment := strings.Join(strings.Fields(strings.ReplaceAll(string(source), "\n//", "")), " ")
	var names, numbers []string
	for _, s := range GPT2Sizes {
		names, numbers = append(names, s.Name), append(numbers, thousands(want[s.Name]))
	}
	last := len(names) - 1
	listed := fmt.Sprintf("%s or %s (%s and %s parameters)", strings.Join(names[:last], ", "), names[last],
		strings.Join(numbers[:last], ", "), numbers[last])
	if !strings.Contains(comment, listed) {
		t.Errorf("the comment of GPT2 does not say %q", listed)
	}
	if n := testing.AllocsPerRun(1, func() { _, _ = GPT2("xl") }); n > 5000 {
		t.Errorf("%v allocations", n)
	}
	if _, err := GPT2("huge"); fmt.Sprint(err) != `GPT-2 "huge" is not one of small, medium, large, xl` {
		t.Error(err)
	}
}

// thousands writes a number with a comma before each three digits.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
