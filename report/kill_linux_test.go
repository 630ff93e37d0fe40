package report

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"foretell/claim"
)

// childVariable makes the test binary, started again by a test, reproduce: it holds the
// folder and what the rows say. With childLimit no file may grow beyond so many bytes.
const (
	childVariable = "REPORT_TEST_CHILD"
	childLimit    = "REPORT_TEST_LIMIT"
)

func TestMain(m *testing.M) {
	if dir, text, ok := strings.Cut(os.Getenv(childVariable), "|"); ok {
		runtime.LockOSThread() // for its system calls to be counted
		if err := child(dir, text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// killed are the rows that are reproduced again and again.
var killed = []string{"M1", "M2", "M3"}

// child reproduces the rows, and prints a line at each moment at which it may be killed.
func child(dir, text string) error {
	var limit uint64
	if _, err := fmt.Sscan(os.Getenv(childLimit), &limit); err == nil {
		signal.Ignore(syscall.SIGXFSZ) // so that a write beyond the limit is an error
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			return err
		}
	}
	rows := sayRows(text, killed...)
	for i, row := range rows {
		rows[i].Test = func(ctx context.Context, s *claim.Study, c *claim.Claim) error {
			fmt.Println("before", row.ID)
			defer fmt.Println("drawn", row.ID)
			return row.Test(ctx, s, c)
		}
	}
	s := &claim.Study{Out: dir, Finished: func([]claim.Claim, []string) error {
		fmt.Println("finished")
		return nil
	}}
	_, _, err := Reproduce(context.Background(), s, rows, theirs(text))
	return err
}

// startChild prepares the test binary to reproduce, under another program if one is
// given.
func startChild(t *testing.T, dir, text string, under ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append(under, self)
	command := exec.Command(args[0], args[1:]...)
	command.Env = append(os.Environ(), childVariable+"="+dir+"|"+text)
	return command
}

// timeless is a tree by paths below its root, without the seconds that rows took.
func timeless(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for path, text := range tree(t, dir) {
		below, _ := filepath.Rel(dir, path)
		all[below] = seconds0(text)
	}
	return all
}

// reports returns the trees of the two reports between which a reproduction is killed.
func reports(t *testing.T) (before, after map[string]string) {
	t.Helper()
	dir := t.TempDir()
	mustReproduce(t, dir, "one", sayRows("one", killed...))
	before = timeless(t, dir)
	mustReproduce(t, dir, "two", sayRows("two", killed...))
	return before, timeless(t, dir)
}

// checkKilled checks a folder in which a reproduction was killed: all of the old report
// is there, or all of the new one once the folder is opened. The next reproduction then
// makes the new one, and leaves no litter.
func checkKilled(t *testing.T, dir string, before, after map[string]string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, replacement)); err == nil {
		f, err := openFolder(dir, theirs("two"))
		if err != nil {
			t.Fatal(err)
		}
		f.close()
		if !maps.Equal(timeless(t, dir), after) {
			t.Error("the new report was begun to be moved, and is not whole when the folder is opened")
		}
	}
	now := timeless(t, dir)
	for path := range now {
		if strings.Contains(path, ".tmp-") {
			delete(now, path)
		}
	}
	if !maps.Equal(now, before) && !maps.Equal(now, after) {
		t.Error("the report is neither the old one nor the new one")
	}
	mustReproduce(t, dir, "two", sayRows("two", killed...))
	if !maps.Equal(timeless(t, dir), after) {
		t.Error("the next reproduction does not end in the new report")
	}
}

// A kill at any line of a reproduction over a complete report leaves that, or the new
// one.
func TestKilledReproduction(t *testing.T) {
	before, after := reports(t)
	for kill := range 3*len(killed) + 2 {
		dir := t.TempDir()
		mustReproduce(t, dir, "one", sayRows("one", killed...))
		command := startChild(t, dir, "two")
		output, err := command.StdoutPipe()
		if err == nil {
			err = command.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(output)
		for n := 0; n < kill && lines.Scan(); n++ {
			continue
		}
		_ = command.Process.Kill()
		_, _ = io.Copy(io.Discard, output)
		_ = command.Wait()
		checkKilled(t, dir, before, after)
	}
}

// A kill at each call that changes a folder or a file: with strace, which counts them.
// All calls that touch files with FORETELL_EXHAUSTIVE.
func TestKilledAtEachCall(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil || testing.Short() {
		t.Skip("needs strace, and some seconds")
	}
	calls := []string{"renameat", "unlinkat"}
	if os.Getenv("FORETELL_EXHAUSTIVE") != "" {
		calls = append(calls, "mkdirat", "fsync", "write", "openat", "close", "getdents64", "newfstatat")
	}
	before, after := reports(t)
	for _, call := range calls {
		for n := 1; ; n++ {
			dir, fresh := t.TempDir(), filepath.Join(t.TempDir(), "new")
			mustReproduce(t, dir, "one", sayRows("one", killed...))
			inject := fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n)
			err := startChild(t, dir, "two", strace, "-f", "-qq", "-o", os.DevNull, "-e", "trace="+call, "-e", inject).Run()
			checkKilled(t, dir, before, after)
			if err == nil {
				t.Logf("%d kills at %s", n-1, call)
				break
			}
			if n%4 == 0 { // a new folder
				_ = startChild(t, fresh, "two", strace, "-f", "-qq", "-o", os.DevNull, "-e", "trace="+call, "-e", inject).Run()
				mustReproduce(t, fresh, "two", sayRows("two", killed...))
				if !maps.Equal(timeless(t, fresh), after) {
					t.Errorf("%s %d: a new report does not end in what it should be", call, n)
				}
			}
		}
	}
}

// However little room there is, a report that does not fit leaves the one before.
func TestReproductionOnAFullDisk(t *testing.T) {
	before, after := reports(t)
	failed := 0
	for limit := 100; ; limit += limit / 2 {
		dir := t.TempDir()
		mustReproduce(t, dir, "one", sayRows("one", killed...))
		command := startChild(t, dir, "two")
		command.Env = append(command.Env, fmt.Sprintf("%s=%d", childLimit, limit))
		text, err := command.CombinedOutput()
		var exit *exec.ExitError
		if err == nil {
			break
		}
		if !errors.As(err, &exit) || !strings.Contains(string(text), "file too large") {
			t.Fatalf("%v %s", err, text)
		}
		failed++
		now := timeless(t, dir)
		if !maps.Equal(now, before) {
			t.Errorf("files of at most %d bytes: the old report is not as it was", limit)
		}
		checkKilled(t, dir, before, after)
	}
	if failed < 3 {
		t.Errorf("only %d reports did not fit", failed)
	}
}

// Two reproductions at once, again and again: one of them is done, and each that is not
// says why.
func TestTwoReproductionsAtOnce(t *testing.T) {
	_, after := reports(t)
	dir := t.TempDir()
	for range 10 {
		one, other := startChild(t, dir, "two"), startChild(t, dir, "two")
		var first, second strings.Builder
		one.Stderr, other.Stderr = &first, &second
		if err := errors.Join(one.Start(), other.Start()); err != nil {
			t.Fatal(err)
		}
		a, b := one.Wait(), other.Wait()
		if a != nil && b != nil {
			t.Errorf("neither was done: %s %s", first.String(), second.String())
		}
		for _, text := range []string{first.String(), second.String()} {
			if text != "" && text != fmt.Sprintf("%s %v\n", dir, ErrInUse) {
				t.Errorf("ended with %s", text)
			}
		}
		if !maps.Equal(timeless(t, dir), after) {
			t.Error("the report is not whole")
		}
	}
}
