package kernel

import (
	"fmt"
	"os"
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
