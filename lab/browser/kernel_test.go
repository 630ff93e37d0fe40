package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// kernelPolicy is the policy of a page that computes: it may compile WebAssembly.
const kernelPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; img-src data:"

// withKernels serves a page that can run the tests of packages, built for GOOS=js with
// the kernels of internal/kernel. The tests of package PATH/NAME are NAME.wasm.
func withKernels(t *testing.T, packages ...string) *Page {
	t.Helper()
	b, root, folder := Start(t), filepath.Join("..", ".."), t.TempDir()
	for _, path := range packages {
		build := exec.Command("go", "test", "-c", "-tags", "wasmkernel", "-o", filepath.Join(folder, filepath.Base(path)+".wasm"), path)
		build.Dir, build.Env = root, append(os.Environ(), "GOOS=js", "GOARCH=wasm")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"/wasm_exec.js": filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js"),
		"/kernel.js":    filepath.Join(root, "internal", "kernel", "kernel.js"),
		"/page.js":      filepath.Join("testdata", "kernel", "page.js"),
		"/worker.js":    filepath.Join("testdata", "kernel", "worker.js"),
	}
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch file, ok := files[r.URL.Path]; {
		case r.URL.Path == "/":
			fmt.Fprint(w, head, `<script src="kernel.js"></script><script src="page.js"></script>`)
		case ok:
			http.ServeFile(w, r, file)
		default:
			w.Header().Set("Content-Type", "application/wasm")
			http.ServeFile(w, r, filepath.Join(folder, filepath.Base(r.URL.Path)))
		}
	}), kernelPolicy)
	return b.Open(t, server+"/", Views[0])
}

// runTests runs tests in a page, and returns their output. If absent is true, the page
// cannot instantiate the kernels.
func runTests(t *testing.T, p *Page, program string, absent bool, args ...string) string {
	t.Helper()
	list, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	done := Eval[struct {
		Status int
		Output string
	}](p, fmt.Sprintf("run(%q, %s, %t)", program, list, absent))
	if done.Status != 0 {
		t.Errorf("%s %v: exit status %d\n%s", program, args, done.Status, done.Output)
	}
	return done.Output
}

// passed returns the names of rows of TestSameBitsEverywhere that passed on an
// instruction set.
func passed(output, isa string) (rows []string) {
	for _, found := range regexp.MustCompile(`PASS: TestSameBitsEverywhere/`+isa+`/(.*) \(`).FindAllStringSubmatch(output, -1) {
		rows = append(rows, found[1])
	}
	return rows
}

// In a browser, training and the kernels have the bits of every other machine: with the
// kernels in WebAssembly, and without them. The log has the speed of training.
func TestKernelsInBrowser(t *testing.T) {
	p := withKernels(t, "./train", "./internal/kernel")
	runTests(t, p, "kernel.wasm", false, "-test.run=BitsAreThese|SetsOfKernels|TableOfTriples|MultiplyAdd|Gram|Select")
	output := runTests(t, p, "train.wasm", false, "-test.run=SameBitsEverywhere", "-test.short", "-test.v")
	exact, relaxed := passed(output, "wasmexact"), passed(output, "wasm")
	if len(exact) < 21 {
		t.Errorf("%d configurations have the same bits with exact kernels, want all: %s", len(exact), output)
	}
	if len(relaxed) == 0 {
		t.Log("this browser or machine has no fused multiply-adds")
	} else if !slices.Equal(relaxed, exact) {
		t.Errorf("configurations %q have the same bits with relaxed kernels, want all", relaxed)
	}
	output = runTests(t, p, "train.wasm", true, "-test.run=SameBitsEverywhere/.*/one_layer/3", "-test.v")
	if rows := passed(output, "generic"); len(rows) != 1 || strings.Contains(output, "wasm") {
		t.Errorf("a host without kernels: %s", output)
	}
	t.Log(runTests(t, p, "train.wasm", false, "-test.run=^$", "-test.bench=Step/one", "-test.benchtime=2s", "-test.count=3"))
}

// A host that cannot instantiate a module says so.
func TestKernelsAbsent(t *testing.T) {
	p := withKernels(t)
	for _, memory := range []string{"() => undefined", "() => new WebAssembly.Memory({initial: 1})"} {
		if got := Eval[int](p, "foretellKernel("+memory+").load(0, 0, 8)"); got != 0 {
			t.Errorf("load returns %d for a module of zeros in the memory %s", got, memory)
		}
	}
}
