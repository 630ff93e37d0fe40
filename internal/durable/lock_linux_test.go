package durable

import (
	"bufio"
	"errors"
	"fmt"
	"testing"
	"time"
)

// holdLock locks dir until it is killed.
func holdLock(dir string) {
	unlock, err := Lock(dir)
	fmt.Println(err)
	time.Sleep(time.Hour)
	unlock()
}

// A folder has one owner; a kill sets it free.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	unlock, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(dir); !errors.Is(err, ErrLocked) || err.Error() != dir+": in use by another process" {
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
	if _, err := Lock(dir); !errors.Is(err, ErrLocked) {
		t.Errorf("locked beside another process: %v", err)
	}
	_ = holder.Process.Kill()
	_ = holder.Wait()
	if unlock, err = Lock(dir); err != nil {
		t.Fatalf("after the kill: %v", err)
	}
	unlock()
}
