package cluster

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"foretell/internal/durable"
	"foretell/internal/text"
)

// Slurm is a cluster with Slurm. The zero value calls the commands that are in PATH.
type Slurm struct {
	// Call runs a command of Slurm and returns what it prints; nil means [exec.Cmd.Output].
	Call func(ctx context.Context, name string, args ...string) (stdout string, err error)
	// Wait pauses between two looks into an empty queue; nil means to wait.
	Wait func(ctx context.Context, d time.Duration) error
}

// Present returns an error if this machine lacks a command of Slurm.
func Present() error {
	for _, name := range []string{"sbatch", "squeue", "scontrol", "scancel"} {
		if _, err := exec.LookPath(name); err != nil {
			return absent(name)
		}
	}
	return nil
}

func absent(name string) error {
	return fmt.Errorf("this machine has no %s; give the command on a machine where Slurm jobs are submitted", name)
}

// defaultArraySize is Slurm's default of MaxArraySize.
const defaultArraySize = 1001

// Submitted describes the effects of a call of Submit.
type Submitted struct {
	Arrays []string `json:"arrays"` // Slurm's numbers of the new arrays
	Tasks  int      `json:"tasks"`  // number of tasks in them
	Queued int      `json:"queued"` // tasks that an earlier call had submitted and that are still in the queue
	// Released is the number of tasks that Slurm held because their node had failed, and
	// that can run now.
	Released int    `json:"released,omitempty"`
	Script   string `json:"script"` // path of the script
}

// Print writes the effects, in one to three lines. dir is the folder of the job.
func (s *Submitted) Print(out io.Writer, dir string) {
	switch {
	case s.Tasks > 0:
		text.Fprintf(out, "submitted %s of %s\n", text.Count(s.Tasks, "task"), dir)
	case s.Queued == 0:
		text.Fprintf(out, "all runs of %s are complete\n", dir)
	}
	if s.Queued > 0 {
		text.Fprintf(out, "%s in the queue already\n", text.Count(s.Queued, "task"))
	}
	if s.Released > 0 {
		text.Fprintf(out, "released %s that Slurm held, because a node had failed\n", text.Count(s.Released, "task"))
	}
}

//go:embed slurm.sh
var slurmScript string

var slurmTemplate = template.Must(template.New("slurm").Parse(slurmScript))

// Script returns the script of the job's tasks. Its argument is the number of the task
// that has the array's index 0.
func (j Job) Script() (string, error) {
	if err := j.Check(); err != nil {
		return "", err
	}
	var b strings.Builder
	err := slurmTemplate.Execute(&b, map[string]any{
		"Job": j, "Command": text.ShellLine(j.Command...), "Tasks": j.Tasks(),
		"Minutes": int((j.Time + time.Minute - 1) / time.Minute),
		"Output":  strings.ReplaceAll(j.outputs(), "%", "%%") + "/%A_%a.txt",
	})
	return b.String(), err
}

// outputs is the folder of the script and of the outputs of tasks.
func (j Job) outputs() string { return filepath.Join(j.Dir, "cluster") }

// Submitted reports whether the job has been submitted to Slurm at some time.
func (j Job) Submitted() bool {
	_, err := os.Stat(filepath.Join(j.outputs(), scriptFile))
	return err == nil
}

// scriptFile is the name of the script.
const scriptFile = "task.sh"

// name returns the name of an array in the queue.
func (j Job) name(first int) string {
	return fmt.Sprintf("foretell-%s-%d-%d", j.ID, j.PerTask, first)
}

// launchFailed is why Slurm holds a task whose node failed while it began. Slurm queues
// such a task again, and then waits for somebody who releases it.
const launchFailed = "launch failed requeued held"

// Submit submits the tasks that have an item for which `missing` is true, except tasks
// that are in the queue already. It releases tasks that Slurm holds because their node
// failed. If it fails half-way, the error says how many tasks were
// submitted; calling Submit again submits the others.
func (s Slurm) Submit(ctx context.Context, j Job, missing func(item int) bool) (*Submitted, error) {
	script, err := j.Script()
	if err != nil {
		return nil, err
	}
	queued, err := s.queue(ctx, j)
	if err != nil {
		return nil, err
	}
	done := &Submitted{Arrays: []string{}, Queued: len(queued), Script: filepath.Join(j.outputs(), scriptFile)}
	for _, q := range queued {
		if q.reason == launchFailed {
			if _, err := s.call(ctx, "scontrol", "release", q.array+"_"+strconv.Itoa(q.index)); err != nil {
				return nil, err
			}
			done.Released++
		}
	}
	tasks := j.left(queued, missing)
	if len(tasks) == 0 {
		return done, nil
	}
	most, err := s.arraySize(ctx)
	if err != nil {
		return nil, err
	}
	arrays := blocks(tasks, most)
	limits, err := shares(j.AtOnce, len(arrays))
	if err != nil {
		return nil, err
	}
	if err := durable.Folder(j.outputs()); err != nil {
		return nil, err
	}
	if err := durable.WriteFile(done.Script, []byte(script)); err != nil {
		return nil, err
	}
	for i, array := range arrays {
		id, err := s.sbatch(ctx, j, array, limits[i], done.Script)
		if err != nil {
			return done, fmt.Errorf("%w; %d of %s submitted, and the same command submits the others",
				err, done.Tasks, text.Count(len(tasks), "task"))
		}
		done.Arrays = append(done.Arrays, id)
		done.Tasks += len(array.index)
	}
	return done, nil
}

// left returns the tasks that have an item for which `missing` is true and that no task
// in the queue has.
func (j Job) left(queued []queuedTask, missing func(item int) bool) (tasks []int) {
	taken := make([]bool, j.Items)
	for _, q := range queued {
		first, last := Job{Items: j.Items, PerTask: q.perTask}.Range(q.task)
		for item := first; item < last; item++ {
			taken[item] = true
		}
	}
	for task := range j.Tasks() {
		first, last := j.Range(task)
		for item := first; item < last; item++ {
			if missing(item) && !taken[item] {
				tasks = append(tasks, task)
				break
			}
		}
	}
	return tasks
}

// sbatch submits an array and returns its number.
func (s Slurm) sbatch(ctx context.Context, j Job, array block, atOnce int, script string) (string, error) {
	list := indices(array.index)
	if atOnce > 0 {
		list += "%" + strconv.Itoa(atOnce)
	}
	out, err := s.call(ctx, "sbatch", "--parsable", "--job-name="+j.name(array.first), "--array="+list,
		script, strconv.Itoa(array.first))
	if err != nil {
		return "", err
	}
	id, _, _ := strings.Cut(strings.TrimSpace(out), ";") // the name of a cluster may follow
	if _, err := strconv.Atoi(id); err != nil {
		return "", fmt.Errorf("sbatch answered %q instead of a job's number", text.Escape(id))
	}
	return id, nil
}

// arraySize returns the number that indices of arrays must be less than.
func (s Slurm) arraySize(ctx context.Context) (int, error) {
	out, err := s.call(ctx, "scontrol", "show", "config")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(out) {
		if key, value, _ := strings.Cut(line, "="); strings.TrimSpace(key) == "MaxArraySize" {
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err != nil || n < 1 {
				return 0, errors.New("this cluster allows no arrays of tasks: its MaxArraySize is " +
					strings.TrimSpace(value))
			}
			return n, nil
		}
	}
	return defaultArraySize, nil
}

// queuedTask is a task in the queue.
type queuedTask struct {
	array         string // Slurm's number of the array
	index         int    // in the array
	task, perTask int
	state, reason string
}

// looks is the number of times that an empty queue is read before it counts as empty: a
// controller that has just started may answer with an empty queue. between is the first
// pause; each further pause is twice as long.
const (
	looks   = 3
	between = 500 * time.Millisecond
)

// queue returns the tasks of the job that wait or run.
func (s Slurm) queue(ctx context.Context, j Job) ([]queuedTask, error) {
	pause := between
	for look := 1; ; look++ {
		queued, err := s.read(ctx, j)
		if err != nil || len(queued) > 0 || look == looks {
			return queued, err
		}
		if err := s.wait(ctx, pause); err != nil {
			return nil, err
		}
		pause *= 2
	}
}

// read reads the queue once.
func (s Slurm) read(ctx context.Context, j Job) ([]queuedTask, error) {
	out, err := s.call(ctx, "squeue", "--noheader", "--array", "--me", "--format=%F|%K|%T|%r|%j")
	if err != nil {
		return nil, err
	}
	var list []queuedTask
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimSpace(line), "|", 5)
		if len(fields) < 5 {
			continue
		}
		rest, ours := strings.CutPrefix(fields[4], "foretell-"+j.ID+"-")
		perTask, first, _ := strings.Cut(rest, "-")
		q := queuedTask{array: fields[0], state: fields[2], reason: fields[3]}
		var errs [3]error
		q.perTask, errs[0] = strconv.Atoi(perTask)
		q.task, errs[1] = strconv.Atoi(first)
		q.index, errs[2] = strconv.Atoi(fields[1])
		q.task += q.index
		if ours && q.perTask > 0 && errors.Join(errs[:]...) == nil {
			list = append(list, q)
		}
	}
	return list, nil
}

// Count counts the tasks of the job that are in the queue.
func (s Slurm) Count(ctx context.Context, j Job) (Count, error) {
	queued, err := s.read(ctx, j)
	return count(queued), err
}

// Cancel removes all tasks of the job from the queue, including running ones, and returns
// their number.
func (s Slurm) Cancel(ctx context.Context, j Job) (int, error) {
	queued, err := s.queue(ctx, j)
	if err != nil || len(queued) == 0 {
		return 0, err
	}
	var arrays []string
	for _, q := range queued {
		if !slices.Contains(arrays, q.array) {
			arrays = append(arrays, q.array)
		}
	}
	_, err = s.call(ctx, "scancel", arrays...)
	return len(queued), err
}

// call runs a command. Its error has one line.
func (s Slurm) call(ctx context.Context, name string, args ...string) (string, error) {
	call := s.Call
	if call == nil {
		call = output
	}
	out, err := call(ctx, name, args...)
	var exit *exec.ExitError
	switch {
	case err == nil || ctx.Err() != nil:
		return out, err
	case errors.Is(err, exec.ErrNotFound):
		return "", absent(name)
	case errors.As(err, &exit):
		said := strings.Join(strings.Fields(string(exit.Stderr)), " ")
		return "", fmt.Errorf("%s: %s", name, text.Escape(strings.TrimPrefix(said, name+": error: ")))
	}
	return "", fmt.Errorf("%s: %w", name, err)
}

func output(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).Output()
	return string(out), err
}

func (s Slurm) wait(ctx context.Context, d time.Duration) error {
	if s.Wait != nil {
		return s.Wait(ctx, d)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
