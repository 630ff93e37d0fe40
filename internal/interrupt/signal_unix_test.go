//go:build unix

package interrupt

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// childDoes says, in a child process, what it is to do.
const childDoes = "FORETELL_TEST_INTERRUPT"

// numbers are the signals that end a program.
var numbers = map[string]syscall.Signal{
	"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP,
	"USR1": syscall.SIGUSR1, "USR2": syscall.SIGUSR2, "XCPU": syscall.SIGXCPU,
}

func TestMain(m *testing.M) {
	switch os.Getenv(childDoes) {
	case "":
		os.Exit(m.Run())
	case "closed":
		fmt.Fprint(os.Stderr, NewWriter(os.Stdout).Closed())
		return
	}
	fmt.Print(Run(context.Background(), child))
}

// child interrupts itself by the signal that it was started for.
func child(ctx context.Context) error {
	Keep(ctx, "interrupted")
	how, name, modified := strings.Cut(os.Getenv(childDoes), " ")
	if !modified {
		how, name = "", how
	}
	if err := syscall.Kill(os.Getpid(), numbers[name]); err != nil {
		return err
	}
	if how == "ignored" {
		return nil // or nothing but the signal would end it
	}
	<-ctx.Done()
	if how == "twice" {
		if err := syscall.Kill(os.Getpid(), numbers[name]); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// shell runs this program as the child that does something, by a line of the shell's that
// calls it "$0".
func shell(t *testing.T, does, line string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", line, os.Args[0])
	cmd.Env = append(os.Environ(), childDoes+"="+does)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", does, err, out)
	}
	return string(out)
}

func TestSignals(t *testing.T) {
	for name, number := range numbers {
		if signal.Ignored(number) { // by nohup, or as what runs in the background of a shell
			t.Logf("whoever started the test has %s ignored", number)
			continue
		}
		if got := shell(t, name, `exec "$0"`); got != context.Canceled.Error() {
			t.Errorf("%s: %s", name, got)
		}
		if name != "INT" && name != "HUP" {
			continue // Go installs its handler even where the parent process ignored the signal
		}
		if got := shell(t, "ignored "+name, `trap "" `+name+`; exec "$0"`); got != "<nil>" {
			t.Errorf("%s, ignored: %s", name, got)
		}
	}
}

// A batch system repeats its signal: the second one does not end the program, which is
// writing its checkpoint.
func TestRepeatedSignals(t *testing.T) {
	for _, name := range []string{"USR1", "USR2", "XCPU"} {
		if got := shell(t, "twice "+name, `exec "$0"`); got != context.Canceled.Error() {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A stream that was closed is told from one that leads nowhere.
func TestClosedStream(t *testing.T) {
	for redirection, want := range map[string]string{">&-": "true", ">/dev/null": "false", "": "false", "| cat": "false"} {
		if got := shell(t, "closed", `"$0" `+redirection); got != want {
			t.Errorf("%q: %s, want %s", redirection, got, want)
		}
	}
}
