package needs

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

// told is a test that keeps what it was told, and ends as a test does.
type told struct {
	testing.TB
	skipped, failed string
}

func (t *told) Helper()      {}
func (t *told) Name() string { return "TestIt" }

func (t *told) Skipf(format string, args ...any) {
	t.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (t *told) Fatalf(format string, args ...any) {
	t.failed = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// tell runs a test to its end.
func tell(test func(t testing.TB)) *told {
	t, done := new(told), make(chan bool)
	go func() {
		defer close(done)
		test(t)
	}()
	<-done
	return t
}

var lacking = map[string]func(t testing.TB){
	"TestIt needs no-such-program, of Debian's no-such-package": func(t testing.TB) {
		Program(t, "no-such-program", "no-such-package")
	},
	"TestIt needs a link: not permitted, here": func(t testing.TB) {
		Machine(t, "a link", errors.New("not permitted,\n here\n"))
	},
}

// What is missing is skipped in one line, and fails where CI is set.
func TestMissing(t *testing.T) {
	for want, test := range lacking {
		t.Setenv("CI", "")
		if got := tell(test); got.skipped != "needs: skipped: "+want || got.failed != "" {
			t.Errorf("%q, %q, want %q", got.skipped, got.failed, want)
		}
		t.Setenv("CI", "true")
		if got := tell(test); got.skipped != "" || !strings.HasPrefix(got.failed, "needs: missing: "+want+", and with CI") {
			t.Errorf("%q, %q, want %q", got.skipped, got.failed, want)
		}
	}
}

// What is there is no reason to skip.
func TestThere(t *testing.T) {
	got := tell(func(t testing.TB) {
		Machine(t, "a link", nil)
		if Program(t, "go", "golang") == "" {
			t.Fatalf("no path")
		}
	})
	if got.skipped != "" || got.failed != "" {
		t.Errorf("%q, %q", got.skipped, got.failed)
	}
}

// A module that Debian's Python lacks is named with its package.
func TestPython(t *testing.T) {
	t.Setenv("CI", "")
	if _, err := os.Stat(python); err != nil {
		if got := tell(func(t testing.TB) { Python(t) }); !strings.Contains(got.skipped, python) {
			t.Error(got.skipped)
		}
		return
	}
	if got := tell(func(t testing.TB) { Python(t, "json", "no_such_module") }); !strings.HasSuffix(got.skipped,
		"needs Python's no_such_module, of Debian's python3-no_such_module") {
		t.Error(got.skipped)
	}
}

// A test that a variable asks for gets its value. Without it the test is skipped, also if
// CI is set.
func TestGiven(t *testing.T) {
	t.Setenv("CI", "true")
	for _, value := range []string{"", "documents"} {
		t.Setenv("FORETELL_GIVEN", value)
		var got string
		to := tell(func(t testing.TB) { got = Given(t, "FORETELL_GIVEN", "a folder") })
		if got != value || (to.skipped == "") != (value != "") || to.failed != "" {
			t.Errorf("%q: %q, skipped %q, failed %q", value, got, to.skipped, to.failed)
		}
	}
}
