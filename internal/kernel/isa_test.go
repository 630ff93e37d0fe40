package kernel

import (
	"strings"
	"testing"
)

func TestSelect(t *testing.T) {
	defer func(s instructionSet) { isa = s }(isa)
	for _, s := range isas {
		if err := Select(s.String()); err != nil || ISA() != s.String() {
			t.Errorf("Select(%q): %v, in use %s", s, err, ISA())
		}
	}
	if err := Select(""); err != nil || isa != isas[0] {
		t.Errorf("Select of the best: %v, in use %s", err, ISA())
	}
	for _, name := range []string{"sse9", "AVX2"} {
		before := ISA()
		if err := Select(name); err == nil || !strings.Contains(err.Error(), "generic") || ISA() != before {
			t.Errorf("Select(%q): error %v, in use %s", name, err, ISA())
		}
	}
}
