// Package cluster submits a large job in tasks to a cluster. It uses Slurm's commands
// sbatch, squeue, scancel and scontrol, and needs neither accounting nor a service. It
// also writes such a job for Kubernetes.
//
// A [Job] has items, numbered from 0. Each task has PerTask successive items, so the
// number of a task determines its items, and nothing else is stored or agreed upon. A
// task may be run again at any time: its program must skip items that are complete.
//
// The queue is the only record of submitted tasks: the name of each array contains the
// job, the number of items of a task, and the first task. [Slurm.Submit] reads it, and
// submits only tasks that are needed and not queued. It can be called again at any time.
package cluster

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"foretell/internal/text"
)

// Job is a large job of many items.
type Job struct {
	ID      string   // letters and digits that identify the job in the queue
	Title   string   // a line about the job, for people
	By      string   // the command that submits the job, for people
	Dir     string   // absolute path of a folder that all machines see; the script and outputs go there
	Command []string // program and arguments that train a task; Task says what is added
	Items   int      // number of items
	PerTask int      // items of a task
	// AtOnce is the largest number of tasks that run at the same time; 0 means no limit.
	AtOnce int
	CPUs   int           // processors of a task
	Time   time.Duration // limit of a task
	// Options are further options of sbatch without their dashes, such as partition=long.
	Options []string
}

// Tasks returns the number of tasks.
func (j Job) Tasks() int { return (j.Items + j.PerTask - 1) / j.PerTask }

// Range returns the items of a task: from first to last, without last.
func (j Job) Range(task int) (first, last int) {
	return min(task*j.PerTask, j.Items), min((task+1)*j.PerTask, j.Items)
}

// option is the form of an option of sbatch.
var option = regexp.MustCompile(`^[a-z][a-z-]*(=[!-~]+)?$`)

// ours are options that Job sets by itself.
var ours = []string{
	"array", "chdir", "cpus-per-task", "job-name", "no-requeue", "nodes", "ntasks", "open-mode", "output",
	"parsable", "requeue", "signal", "time", "wait", "wrap",
}

// Check returns an error if the job cannot be written into a script.
func (j Job) Check() error {
	for _, o := range j.Options {
		name, _, _ := strings.Cut(o, "=")
		if !option.MatchString(o) {
			return fmt.Errorf("%q is not an option of sbatch; write it as partition=long, without dashes and spaces", o)
		}
		if slices.Contains(ours, name) {
			return fmt.Errorf("the option %s of sbatch is set by the program itself", name)
		}
	}
	for _, word := range append([]string{j.Dir, j.Title}, j.Command...) {
		if word != text.Escape(word) || strings.ContainsAny(word, "\"\\") {
			return fmt.Errorf("%s has characters that are not safe in a script; use another folder",
				text.Escape(word))
		}
	}
	if j.Time < time.Minute {
		return fmt.Errorf("the time limit %v is less than a minute", j.Time)
	}
	return nil
}

// block is a number of successive tasks that Slurm gets as one array.
type block struct {
	first int   // the task of the array's index 0
	index []int // indices, in increasing order
}

// blocks divides tasks into arrays whose indices are less than `most`. Slurm's limit is
// one of the index, not of the number of tasks.
func blocks(tasks []int, most int) []block {
	var list []block
	for _, task := range tasks {
		first := task / most * most
		if len(list) == 0 || list[len(list)-1].first != first {
			list = append(list, block{first: first})
		}
		last := &list[len(list)-1]
		last.index = append(last.index, task-first)
	}
	return list
}

// indices writes increasing numbers as Slurm does: 0-3,7.
func indices(numbers []int) string {
	var b strings.Builder
	for i := 0; i < len(numbers); {
		k := i
		for k+1 < len(numbers) && numbers[k+1] == numbers[k]+1 {
			k++
		}
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprint(&b, numbers[i])
		if k > i {
			fmt.Fprintf(&b, "-%d", numbers[k])
		}
		i = k + 1
	}
	return b.String()
}

// shares divides a number of tasks at once over arrays. Each array gets at least one.
func shares(atOnce, arrays int) ([]int, error) {
	list := make([]int, arrays)
	if atOnce == 0 {
		return list, nil
	}
	if atOnce < arrays {
		return nil, fmt.Errorf("%d tasks at once are too few for %s; allow at least %d, or give each task more runs",
			atOnce, text.Count(arrays, "array"), arrays)
	}
	for i := range list {
		list[i] = atOnce / arrays
		if i < atOnce%arrays {
			list[i]++
		}
	}
	return list, nil
}

// Count says how many tasks of a job are in the queue.
type Count struct {
	Running int      `json:"running"`
	Waiting int      `json:"waiting"`
	Reasons []string `json:"reasons"` // why tasks wait, in Slurm's words
}

// count counts tasks.
func count(queued []queuedTask) Count {
	c := Count{Reasons: []string{}}
	for _, q := range queued {
		if q.state != "PENDING" {
			c.Running++
			continue
		}
		c.Waiting++
		if reason := cmp.Or(q.reason, "None"); !slices.Contains(c.Reasons, reason) {
			c.Reasons = append(c.Reasons, reason)
		}
	}
	return c
}

// Identify returns the ID of a job from what makes it this job and no other.
func Identify(parts ...string) string {
	hash := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(hash[:6])
}

// limitForm is a time limit: 30, 1:00:00, 2-12 or 2-12:00:00.
var limitForm = regexp.MustCompile(`^(?:(\d{1,3})-)?(\d{1,5})(?::(\d\d))?(?::(\d\d))?$`)

// ParseTime reads a time limit as Slurm does: minutes, minutes:seconds,
// hours:minutes:seconds, days-hours, days-hours:minutes or days-hours:minutes:seconds.
func ParseTime(limit string) (time.Duration, error) {
	m := limitForm.FindStringSubmatch(limit)
	if m == nil {
		return 0, fmt.Errorf("%q is not a time limit; write 90 (minutes) or 1:30:00 (hours)", limit)
	}
	var n [4]int // days, then up to three numbers
	for i := range 4 {
		n[i], _ = strconv.Atoi(cmp.Or(m[i+1], "0")) // digits
	}
	units := []time.Duration{time.Hour, time.Minute, time.Second}
	switch {
	case m[1] != "": // days, then hours, minutes, seconds
	case m[3] == "":
		units = []time.Duration{time.Minute, 0, 0}
	case m[4] == "":
		units = []time.Duration{time.Minute, time.Second, 0}
	}
	d := time.Duration(n[0]) * 24 * time.Hour
	for i, unit := range units {
		d += time.Duration(n[i+1]) * unit
	}
	return d, nil
}
