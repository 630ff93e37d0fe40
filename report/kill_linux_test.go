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
	"strings"
	"syscall"
	"testing"

	"foretell/claim"
	inject "foretell/internal/fault"
	"foretell/internal/needs"
)

// childVariable makes the test binary, started again by a test, reproduce: it holds the
// folder and what the rows say. With childLimit no file may grow beyond so many bytes.
const (
	childVariable = "REPORT_TEST_CHILD"
	childLimit    = "REPORT_TEST_LIMIT"
)

func TestMain(m *testing.M) {
	if dir, text, ok := strings.Cut(os.Getenv(childVariable), "|"); ok {
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

// startChild prepares the test binary to reproduce.
func startChild(t *testing.T, dir, text string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self)
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
		f, err := openFolder(dir, theirs("two"), func(string) {})
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

// traced lets a child reproduce into a folder, and kills it before the call with a
// number, of those by which it changes files there; 0 for none. It returns how many it
// came to.
func traced(t *testing.T, dir string, at int) (calls int, status syscall.WaitStatus) {
	t.Helper()
	status, err := inject.Trace(startChild(t, dir, "two"), dir, func(c inject.Call) inject.Verdict {
		if c.Changes {
			calls++
		}
		return inject.Verdict{Kill: c.Changes && calls == at}
	})
	if errors.Is(err, errors.ErrUnsupported) {
		needs.Machine(t, "to follow a program's calls", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return calls, status
}

// A kill before a call that changes a file leaves the old report or the new one: some of
// the calls, and each of them with FORETELL_EXHAUSTIVE.
func TestKilledAtEachCall(t *testing.T) {
	needs.Time(t, "takes some seconds")
	before, after := reports(t)
	old := func() string {
		dir := t.TempDir()
		mustReproduce(t, dir, "one", sayRows("one", killed...))
		return dir
	}
	total, status := traced(t, old(), 0)
	if total == 0 || status.ExitStatus() != 0 {
		t.Fatalf("left alone, the child made %d calls and ended with %v", total, status)
	}
	stride := total/24 + 1
	if needs.Exhaustive() {
		stride = 1
	}
	for at := 1; at <= total; at += stride {
		dir := old()
		if _, status := traced(t, dir, at); !status.Signaled() {
			t.Errorf("call %d of %d: the child was not killed, but ended with %v", at, total, status)
		}
		checkKilled(t, dir, before, after)

		fresh := filepath.Join(t.TempDir(), "new")
		traced(t, fresh, at)
		mustReproduce(t, fresh, "two", sayRows("two", killed...))
		if !maps.Equal(timeless(t, fresh), after) {
			t.Error("a new report does not end in what it should be")
		}
		if t.Failed() {
			t.Fatalf("killed before call %d of %d", at, total)
		}
	}
	t.Logf("killed at %d of %d calls, and in a new folder", (total+stride-1)/stride, total)
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
