package kernel

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"foretell/internal/needs"
)

func TestCPUModelIsWhatLinuxSays(t *testing.T) {
	const path = "/proc/cpuinfo"
	info, err := os.ReadFile(path)
	if err != nil {
		needs.Machine(t, path, err)
	}
	vendor, family := cpuModel()
	for _, want := range []string{
		fmt.Sprintf("vendor_id\t: %s\n", vendor),
		fmt.Sprintf("cpu family\t: %d\n", family),
	} {
		if !strings.Contains(string(info), want) {
			t.Errorf("%s has no line %q", path, want)
		}
	}
}

// Of more than 32 columns no panel takes 16 or fewer, and 64 are taken first where that
// leaves none or 32 and more.
func TestPanelsOfAVX512(t *testing.T) {
	if !slices.Contains(isas, avx512) {
		return
	}
	for columns := 1; columns <= 200; columns++ {
		a, b, c := []float32{1}, make([]float32, columns), make([]float32, columns)
		for rest := columns; rest > 0; {
			at := columns - rest
			width := gemmPanelAVX512(1, rest, 1, &a[0], 1, 1, &b[at], columns, &c[at], columns, nil, 0, nil)
			if columns > 32 && width <= 16 || (width == 64) != (rest == 64 || rest >= 96) {
				t.Errorf("of %d columns %d are left, and %d taken", columns, rest, width)
			}
			rest -= width
		}
	}
}
