package kernel

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"foretell/internal/needs"
)

// TestAssemblyIsFresh generates the assembly anew and compares it with the
// files of this folder.
func TestAssemblyIsFresh(t *testing.T) {
	needs.Time(t, "compiles the generator")
	list := exec.Command("go", "-C", "asm", "list", "-deps", ".")
	list.Env = append(os.Environ(), "GOWORK=off")
	if out, err := list.CombinedOutput(); err != nil {
		needs.Machine(t, "the generator's dependencies, to tell whether the assembly is stale", fmt.Errorf("%w: %s", err, out))
	}
	fresh := t.TempDir()
	generate := exec.Command("go", "-C", "asm", "run", ".", fresh)
	generate.Env = append(os.Environ(), "GOWORK=off")
	if out, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, err := filepath.Glob(filepath.Join(fresh, "*.s"))
	if err != nil || len(want) == 0 {
		t.Fatalf("the generator wrote no assembly: %v", err)
	}
	have, err := filepath.Glob("*.s")
	if err != nil || len(have) != len(want) {
		t.Errorf("%d assembly files here, the generator writes %d (%v)", len(have), len(want), err)
	}
	for _, path := range want {
		name := filepath.Base(path)
		a, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s is stale: run go generate ./internal/kernel (%v)", name, err)
		}
	}
}
