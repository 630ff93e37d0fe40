//go:build unix

package lab

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// childVariable is set in processes that this test program starts of itself.
const childVariable = "FORETELL_TEST_CHILD"

// TestChild does nothing by itself. As the process that the next test starts, it says its
// process group and counts its interrupts; SIGCONT ends it, well if there was one.
func TestChild(t *testing.T) {
	if os.Getenv(childVariable) == "" {
		return
	}
	signals := make(chan os.Signal, 10)
	signal.Ignore(os.Interrupt) // as below nohup
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGCONT)
	fmt.Fprintln(os.Stderr, "group", syscall.Getpgrp())
	interrupts := 0
	for got := range signals {
		if got == syscall.SIGCONT {
			break
		}
		interrupts++
		fmt.Fprintln(os.Stderr, "interrupts", interrupts)
	}
	if interrupts == 1 {
		os.Exit(exitInterrupted)
	}
	fmt.Fprintln(os.Stderr, "too many interrupts")
	os.Exit(1)
}

// A process gets one interrupt, however often a page asks, and also if the laboratory
// closes meanwhile: a second one would end a training run without its checkpoint.
func TestOneInterrupt(t *testing.T) {
	t.Setenv(childVariable, "1")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	j := newJobs(children(program), 1, "full")
	if err := j.start("run", "", "-test.run=^TestChild$"); err != nil {
		t.Fatal(err)
	}
	one := j.live["run"]
	timeout := time.AfterFunc(time.Minute, func() { one.worker.(*command).cmd.Process.Kill() })
	defer timeout.Stop()
	hear := func(text string) {
		t.Helper()
		j.waitFor(func() bool { return one.said.last() == text || j.live["run"] == nil })
		if said := one.said.last(); said != text {
			t.Fatalf("the process says %q, not %q", said, text)
		}
	}
	hear(fmt.Sprint("group ", one.worker.(*command).cmd.Process.Pid)) // not the group of the terminal
	for range 2 {
		if err := j.interrupt("run"); err != nil {
			t.Fatal(err)
		}
		hear("interrupts 1")
	}
	j.interruptAll()
	if err := one.worker.(*command).cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	j.close()
	if live, failed := j.find("run"); live || failed != "" {
		t.Errorf("live %t, failed with %q", live, failed)
	}
}

// waitFor waits until something is so.
func (j *jobs) waitFor(so func() bool) {
	for {
		j.mu.Lock()
		changed, ready := j.changed, so()
		j.mu.Unlock()
		if ready {
			return
		}
		<-changed
	}
}
