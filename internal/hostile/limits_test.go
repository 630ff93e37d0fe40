//go:build linux

package hostile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/needs"
)

// buildStatic builds the program as `make build` does.
func buildStatic(t *testing.T) string {
	t.Helper()
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(makefile), "\nbuild: pages\n\tCGO_ENABLED=0 go build -tags pages -o foretell ./cmd/foretell\n") {
		t.Error("make build does not build without cgo")
	}
	program := filepath.Join(t.TempDir(), "foretell")
	cmd := exec.Command("go", "build", "-o", program, "foretell/cmd/foretell")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// limited runs the program under a limit of the shell's, such as "-n 7".
func limited(t *testing.T, limit, program string, args ...string) (status int, messages string) {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command("sh", append([]string{"-c", "ulimit " + limit + `; exec "$0" "$@"`, program}, args...)...)
	cmd.Stderr = &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stderr.String()
}

// limitedCommands are run under each limit, where there is a run in the folder "probed".
var limitedCommands = []string{
	"process list", "process show mess3", "process floor mess3", "process sample mess3 -n 3",
	"process show rrxor --out x.html", "train probed.yaml --out new", "probe probed --out p.html",
	"predict probed --tokens 0,1", "generate probed --tokens 0,1", "plot probed --out p.svg", "runs list",
	"runs check probed", "walk probed --tokens 0,1 --out w.html", "bench kernel --seconds 0.001", "craft",
	"reproduce mess3 --only M99",
}

// The traces of Go's runtime.
var traces = []string{"goroutine ", "panic:", "runtime:", "fatal error:", "SIGABRT"}

func TestLimits(t *testing.T) {
	needs.Time(t, "builds the program and runs it some hundred times")
	program := buildStatic(t)
	prepare(t, program)
	t.Run("small", func(t *testing.T) { testSmallLimits(t, program) })
	t.Run("one gigabyte", func(t *testing.T) { testOneGigabyte(t, program) })
}

// Whatever the system limits, a command is done or ends with a message of the program's:
// no trace of Go's runtime reaches the user.
func testSmallLimits(t *testing.T, program string) {
	limits := []string{"-f 0", "-f 1", "-f 100", "-s 64", "-s 1024", "-v 1000000", "-v 900000"}
	for n := 3; n <= 20; n++ {
		limits = append(limits, fmt.Sprint("-n ", n))
	}
	for i, limit := range limits {
		for k, command := range limitedCommands {
			if all := needs.Exhaustive() || limit == "-n 7"; !all && (i+k)%8 != 0 {
				continue
			}
			if err := os.RemoveAll("new"); err != nil {
				t.Fatal(err)
			}
			status, messages := limited(t, limit, program, strings.Fields(command)...)
			if status < 0 || status > 2 {
				t.Errorf("ulimit %s: %s: status %d", limit, command, status)
			}
			for _, trace := range traces {
				if strings.Contains(messages, trace) {
					t.Errorf("ulimit %s: %s: %.200s", limit, command, messages)
					break
				}
			}
			if status != 0 && strings.Count(messages, "foretell: ") != 1 {
				t.Errorf("ulimit %s: %s: status %d, %.300q", limit, command, status, messages)
			}
		}
	}
}

// The program as `make build` makes it runs in 1 GB of address space, and refuses less in
// one line.
func testOneGigabyte(t *testing.T, program string) {
	for _, command := range []string{"process show mess3", "train probed.yaml --out new", "probe probed"} {
		if status, messages := limited(t, "-v 1000000", program, strings.Fields(command)...); status != 0 {
			t.Errorf("%s: status %d, %.300s", command, status, messages)
		}
	}
	const want = "foretell: the system grants 921.6 MB of address space, and the program needs 1.0 GB; " +
		"raise the limit (`ulimit -v`)\n"
	if status, messages := limited(t, "-v 900000", program, "process", "list"); status != 1 || messages != want {
		t.Errorf("status %d, %q", status, messages)
	}
}
