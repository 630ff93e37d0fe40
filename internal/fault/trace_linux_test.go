package fault

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"foretell/internal/needs"
)

// childDir names, in a child process, the folder to write to.
const childDir = "FAULT_TEST_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := child(dir); err != nil {
			if err := os.WriteFile(filepath.Join(dir, "error"), []byte(err.Error()), 0o666); err != nil {
				os.Exit(3)
			}
			os.Exit(2)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child writes two files beside others who write elsewhere.
func child(dir string) error {
	done := make(chan error)
	for range 4 {
		go func() { done <- os.WriteFile(os.DevNull, []byte("noise"), 0o666) }()
	}
	for range 4 {
		if err := <-done; err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("text"), 0o666); err != nil {
		return err
	}
	return os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "b"))
}

// trace runs the child in a new folder, and returns the calls that it made there.
func trace(t *testing.T, decide func(Call) Verdict) (dir, calls string, status syscall.WaitStatus) {
	t.Helper()
	dir = t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	var list []string
	status, err := Trace(cmd, dir, func(c Call) Verdict {
		list = append(list, fmt.Sprintf("%d %s %s %v", c.Number, c.Name, filepath.Base(c.Path), c.Changes))
		return decide(c)
	})
	if errors.Is(err, errors.ErrUnsupported) {
		needs.Machine(t, "to follow a program's calls", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir, strings.Join(list, "; "), status
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	list := []string{}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return strings.Join(list, " ")
}

const wholeTrace = "1 openat a true; 2 write a true; 3 renameat a true"

func TestTrace(t *testing.T) {
	dir, calls, status := trace(t, func(Call) Verdict { return Verdict{} })
	if calls != wholeTrace || status.ExitStatus() != 0 || names(t, dir) != "b" {
		t.Errorf("status %v, calls %s", status, calls)
	}
}

func TestKill(t *testing.T) {
	for number, want := range map[int]string{1: "", 2: "a", 3: "a"} {
		dir, _, status := trace(t, func(c Call) Verdict { return Verdict{Kill: c.Number == number} })
		if got := names(t, dir); !status.Signaled() || status.Signal() != syscall.SIGKILL || got != want {
			t.Errorf("killed at call %d: status %v, files %q, want %q", number, status, got, want)
		}
	}
}

func TestFail(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		needs.Machine(t, "calls that fail, on amd64", errors.ErrUnsupported)
	}
	for number, want := range map[int]string{1: "error", 2: "a error", 3: "a error"} {
		dir, _, status := trace(t, func(c Call) Verdict {
			if c.Number == number {
				return Verdict{Fail: syscall.EDQUOT}
			}
			return Verdict{}
		})
		text, _ := os.ReadFile(filepath.Join(dir, "error"))
		if got := names(t, dir); status.ExitStatus() != 2 || got != want || !strings.HasSuffix(string(text), ": disk quota exceeded") {
			t.Errorf("failed at call %d: status %v, files %q, want %q, error %q", number, status, got, want, text)
		}
	}
}
