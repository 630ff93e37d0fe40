package kernel

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"foretell/internal/needs"
)

// generated reports whether a file is one that the generator writes.
func generated(name string) bool {
	return filepath.Ext(name) == ".s" || filepath.Ext(name) == ".wasm" || name == "kernel.js"
}

// TestAssemblyIsFresh generates the assembly and the modules anew and compares them with
// the files of this folder.
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
	want, err := os.ReadDir(fresh)
	if err != nil || len(want) == 0 {
		t.Fatalf("the generator wrote nothing: %v", err)
	}
	have, err := os.ReadDir(".")
	have = slices.DeleteFunc(have, func(e os.DirEntry) bool { return !generated(e.Name()) })
	if err != nil || len(have) != len(want) {
		t.Errorf("%d generated files here, the generator writes %d (%v)", len(have), len(want), err)
	}
	for _, file := range want {
		name := file.Name()
		a, err := os.ReadFile(filepath.Join(fresh, name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s is stale: run go generate ./internal/kernel (%v)", name, err)
		}
	}
}
