// Package needs is for tests that need what a machine may lack: a program, a Python
// module, something that the system allows. Such a test is skipped, by a line that says
// what is missing and why that matters, and `make test` lists these lines and counts
// them at its end. Where CI is set nothing may be missing, and the test fails instead.
//
//	func TestLaTeXCompiles(t *testing.T) {
//		engine := needs.Program(t, "pdflatex", "texlive-latex-base")
//
// What takes long is left out with [Time] where -short asks for it, and with [Soak] but
// in `make soak`. A test that does not apply, as a law to a process that it is not
// about, returns: it is nothing that is missing.
package needs

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Program is the path of a program, which Debian has in the package named.
func Program(t testing.TB, name, debian string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		missing(t, fmt.Sprintf("%s, of Debian's %s", name, debian))
	}
	return path
}

// python is Debian's interpreter: another that comes first in PATH has other modules.
const python = "/usr/bin/python3"

// Python is the path of Debian's interpreter, which can import all of the modules, as
// python3-MODULE holds them.
func Python(t testing.TB, modules ...string) string {
	t.Helper()
	if _, err := os.Stat(python); err != nil {
		missing(t, python+", of Debian's python3")
	}
	for _, module := range modules {
		if exec.Command(python, "-c", "import "+module).Run() != nil {
			missing(t, fmt.Sprintf("Python's %s, of Debian's python3-%s", module, module))
		}
	}
	return python
}

// Machine is for what the system must allow, such as a link or a file of 100 GB: err is
// what it said, nil if it does.
func Machine(t testing.TB, what string, err error) {
	t.Helper()
	if err != nil {
		missing(t, what+": "+strings.Join(strings.Fields(err.Error()), " "))
	}
}

// Time leaves a test out of a short run, for what takes long in it.
func Time(t testing.TB, what string) {
	t.Helper()
	if testing.Short() {
		t.Skipf("not with -short: it %s", what)
	}
}

// Exhaustive says whether this is a long campaign, of `make soak`.
func Exhaustive() bool { return os.Getenv("FORETELL_EXHAUSTIVE") != "" }

// Soak leaves a test out but in `make soak`, for what takes long in it.
func Soak(t testing.TB, what string) {
	t.Helper()
	if !Exhaustive() {
		t.Skipf("left to make soak: it %s", what)
	}
}

// missing skips a test, or fails it where CI is set.
func missing(t testing.TB, what string) {
	t.Helper()
	const form = "needs: %s: %s needs %s"
	if os.Getenv("CI") != "" {
		t.Fatalf(form+", and with CI set nothing is skipped", "missing", t.Name(), what)
	}
	t.Skipf(form, "skipped", t.Name(), what)
}
