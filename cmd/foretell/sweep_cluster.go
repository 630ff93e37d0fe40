package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"foretell/cluster"
	"foretell/internal/interrupt"
	"foretell/internal/text"
	"foretell/run"
	"foretell/sweep"

	"github.com/spf13/cobra"
)

// clusterOptions are the flags for clusters.
type clusterOptions struct {
	engine  string
	perTask int
	atOnce  int
	time    string
	options []string
	print   bool
}

// Engines that train the runs of a study.
const (
	engineLocal      = "local"
	engineSlurm      = "slurm"
	engineKubernetes = "kubernetes"
)

var engines = []string{engineLocal, engineSlurm, engineKubernetes}

func (o *clusterOptions) addTo(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.engine, "engine", engineLocal,
		"where the runs are trained: "+text.And(engines)+", whose job can only be printed")
	flags.IntVar(&o.perTask, "per-task", 1, "runs of each task of a cluster")
	flags.IntVar(&o.atOnce, "array-parallelism", 0, "largest number of tasks at the same time (default no limit)")
	flags.StringVar(&o.time, "time", "1:00:00",
		"time `limit` of a task, as for sbatch; a task that needs longer continues")
	flags.StringArrayVar(&o.options, "sbatch", nil, "an option of sbatch, such as `partition=long`; may be repeated")
	flags.BoolVar(&o.print, "print", false, "print what would be submitted to the cluster, and submit nothing")
	completeFlag(cmd, "engine", cobra.FixedCompletions(engines, cobra.ShellCompDirectiveNoFileComp))
	completeNothing(cmd, "per-task", "array-parallelism", "time", "sbatch")
}

// check returns an error unless the flags' values fit together.
func (o *clusterOptions) check(cmd *cobra.Command) error {
	if err := oneOf("--engine", o.engine, engines...); err != nil {
		return err
	}
	for name, engine := range map[string]bool{
		"per-task": true, "array-parallelism": true, "time": true, "print": true, "sbatch": o.engine == engineSlurm,
	} {
		if cmd.Flags().Changed(name) && (o.engine == engineLocal || !engine) {
			return wrongUsage(fmt.Errorf("--%s has no meaning with --engine %s", name, o.engine))
		}
	}
	if err := inRange("--per-task", o.perTask, 1, sweep.DefaultCap); err != nil {
		return err
	}
	return inRange("--array-parallelism", o.atOnce, 0, sweep.DefaultCap)
}

// job returns a study as a job of a cluster. by is the command that submits it. command
// is the command without its program that trains a task. The error says why the job
// cannot be submitted from this machine.
func (o clusterOptions) job(
	dir string, m *sweep.Manifest, workers int, by string, command ...string,
) (cluster.Job, error) {
	limit, err := cluster.ParseTime(o.time)
	if err != nil {
		return cluster.Job{}, wrongUsage(fmt.Errorf("--time: %w", err))
	}
	program, err := os.Executable()
	if err != nil {
		return cluster.Job{}, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return cluster.Job{}, err
	}
	job := cluster.Job{
		ID: cluster.Identify(dir, m.Hash()), Title: "Study " + dir, By: by, Dir: dir,
		Command: append(append([]string{program}, command...), dir), Items: len(m.Runs), PerTask: o.perTask,
		AtOnce: o.atOnce, CPUs: max(workers, 1), Time: limit, Options: o.options,
	}
	if o.engine != "" { // empty to look for a job that was submitted
		err = job.Check()
	}
	if err == nil && o.engine == engineSlurm && !o.print {
		err = cluster.Present()
	}
	return job, err
}

// taskWorkers returns the number of runs that a task trains at the same time: one, unless
// --workers says another number.
func taskWorkers(cmd *cobra.Command, workers int) int {
	if !cmd.Flags().Changed("workers") {
		return 1
	}
	return workers
}

// show prints what would be submitted.
func (o clusterOptions) show(cmd *cobra.Command, job cluster.Job) error {
	form := job.Script
	if o.engine == engineKubernetes {
		form = job.Kubernetes
	}
	text, err := form()
	if err != nil {
		return err
	}
	if wantsJSON(cmd) {
		return printJSON(cmd, struct {
			Script string `json:"script"`
		}{text})
	}
	_, err = io.WriteString(cmd.OutOrStdout(), text)
	return err
}

// taskOptions are the flags of a task of a cluster. The cluster's script gives them.
type taskOptions struct {
	task, perTask, workers int
	attempt                string
}

func (o *taskOptions) addTo(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&o.task, "task", 0, "number of the task")
	flags.IntVar(&o.perTask, "per-task", 1, "runs of each task")
	flags.IntVar(&o.workers, "workers", 1, "runs that train at the same time")
	flags.StringVar(&o.attempt, "attempt", "", "`name` of this attempt, which no other task has")
}

func newSweepTask() *cobra.Command {
	o := taskOptions{}
	cmd := &cobra.Command{
		Use: "task STUDY", Short: "Train the runs of one task of a cluster", Hidden: true,
		Example: "  foretell sweep task runs/study --task 3 --per-task 12 --attempt 17_3.0",
		Args:    arguments(1, 1, "one STUDY, the folder of a study"),
		RunE: func(cmd *cobra.Command, args []string) error {
			study, err := sweep.Open(args[0])
			if err != nil {
				return err
			}
			return o.train(cmd, study)
		},
	}
	o.addTo(cmd)
	return cmd
}

// train trains the runs of a task of a study.
func (t taskOptions) train(cmd *cobra.Command, study *sweep.Study) error {
	interrupt.Keep(cmd.Context(), "interrupted")
	err := study.TrainTask(cmd.Context(), t.task, t.perTask, sweep.Options{
		Workers: t.workers, Attempt: t.attempt,
		Notice: func(text string) { printMessage(cmd.ErrOrStderr(), "%s", text) },
	})
	if errors.Is(err, run.ErrInterrupted) {
		return &interrupt.Error{Text: "interrupted; checkpoints are written", Cause: err}
	}
	return err
}

// status is what `sweep status` prints.
type status struct {
	*sweep.Results
	Queue *cluster.Count `json:"queue,omitempty"` // nil if nothing was submitted, or if Slurm does not answer
}

// showStatus prints the results of a study and, if it was submitted to Slurm, what is in
// the queue. If Slurm does not answer, a line on stderr says so.
func showStatus(cmd *cobra.Command, study *sweep.Study, found *sweep.Results) error {
	printed := status{Results: found}
	job, err := clusterOptions{perTask: 1, time: "1"}.job(study.Dir, study.Manifest, 1, "")
	if err != nil {
		return err
	}
	if job.Submitted() {
		if count, err := (cluster.Slurm{}).Count(cmd.Context(), job); err != nil {
			printMessage(cmd.ErrOrStderr(), "the queue is not known: %v", err)
		} else {
			printed.Queue = &count
		}
	}
	return show(cmd, printed, 2, func(out io.Writer) {
		found.Forms("").Print(out)
		if q := printed.Queue; q != nil {
			text.Fprintf(out, "\nSlurm: %s, %d running, %d waiting",
				text.Count(q.Running+q.Waiting, "task"), q.Running, q.Waiting)
			if len(q.Reasons) > 0 {
				text.Fprintf(out, " (%s)", strings.Join(q.Reasons, ", "))
			}
			text.Fprintf(out, "\n")
		}
	})
}

// cancelled is what `sweep cancel` prints.
type cancelled struct {
	Tasks int `json:"tasks"`
}

func newSweepCancel() *cobra.Command {
	return &cobra.Command{
		Use: "cancel STUDY", Short: "Remove the tasks of a study from Slurm's queue",
		Long: `Remove the tasks of a study from Slurm's queue, those that run included. They
write checkpoints first, and the study can be continued.`,
		Example: "  foretell sweep cancel runs/study",
		Args:    arguments(1, 1, "one STUDY, the folder of a study"),
		RunE: func(cmd *cobra.Command, args []string) error {
			study, err := sweep.Open(args[0])
			if err != nil {
				return err
			}
			job, err := clusterOptions{perTask: 1, time: "1"}.job(study.Dir, study.Manifest, 1, "")
			if err != nil {
				return err
			}
			n, err := cluster.Slurm{}.Cancel(cmd.Context(), job)
			if err != nil {
				return err
			}
			return show(cmd, cancelled{n}, 0, func(out io.Writer) {
				text.Fprintf(out, "removed %s from the queue\n", text.Count(n, "task"))
			})
		},
		ValidArgsFunction: completeFolder,
	}
}
