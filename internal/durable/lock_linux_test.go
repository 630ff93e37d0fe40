package durable

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"foretell/internal/fault"
	"foretell/internal/needs"
)

// holdLock locks dir until it is killed.
func holdLock(dir string) {
	unlock, err := Lock(dir, func(text string) { fmt.Println("note:", text) })
	fmt.Println(err)
	time.Sleep(time.Hour)
	unlock()
}

// A folder has one owner; a kill sets it free.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	unlock, err := Lock(dir, func(text string) { fmt.Println("note:", text) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(dir, func(text string) { fmt.Println("note:", text) }); !errors.Is(err, ErrLocked) || err.Error() != dir+": in use by another process" {
		t.Errorf("locked twice: %v", err)
	}
	unlock()

	holder := again(t, "lock", dir)
	output, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	if !lines.Scan() || lines.Text() != "<nil>" {
		t.Errorf("the other process got %q", lines.Text())
	}
	if _, err := Lock(dir, func(text string) { fmt.Println("note:", text) }); !errors.Is(err, ErrLocked) {
		t.Errorf("locked beside another process: %v", err)
	}
	_ = holder.Process.Kill()
	_ = holder.Wait()
	if unlock, err = Lock(dir, func(text string) { fmt.Println("note:", text) }); err != nil {
		t.Fatalf("after the kill: %v", err)
	}
	unlock()
}

// lockTwice locks dir twice, and prints the notes and errors.
func lockTwice(dir string) {
	for range 2 {
		_, err := Lock(dir, func(text string) { fmt.Println("note:", text) })
		fmt.Println(err)
	}
}

// A filesystem without locks is reported once, in one line, and does not stop anybody.
// Another failure of flock is an error.
func TestLockWithoutLocks(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		needs.Machine(t, "calls that fail, on amd64", errors.ErrUnsupported)
	}
	for _, cause := range []syscall.Errno{syscall.ENOSYS, syscall.EOPNOTSUPP, syscall.ENOLCK, syscall.EIO} {
		dir := t.TempDir()
		output, err := os.Create(filepath.Join(t.TempDir(), "output"))
		if err != nil {
			t.Fatal(err)
		}
		defer output.Close()
		child := again(t, "lock twice", dir)
		child.Stdout = output
		_, err = fault.Trace(child, dir, func(c fault.Call) fault.Verdict {
			if c.Name == "flock" {
				return fault.Verdict{Fail: cause}
			}
			return fault.Verdict{}
		})
		if errors.Is(err, errors.ErrUnsupported) {
			needs.Machine(t, "to follow a program's calls", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("note: %s cannot be locked (%v): two processes could write to it at once; start only one\n"+
			"<nil>\n<nil>\n", dir, cause)
		if cause == syscall.EIO {
			want = strings.Repeat(fmt.Sprintf("%s: %v\n", dir, cause), 2)
		}
		if got, err := os.ReadFile(output.Name()); err != nil || string(got) != want {
			t.Errorf("%v: %q, %v, want %q", cause, got, err, want)
		}
	}
}
