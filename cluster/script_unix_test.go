//go:build unix

package cluster

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"foretell/internal/needs"
)

// At the time limit a task queues itself again, and no other task of its array; not if it
// was asked to end by somebody else, and not if the program says that it makes no
// progress. The script passes every signal on to the program, and ends with its status.
func TestScriptQueuesItself(t *testing.T) {
	bash := needs.Program(t, "bash", "bash")
	for _, c := range []struct {
		name   string
		signal syscall.Signal // sent to the script; 0 means none
		status string         // with which the program ends
		queued string
	}{
		{"limit", syscall.SIGUSR1, "130", "requeue 17_3\n"},
		{"limit without progress", syscall.SIGUSR1, "1", ""},
		{"cancelled", syscall.SIGTERM, "130", ""},
		{"complete", 0, "0", ""},
		{"failed", 0, "1", ""},
	} {
		dir := t.TempDir()
		program := `trap 'exit ` + c.status + `' TERM; echo "$@"; `
		if c.signal != 0 {
			program += `while :; do sleep 0.1; done; `
		}
		program += `exit ` + c.status
		for name, text := range map[string]string{
			"program": program, "scontrol": `echo "$@" >>` + dir + `/queued`,
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("#!"+bash+"\n"+text+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		j := testJob(t, 36, 12)
		j.Command = []string{filepath.Join(dir, "program")}
		script, err := j.Script()
		if err != nil {
			t.Fatal(err)
		}
		task := exec.CommandContext(t.Context(), bash, "-s", "0")
		task.Stdin = strings.NewReader(script)
		task.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "SLURM_ARRAY_JOB_ID=17", "SLURM_ARRAY_TASK_ID=3"}
		out, err := task.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := task.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		lines.Scan()
		if want := "--task 3 --per-task 12 --workers 1 --attempt 17_3.0"; lines.Text() != want {
			t.Errorf("%s: the program got %q, want %q", c.name, lines.Text(), want)
		}
		if c.signal != 0 {
			if err := task.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
		}
		for lines.Scan() {
		}
		var exit *exec.ExitError
		err = task.Wait()
		if errors.As(err, &exit); err == nil && c.status != "0" || err != nil && exit.ExitCode() == 0 {
			t.Errorf("%s: %v", c.name, err)
		}
		queued, _ := os.ReadFile(filepath.Join(dir, "queued"))
		if string(queued) != c.queued {
			t.Errorf("%s: scontrol %q, want %q", c.name, queued, c.queued)
		}
	}
}
