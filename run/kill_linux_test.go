package run

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"foretell/internal/fault"
	"foretell/internal/needs"
)

// beginnings are what a child may find where it is to ensure a run: nothing, a run that
// was interrupted, and one whose latest checkpoint is damaged as well.
var beginnings = []struct {
	name    string
	prepare func(t *testing.T, dir string)
}{
	{"nothing", func(*testing.T, string) {}},
	{"an interrupted run", interrupted},
	{"a finished run, extended", func(t *testing.T, dir string) {
		c := smallConfig()
		c.Train.NumSteps = 20
		o := watchedOptions(2)
		o.Snapshots = snapshotSteps[:4]
		if _, err := Ensure(t.Context(), dir, c, o); err != nil {
			t.Fatal(err)
		}
	}},
	{"a run that stops", func(t *testing.T, _ string) { t.Setenv(childStops, "yes") }},
	{"a damaged checkpoint", func(t *testing.T, dir string) {
		interrupted(t, dir)
		if err := os.Truncate(filepath.Join(dir, checkpointDir, "step-25", optimizerFile), 99); err != nil {
			t.Fatal(err)
		}
	}},
}

// interrupted interrupts a run at step 25.
func interrupted(t *testing.T, dir string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	o := watchedOptions(2)
	o.OnStep = func(step int, _ float64) {
		if step == 25 {
			cancel()
		}
	}
	if _, err := Ensure(ctx, dir, smallConfig(), o); !errors.Is(err, ErrInterrupted) {
		t.Fatal(err)
	}
}

// traced lets a child ensure a run where there is such a beginning, and decides about its
// calls there. It returns what the child complained of.
func traced(t *testing.T, prepare func(t *testing.T, dir string), decide func(fault.Call) fault.Verdict,
) (dir string, status syscall.WaitStatus, complaint string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	prepare(t, dir)
	said, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir, childEnsures+"=yes")
	cmd.Stderr = said
	status, err = fault.Trace(cmd, dir, decide)
	if errors.Is(err, errors.ErrUnsupported) {
		needs.Machine(t, "to follow a program's calls", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(said.Name())
	if err != nil {
		t.Fatal(err)
	}
	return dir, status, string(text)
}

// leftAlone is what becomes of a beginning when nobody disturbs the child: the run's
// files, the number of calls by which it changes files, and that of all about them.
func leftAlone(t *testing.T, prepare func(t *testing.T, dir string)) (want map[string]string, changing, all int) {
	t.Helper()
	dir, status, complaint := traced(t, prepare, func(c fault.Call) fault.Verdict {
		if all++; c.Changes {
			changing++
		}
		return fault.Verdict{}
	})
	if status.ExitStatus() != 0 {
		t.Fatalf("%v: %s", status, complaint)
	}
	return contents(t, dir), changing, all
}

// A run that is killed before any of the calls by which it changes files ends, when it
// is asked for again, in the files of one that was left alone, without one too many.
func TestKillAtEachCall(t *testing.T) {
	for _, b := range beginnings {
		t.Run(b.name, func(t *testing.T) {
			want, total, _ := leftAlone(t, b.prepare)
			stride, killed := 1, 0
			if !needs.Exhaustive() {
				stride = total/5 + 1
			}
			for at := 1; at <= total; at += stride {
				made := 0
				dir, status, _ := traced(t, b.prepare, func(c fault.Call) fault.Verdict {
					if c.Changes {
						made++
					}
					return fault.Verdict{Kill: made == at}
				})
				if status.Signaled() {
					killed++
				}
				mustEnsure(t, dir, watchedOptions(1))
				wantSame(t, contents(t, dir), want)
				if t.Failed() {
					t.Fatalf("killed before call %d of %d", at, total)
				}
			}
			t.Logf("%d kills at %d calls", killed, total)
			if want := (total + stride - 1) / stride; killed != want {
				t.Errorf("%d kills, want %d", killed, want)
			}
		})
	}
}

// On a filesystem without locks a run trains, and says in one line what nothing prevents.
func TestTrainsWithoutLocks(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		needs.Machine(t, "calls that fail, on amd64", errors.ErrUnsupported)
	}
	t.Setenv(childNotes, "yes")
	dir, status, complaint := traced(t, func(*testing.T, string) {}, func(c fault.Call) fault.Verdict {
		if c.Name == "flock" {
			return fault.Verdict{Fail: syscall.ENOLCK}
		}
		return fault.Verdict{}
	})
	want := "note: " + dir + " cannot be locked (no locks available): " +
		"two processes could write to it at once; start only one\n"
	if status.ExitStatus() != 0 || complaint != want {
		t.Errorf("%v, %q, want %q", status, complaint, want)
	}
	mustEnsure(t, dir, watchedOptions(1))
}

// causes are ten reasons for which a system refuses a call.
var causes = []syscall.Errno{
	syscall.ENOSPC, syscall.EIO, syscall.EDQUOT, syscall.EACCES, syscall.EROFS,
	syscall.EMFILE, syscall.ENOMEM, syscall.EINTR, syscall.ESTALE, syscall.EINVAL,
}

// A run of which any call about its files fails, for any of ten reasons, ends with one
// line that says so, or goes on in spite of it; asked for again it ends in the files of
// one that was left alone.
func TestFailAtEachCall(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		needs.Machine(t, "calls that fail, on amd64", errors.ErrUnsupported)
	}
	for _, b := range beginnings[:4] { // of the last, a failure changes what is damaged
		t.Run(b.name, func(t *testing.T) {
			want, _, total := leftAlone(t, b.prepare)
			stride, failed := 1, 0
			if !needs.Exhaustive() {
				stride = total*len(causes)/6 + 1
			}
			for i := 0; i < total*len(causes); i += stride {
				at, cause := 1+i/len(causes), causes[i%len(causes)]
				dir, status, complaint := traced(t, b.prepare, func(c fault.Call) fault.Verdict {
					if c.Number == at {
						return fault.Verdict{Fail: cause}
					}
					return fault.Verdict{}
				})
				switch text := strings.ReplaceAll(complaint, dir, "runs/x"); status.ExitStatus() {
				case 0:
				case 1:
					failed++
					if strings.Count(text, "\n") != 1 || len(text) > 400 || !strings.Contains(text, cause.Error()) {
						t.Errorf("the child complained %q", text)
					}
				default:
					t.Errorf("the child ended with %v: %s", status, text)
				}
				mustEnsure(t, dir, watchedOptions(1))
				wantSame(t, contents(t, dir), want)
				if t.Failed() {
					t.Fatalf("call %d of %d failed with %v", at, total, cause)
				}
			}
			t.Logf("%d runs ended with an error", failed)
			if failed == 0 {
				t.Error("no call has failed")
			}
		})
	}
}
