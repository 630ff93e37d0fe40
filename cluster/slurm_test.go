package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"foretell/internal/golden"
)

// fake acts as the commands of Slurm.
type fake struct {
	arraySize string   // answer of scontrol
	refuse    int      // number of the call of sbatch that fails, from 1; 0 for none
	empty     int      // number of calls of squeue that answer with an empty queue
	queue     []string // lines of squeue
	submitted []string // arguments of calls of sbatch
	cancelled []string
	released  []string
	err       error
}

func (f *fake) call(_ context.Context, name string, args ...string) (string, error) {
	switch {
	case f.err != nil:
		return "", f.err
	case name == "scontrol" && args[0] == "release":
		f.released = append(f.released, args[1:]...)
		return "", nil
	case name == "scontrol":
		return f.arraySize, nil
	case name == "squeue":
		if f.empty > 0 {
			f.empty--
			return "", nil
		}
		return strings.Join(f.queue, "\n"), nil
	case name == "scancel":
		f.cancelled = append(f.cancelled, args...)
		return "", nil
	case len(f.submitted)+1 == f.refuse:
		f.refuse = 0
		return "", &exec.ExitError{Stderr: []byte("sbatch: error: QOSMaxSubmitJobPerUserLimit\n")}
	}
	f.submitted = append(f.submitted, strings.Join(args, " "))
	f.queueArray(len(f.submitted), args)
	return fmt.Sprintf("%d;test\n", len(f.submitted)), nil
}

// queueArray puts the tasks of an array into the queue.
func (f *fake) queueArray(id int, args []string) {
	name, _ := strings.CutPrefix(args[1], "--job-name=")
	list, _ := strings.CutPrefix(args[2], "--array=")
	list, _, _ = strings.Cut(list, "%")
	for part := range strings.SplitSeq(list, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		from, _ := strconv.Atoi(low)
		to, _ := strconv.Atoi(high)
		for i := from; i <= to; i++ {
			f.queue = append(f.queue, fmt.Sprintf("%d|%d|PENDING|Resources|%s", id, i, name))
		}
	}
}

func (f *fake) slurm() Slurm {
	return Slurm{Call: f.call, Wait: func(context.Context, time.Duration) error { return nil }}
}

func testJob(t *testing.T, items, perTask int) Job {
	return Job{
		ID: "0123456789ab", Title: "Study", By: "foretell sweep", Dir: t.TempDir(), Command: []string{"/bin/foretell", "sweep", "task", "/st udy"},
		Items: items, PerTask: perTask, CPUs: 1, Time: time.Hour,
	}
}

func every(int) bool { return true }

// Each item is in one task, whatever the numbers are.
func TestEachItemIsInOneTask(t *testing.T) {
	for items := range 30 {
		for perTask := 1; perTask < 12; perTask++ {
			j := Job{Items: items, PerTask: perTask}
			var all []int
			for task := range j.Tasks() {
				first, last := j.Range(task)
				for item := first; item < last; item++ {
					all = append(all, item)
				}
			}
			for i, item := range all {
				if i != item {
					t.Fatalf("%d items, %d a task: %v", items, perTask, all)
				}
			}
			if len(all) != items {
				t.Fatalf("%d items, %d a task: %v", items, perTask, all)
			}
		}
	}
}

// MaxArraySize limits the index and not the number of tasks: 12 tasks with a limit of 5
// are three arrays, whose indices are at most 4.
func TestArraysHaveSmallIndices(t *testing.T) {
	f := &fake{arraySize: "MaxArraySize            = 5\n"}
	j := testJob(t, 23, 2)
	j.AtOnce = 8
	done, err := f.slurm().Submit(t.Context(), j, every)
	if err != nil || done.Tasks != 12 || !slices.Equal(done.Arrays, []string{"1", "2", "3"}) {
		t.Fatalf("%+v, %v", done, err)
	}
	for i, want := range []string{"-0 --array=0-4%3 S 0", "-5 --array=0-4%3 S 5", "-10 --array=0-1%2 S 10"} {
		want = "--parsable --job-name=foretell-0123456789ab-2" + strings.Replace(want, "S", done.Script, 1)
		if f.submitted[i] != want {
			t.Errorf("sbatch %s, want %s", f.submitted[i], want)
		}
	}
	again, err := f.slurm().Submit(t.Context(), j, every)
	if err != nil || again.Tasks != 0 || again.Queued != 12 {
		t.Errorf("submitted again: %+v, %v", again, err)
	}
	if j.AtOnce = 2; len(f.queue) > 0 {
		f.queue = nil
		if _, err := f.slurm().Submit(t.Context(), j, every); err == nil || !strings.Contains(err.Error(), "allow at least 3") {
			t.Errorf("two tasks at once in three arrays: %v", err)
		}
	}
}

// Without an answer about MaxArraySize, Slurm's default is the limit.
func TestDefaultArraySize(t *testing.T) {
	f := &fake{}
	done, err := f.slurm().Submit(t.Context(), testJob(t, 1002, 1), every)
	if err != nil || len(done.Arrays) != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
}

// A submission that fails at the second of three arrays says so, and the next one submits
// the two others, even with another number of runs for each task.
func TestHalfSubmitted(t *testing.T) {
	for _, perTask := range []int{2, 3} {
		f := &fake{arraySize: "MaxArraySize = 5", refuse: 2}
		j := testJob(t, 24, 2)
		done, err := f.slurm().Submit(t.Context(), j, every)
		want := "sbatch: QOSMaxSubmitJobPerUserLimit; 5 of 12 tasks submitted, and the same command submits the others"
		if err == nil || err.Error() != want || done.Tasks != 5 {
			t.Fatalf("%+v, %v", done, err)
		}
		j.PerTask = perTask
		done, err = f.slurm().Submit(t.Context(), j, every)
		if err != nil || done.Queued != 5 {
			t.Fatalf("%+v, %v", done, err)
		}
		covered := make([]int, j.Items)
		queued, err := f.slurm().read(t.Context(), j)
		for _, q := range queued {
			first, last := Job{Items: j.Items, PerTask: q.perTask}.Range(q.task)
			for item := first; item < last; item++ {
				covered[item]++
			}
		}
		for item, n := range covered {
			if n != 1 && (perTask == 2 || n != 2 || item != 9) { // item 9 is in a task of three with items 10 and 11
				t.Errorf("%d a task: item %d is in %d tasks, %v", perTask, item, n, err)
			}
		}
	}
}

// An empty answer of squeue is not believed at once: nothing is submitted twice because a
// controller has just started again.
func TestEmptyQueueForAMoment(t *testing.T) {
	f := &fake{}
	j := testJob(t, 10, 1)
	for _, empty := range []int{0, 1, 2} {
		f.empty = empty
		if _, err := f.slurm().Submit(t.Context(), j, every); err != nil {
			t.Fatal(err)
		}
	}
	if len(f.submitted) != 1 {
		t.Errorf("submitted %q", f.submitted)
	}
	f.queue = append(f.queue, "7|0|RUNNING|None|foretell-ffffffffffff-1-0", "8|N/A|RUNNING|None|foretell-0123456789ab", "nonsense")
	n, err := f.slurm().Cancel(t.Context(), j)
	if err != nil || n != 10 || !slices.Equal(f.cancelled, []string{"1"}) {
		t.Errorf("cancelled %d, %q, %v", n, f.cancelled, err)
	}
	if c, err := f.slurm().Count(t.Context(), j); err != nil || c.Waiting != 10 || c.Running != 0 || !slices.Equal(c.Reasons, []string{"Resources"}) {
		t.Errorf("%+v, %v", c, err)
	}
}

// Only tasks with a missing item are submitted, and none if all are there.
func TestMissingItems(t *testing.T) {
	f := &fake{}
	done, err := f.slurm().Submit(t.Context(), testJob(t, 20, 2), func(item int) bool { return item == 3 || item >= 16 })
	if err != nil || done.Tasks != 3 || !strings.Contains(f.submitted[0], "--array=1,8-9 ") {
		t.Errorf("%+v, %q, %v", done, f.submitted, err)
	}
	f = &fake{}
	done, err = f.slurm().Submit(t.Context(), testJob(t, 20, 2), func(int) bool { return false })
	if err != nil || done.Tasks != 0 || len(f.submitted) > 0 {
		t.Errorf("%+v, %q, %v", done, f.submitted, err)
	}
}

// A task that Slurm holds since its node failed can run again after the same command. A
// task that a person holds stays held.
func TestReleased(t *testing.T) {
	f := &fake{queue: []string{
		"3|0|PENDING|launch failed requeued held|foretell-0123456789ab-1-5", "3|1|PENDING|JobHeldUser|foretell-0123456789ab-1-5",
	}}
	done, err := f.slurm().Submit(t.Context(), testJob(t, 7, 1), func(item int) bool { return item >= 5 })
	if err != nil || done.Tasks != 0 || done.Queued != 2 || done.Released != 1 || !slices.Equal(f.released, []string{"3_0"}) {
		t.Errorf("%+v, released %q, %v", done, f.released, err)
	}
}

// Errors have one line that says what to do, and an answer of squeue that is an error is
// no empty queue.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{exec.ErrNotFound, "this machine has no squeue; give the command on a machine where Slurm jobs are submitted"},
		{&exec.ExitError{Stderr: []byte("squeue: error: Unable to contact\nslurm controller\n")}, "squeue: Unable to contact slurm controller"},
		{errors.New("odd"), "squeue: odd"},
	} {
		f := &fake{err: c.err}
		if _, err := f.slurm().Submit(t.Context(), testJob(t, 2, 1), every); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for option, want := range map[string]string{
		"partition=lo ng": "is not an option", "--partition=x": "is not an option", "x\ny": "is not an option", "array=0-7": "is set by the program",
	} {
		j := testJob(t, 2, 1)
		j.Options = []string{option}
		if _, err := j.Script(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("option %q: %v", option, err)
		}
	}
	for _, dir := range []string{"/a\nb", "/a\"b", "/a\\b"} {
		j := testJob(t, 2, 1)
		if j.Dir = dir; j.Check() == nil {
			t.Errorf("the folder %q is allowed", dir)
		}
	}
}

// A task is queued again after progress, and after at most three attempts in a row
// without any.
func TestAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[a] *")
	restart := 0
	for i, progress := range []bool{false, false, true, false, false, false, false} {
		again, err := Again(dir, fmt.Sprintf("17_3.%d", restart), progress)
		if want := i < 6; again != want || err != nil {
			t.Errorf("interruption %d: %v, %v; want %v", i, again, err, want)
		}
		if again, err := Again(dir, fmt.Sprintf("17_33.%d", restart), false); i < 3 && (!again || err != nil) {
			t.Errorf("interruption %d of another task: %v, %v", i, again, err)
		}
		restart++
	}
}

func TestParseTime(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90": 90 * time.Minute, "1:30": 90 * time.Second, "1:00:00": time.Hour, "2-12": 60 * time.Hour,
		"1-00:30": 24*time.Hour + 30*time.Minute, "1-01:01:01": 25*time.Hour + time.Minute + time.Second,
	} {
		if got, err := ParseTime(text); err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "1h", "-5", "1:2:3", "1:00:00:00", "1e3"} {
		if got, err := ParseTime(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

// The script and the job of Kubernetes are these, and bash reads the script.
func TestScripts(t *testing.T) {
	j := testJob(t, 36, 12)
	j.Dir, j.AtOnce, j.Options = "/studies/it's 50%", 2, []string{"partition=long", "exclusive"}
	script, err := j.Script()
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/slurm.golden", script)
	path := filepath.Join(t.TempDir(), "task.sh")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	if bash, err := exec.LookPath("bash"); err == nil {
		if out, err := exec.Command(bash, "-n", path).CombinedOutput(); err != nil {
			t.Errorf("%s: %v", out, err)
		}
	}
	job, err := j.Kubernetes()
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/kubernetes.golden", job)
}
