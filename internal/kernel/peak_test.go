package kernel

import "testing"

func TestPeakLoopCounts(t *testing.T) {
	defer func(s instructionSet) { isa = s }(isa)
	for _, s := range isas {
		isa = s
		if one, ten := PeakLoop(1), PeakLoop(10); one <= 0 || ten != 10*one {
			t.Errorf("%v: 1 round counts %d, 10 rounds %d", s, one, ten)
		}
	}
}
