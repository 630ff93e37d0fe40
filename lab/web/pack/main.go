// Pack builds the engine of pages without a server: foretell/lab/tab as WebAssembly,
// compressed, the script of the worker that runs it, and the licence of each module in
// them. It writes these files into lab/web/engine, from where a build with -tags pages
// takes them:
//
//	go run ./lab/web/pack && go build -tags pages ./cmd/foretell
//
// The same sources and the same Go version give the same bytes.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"foretell/internal/licence"
	"foretell/internal/limit"
)

const (
	out     = "lab/web/engine"
	largest = 1 << 28 // bytes of a file
)

func main() {
	if err := pack(); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func pack() error {
	program, err := compile()
	if err != nil {
		return err
	}
	worker, err := script()
	if err != nil {
		return err
	}
	texts, err := licence.Texts("./lab/tab", tabFlags, tabEnv)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	for name, data := range map[string][]byte{"engine.wasm.gz": program, "engine.js": worker, "LICENSES.txt": texts} {
		if err := os.WriteFile(filepath.Join(out, name), data, 0o666); err != nil {
			return err
		}
		fmt.Printf("%-14s %8d bytes\n", name, len(data))
	}
	return nil
}

// The flags and variables with which go builds the engine.
var (
	tabFlags = []string{"-tags", "wasmkernel"}
	tabEnv   = []string{"GOOS=js", "GOARCH=wasm"}
)

// compile returns the engine, compressed. Functions of other modules are not copied into
// their callers, which makes it a tenth smaller.
func compile() ([]byte, error) {
	dir, err := os.MkdirTemp("", "pack")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "engine.wasm")
	args := append([]string{"build"}, tabFlags...)
	cmd := exec.Command("go", append(args, "-trimpath", "-buildvcs=false", "-ldflags=-s -w",
		"-gcflags=all=-l", "-gcflags=foretell/...=", "-o", path, "./lab/tab")...)
	cmd.Env = append(os.Environ(), tabEnv...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, text)
	}
	data, err := limit.ReadFile(path, "the engine", largest)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	return b.Bytes(), err
}

// script returns the script of the worker: Go's own part, which belongs to the version of
// Go, the kernels, and ours.
func script() ([]byte, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, path := range []string{
		filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"),
		"internal/kernel/kernel.js", "lab/web/dist/worker.js",
	} {
		data, err := limit.ReadFile(path, "a script", largest)
		if err != nil {
			return nil, err
		}
		b.Write(data)
		b.WriteString("\n")
	}
	return b.Bytes(), nil
}
