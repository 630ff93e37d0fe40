// Package needs supports tests with requirements that a machine may not meet: a program,
// a Python module, or a feature of the system. Such a test is skipped with a line that
// says what is missing; `make test` lists and counts these lines at its end. If CI is
// set, a missing requirement fails the test instead.
//
//	func TestLaTeXCompiles(t *testing.T) {
//		engine := needs.Program(t, "pdflatex", "texlive-latex-base")
//
// Slow parts are skipped with [Time] under -short, and with [Soak] except in `make soak`.
// A test that does not apply, such as a law for another type of process, simply returns,
// because nothing is missing.
package needs

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Program returns the path of a program that the test needs; debian is the Debian package
// that contains it.
func Program(t testing.TB, name, debian string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		missing(t, fmt.Sprintf("%s, of Debian's %s", name, debian))
	}
	return path
}

// python is Debian's interpreter. Another interpreter in PATH would have other modules.
const python = "/usr/bin/python3"

// Python returns the path of Debian's interpreter and requires that it can import all
// modules, each in the Debian package python3-MODULE.
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

// Machine requires a feature of the system, such as links or a file of 100 GB. err is the
// error that the caller got when it tried to use the feature, or nil.
func Machine(t testing.TB, what string, err error) {
	t.Helper()
	if err != nil {
		missing(t, what+": "+strings.Join(strings.Fields(err.Error()), " "))
	}
}

// Time skips a slow test in a short run.
func Time(t testing.TB, what string) {
	t.Helper()
	if testing.Short() {
		t.Skipf("not with -short: it %s", what)
	}
}

// Exhaustive reports whether this is a long campaign of `make soak`.
func Exhaustive() bool { return os.Getenv("FORETELL_EXHAUSTIVE") != "" }

// Soak skips a very slow test except in `make soak`.
func Soak(t testing.TB, what string) {
	t.Helper()
	if !Exhaustive() {
		t.Skipf("run only by make soak: it %s", what)
	}
}

// Given returns the value of an environment variable. If it is not set, the test is
// skipped, also if CI is set: what it names cannot be installed.
func Given(t testing.TB, variable, what string) string {
	t.Helper()
	value := os.Getenv(variable)
	if value == "" {
		t.Skipf("run only if %s is set to %s", variable, what)
	}
	return value
}

// missing skips a test or, if CI is set, fails it.
func missing(t testing.TB, what string) {
	t.Helper()
	const form = "needs: %s: %s needs %s"
	if os.Getenv("CI") != "" {
		t.Fatalf(form+", and with CI set nothing is skipped", "missing", t.Name(), what)
	}
	t.Skipf(form, "skipped", t.Name(), what)
}
