package run

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"foretell/internal/fault"
)

// traced lets a child ensure a run in a new folder, and decides about its calls there.
// It returns what the child complained of.
func traced(t *testing.T, decide func(fault.Call) fault.Verdict) (dir string, status syscall.WaitStatus, complaint string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
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
		t.Skip(err)
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

// changingCalls counts the calls by which a run that is left alone changes files, and
// those of all that it makes about them.
func changingCalls(t *testing.T) (changing, all int) {
	t.Helper()
	_, status, complaint := traced(t, func(c fault.Call) fault.Verdict {
		if all++; c.Changes {
			changing++
		}
		return fault.Verdict{}
	})
	if status.ExitStatus() != 0 {
		t.Fatalf("%v: %s", status, complaint)
	}
	return changing, all
}

// A run that is killed before any of the calls by which it changes files ends, when it
// is asked for again, in the files of one that was left alone, without one too many.
func TestKillAtEachCall(t *testing.T) {
	alone := filepath.Join(t.TempDir(), "run")
	mustEnsure(t, alone, watchedOptions(3))
	want := contents(t, alone)
	total, _ := changingCalls(t)
	stride := 1
	if !exhaustive() {
		stride = total/12 + 1
	}
	killed := 0
	for at := 1; at <= total; at += stride {
		made := 0
		dir, status, _ := traced(t, func(c fault.Call) fault.Verdict {
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
		t.Skip("calls can be made to fail on amd64 alone")
	}
	alone := filepath.Join(t.TempDir(), "run")
	mustEnsure(t, alone, watchedOptions(3))
	want := contents(t, alone)
	_, total := changingCalls(t)
	stride := 1
	if !exhaustive() {
		stride = total*len(causes)/12 + 1
	}
	failed := 0
	for i := 0; i < total*len(causes); i += stride {
		at, cause := 1+i/len(causes), causes[i%len(causes)]
		dir, status, complaint := traced(t, func(c fault.Call) fault.Verdict {
			if c.Number == at {
				return fault.Verdict{Fail: cause}
			}
			return fault.Verdict{}
		})
		switch status.ExitStatus() {
		case 0:
		case 1:
			failed++
			if strings.Count(complaint, "\n") != 1 || len(complaint) > 400 || !strings.Contains(complaint, cause.Error()) {
				t.Errorf("the child complained %q", complaint)
			}
		default:
			t.Errorf("the child ended with %v: %s", status, complaint)
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
}
