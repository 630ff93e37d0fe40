package sweep_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"foretell/internal/fault"
	"foretell/internal/needs"
	"foretell/run"
	"foretell/sweep"
)

// traced trains or, with the mode "status", reads the study in a folder, in a child
// process whose calls on files fail as decide says. It returns what the child prints.
func traced(t *testing.T, dir, mode string, decide func(fault.Call) fault.Verdict) string {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		needs.Machine(t, "calls that fail, on amd64", errors.ErrUnsupported)
	}
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childStudy+"="+dir, childMode+"="+mode)
	child.Stdout, child.Stderr = out, out
	status, err := fault.Trace(child, dir, decide)
	if errors.Is(err, errors.ErrUnsupported) {
		needs.Machine(t, "to follow a program's calls", err)
	}
	said, _ := os.ReadFile(out.Name())
	if err != nil || status.ExitStatus() != 0 {
		t.Fatalf("%v, %v: %s", status, err, said)
	}
	return string(said)
}

// studyAndPrints returns a study of some runs and the fingerprints that they must get.
func studyAndPrints(t *testing.T) (*sweep.Study, map[string]string) {
	t.Helper()
	m, err := study(t, "", 0, "train.lr=0.01,0.02,0.03")
	if err != nil {
		t.Fatal(err)
	}
	whole := begin(t, t.TempDir(), m)
	if _, err := whole.Train(t.Context(), sweep.Options{}); err != nil {
		t.Fatal(err)
	}
	return begin(t, t.TempDir(), m), fingerprints(t, whole)
}

// On a filesystem without locks two programs train one study at once: each attempt in a
// folder of its own, as on a cluster, or both in the same folders, which a user can cause
// who starts the command twice. In the first case all is well at once. In the second a
// program may end with an error, because somebody else writes to its folder, but it never
// publishes other bits, and the same command completes the study. There a program may
// also empty a checkpoint that the other is writing; run.Check reports one that was left
// so.
func TestWithoutLocks(t *testing.T) {
	for _, attempt := range []string{"1_0.0", ""} {
		s, want := studyAndPrints(t)
		var own error
		done := make(chan bool)
		first := true
		traced(t, s.Dir, "", func(c fault.Call) fault.Verdict {
			if first { // the other program has begun
				first = false
				go func() {
					_, own = s.Train(t.Context(), sweep.Options{Attempt: attempt, Wait: noWait, Workers: 2})
					close(done)
				}()
			}
			if c.Name == "flock" {
				return fault.Verdict{Fail: syscall.ENOSYS}
			}
			return fault.Verdict{}
		})
		<-done
		if own != nil {
			t.Errorf("attempt %q: %v", attempt, own)
		}
		states, err := s.States()
		if c := sweep.Count(states); err != nil || attempt != "" && c.Complete != 3 {
			t.Errorf("attempt %q: %v, %v", attempt, c, err)
		}
		if _, err := s.Train(t.Context(), sweep.Options{}); err != nil {
			t.Errorf("attempt %q: %v", attempt, err)
		}
		if got := fingerprints(t, s); !reflect.DeepEqual(got, want) {
			t.Errorf("attempt %q: fingerprints %v, want %v", attempt, got, want)
		}
		for _, planned := range s.Runs {
			if found := run.Check(s.Run(planned)); attempt != "" && len(found.Problems) > 0 {
				t.Errorf("attempt %q: %v", attempt, found.Problems)
			}
		}
	}
}

// A rename that a server has carried out and then, asked again, reports as failed counts
// as what it is: the run is published.
func TestRenameReportedAsFailed(t *testing.T) {
	s, want := studyAndPrints(t)
	renamed := map[string]bool{}
	traced(t, s.Dir, "", func(c fault.Call) fault.Verdict {
		if !strings.HasPrefix(c.Name, "renameat") || filepath.Dir(c.Path) != filepath.Join(s.Dir, "attempts") || renamed[c.Path] {
			return fault.Verdict{}
		}
		renamed[c.Path] = true
		if err := os.Rename(c.Path, filepath.Join(s.Dir, "runs", filepath.Base(c.Path))); err != nil {
			t.Error(err)
		}
		return fault.Verdict{Fail: syscall.ENOENT}
	})
	if got := fingerprints(t, s); len(renamed) != 3 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d renames, fingerprints %v, want %v", len(renamed), got, want)
	}
	if failed, err := os.ReadDir(filepath.Join(s.Dir, "failed")); err != nil || len(failed) > 0 {
		t.Errorf("failures %v, %v", failed, err)
	}
}

// A reader whose file handle has become stale, because another machine has replaced the
// file, opens the file again.
func TestStaleHandles(t *testing.T) {
	s, _ := studyAndPrints(t)
	if _, err := s.Train(t.Context(), sweep.Options{}); err != nil {
		t.Fatal(err)
	}
	want := traced(t, s.Dir, "status", func(fault.Call) fault.Verdict { return fault.Verdict{} })
	stale := map[string]bool{}
	got := traced(t, s.Dir, "status", func(c fault.Call) fault.Verdict {
		if c.Name != "read" || stale[c.Path] {
			return fault.Verdict{}
		}
		stale[c.Path] = true
		return fault.Verdict{Fail: syscall.ESTALE}
	})
	if got != want || !strings.Contains(want, "3 of 3 runs are complete") || len(stale) < 7 {
		t.Errorf("%d stale handles: %s, want %s", len(stale), got, want)
	}
}
