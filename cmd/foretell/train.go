package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"foretell/describe"
	"foretell/internal/interrupt"
	"foretell/internal/progress"
	"foretell/internal/strict"
	"foretell/internal/terminal"
	"foretell/internal/text"
	"foretell/model"
	"foretell/process"
	"foretell/run"
	"foretell/train"

	"github.com/spf13/cobra"
)

type trainOptions struct {
	sets        []string
	out, resume string
	ensure      bool
	workers     int
	otherEngine bool
	dryRun      bool
}

// trainHelp explains a configuration. It names every key of model.Config and
// train.Options.
//
//go:embed help/train.txt
var trainHelp string

func newTrain() *cobra.Command {
	o := trainOptions{}
	cmd := &cobra.Command{
		Use:   "train CONFIG.yaml",
		Short: "Train a model on a process, with checkpoints that survive a kill",
		Long:  trainHelp,
		Example: `  foretell train config.yaml --set train.lr_schedule=constant --set train.seed=2 --out runs/second
  foretell train config.yaml --dry-run
  foretell train config.yaml --ensure --out runs/third
  foretell train --resume runs/second
  foretell train --resume runs/second --set train.num_steps=6000`,
		Args: func(cmd *cobra.Command, args []string) error {
			resume := cmd.Flags().Changed("resume")
			switch {
			case !resume && len(args) != 1:
				return fmt.Errorf("%d arguments given; give one CONFIG.yaml, or --resume RUN", len(args))
			case !resume && o.otherEngine:
				return errors.New("--allow-other-engine belongs to --resume")
			case resume && o.dryRun:
				return errors.New("--dry-run is for a new run; leave out --resume")
			case resume && o.ensure:
				return errors.New("--ensure takes a CONFIG.yaml; leave out --resume")
			case resume && (len(args) > 0 || o.out != ""):
				return errors.New("--resume takes the run's own configuration and folder; leave out CONFIG.yaml and --out")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.dryRun {
				return o.plan(cmd, args[0])
			}
			r, err := o.open(cmd, args)
			if err != nil {
				return err
			}
			defer r.Close()
			return trainRun(cmd, r)
		},
		ValidArgsFunction: completeConfig,
	}
	cmd.Flags().StringArrayVar(&o.sets, "set", nil,
		"set a `key=value` of the configuration, such as train.lr=0.001; may be repeated")
	cmd.Flags().StringVar(&o.out, "out", "",
		"the run's `folder` (default runs/PROCESS-HASH, with the configuration's hash)")
	cmd.Flags().BoolVar(&o.ensure, "ensure", false,
		"continue the run of this configuration if the folder has it, even a finished one")
	cmd.Flags().StringVar(&o.resume, "resume", "", "continue the run in this `folder`")
	cmd.Flags().BoolVar(&o.otherEngine, "allow-other-engine", false,
		"resume a run even if an engine version with different arithmetic began it")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false,
		"print the size of the run, its passes and its memory, and train nothing")
	addWorkers(cmd, &o.workers)
	completeFlag(cmd, "set", cobra.NoFileCompletions)
	completeFlag(cmd, "out", completeFolder)
	completeFlag(cmd, "resume", completeRun)
	return cmd
}

// open starts a run of the given configuration file, or opens the run of --resume.
func (o trainOptions) open(cmd *cobra.Command, args []string) (*run.Run, error) {
	options := run.Options{Workers: o.workers, AllowOtherEngine: o.otherEngine, OnNote: noting(cmd)}
	defer late(cmd, beforeTraining)()
	if len(args) == 0 {
		if err := notAFile("--resume", o.resume); err != nil {
			return nil, err
		}
		return o.continued(cmd.Context(), options)
	}
	if err := notAFile("--out", o.out); err != nil {
		return nil, err
	}
	c, err := o.load(args[0])
	if err != nil {
		return nil, err
	}
	out := o.out
	if out == "" {
		if out, err = run.DefaultDir(c); err != nil {
			return nil, err
		}
	}
	if o.ensure {
		return run.CreateOrResume(cmd.Context(), out, c, options)
	}
	return run.Create(cmd.Context(), out, c, options)
}

// plan prints what training on the given configuration file would take.
func (o trainOptions) plan(cmd *cobra.Command, path string) error {
	c, err := o.load(path)
	if err != nil {
		return err
	}
	plan, err := train.NewPlan(c, train.Setup{Workers: o.workers})
	if err != nil {
		return err
	}
	return show(cmd, plan, 2, plan.Print)
}

// noting returns a function that prints a note on stderr.
func noting(cmd *cobra.Command) func(text string) {
	return func(text string) { printMessage(cmd.ErrOrStderr(), "note: %s", text) }
}

// beforeTraining is the message of [late] when a training run is slow to begin.
const beforeTraining = "computing the floor and the optimal predictions to compare the model with …"

// continued opens the run that --resume names, extended by the settings of --set.
func (o trainOptions) continued(ctx context.Context, options run.Options) (*run.Run, error) {
	if len(o.sets) == 0 {
		return run.Resume(ctx, o.resume, options)
	}
	r, err := run.Extend(ctx, o.resume, options, o.sets...)
	var field *model.FieldError
	if strict.InAssignment(err) || errors.As(err, &field) {
		err = wrongUsage(fmt.Errorf("--set %w", err))
	}
	return r, err
}

// load reads a configuration. An error of --set, in a valid file, is wrong usage.
func (o trainOptions) load(path string) (train.Config, error) {
	c, err := train.Load(path, o.sets...)
	if err == nil {
		return c, nil
	}
	if _, defines := process.Load(path); defines == nil {
		return c, fmt.Errorf("%s defines a process; a training configuration has those lines under process:, "+
			"next to model: and train:; see `foretell train --help`", path)
	}
	info, failed := os.Stat(path)
	if filepath.Ext(path) == "" && (errors.Is(failed, fs.ErrNotExist) || failed == nil && info.IsDir()) {
		return c, fmt.Errorf("%s is not a file; train takes a YAML file that names a process, such as "+
			"examples/mess3.yaml; see `foretell train --help`", path)
	}
	if strict.InAssignment(err) {
		err = fmt.Errorf("--set %w", err)
	}
	if len(o.sets) > 0 {
		if _, alone := train.Load(path); alone == nil {
			err = wrongUsage(err)
		}
	}
	return c, err
}

// trainRun trains with a progress bar and prints the result.
func trainRun(cmd *cobra.Command, r *run.Run) error {
	found, err := trainToEnd(cmd, r)
	if err != nil {
		return err
	}
	return show(cmd, map[string]any{"run": r.Dir, "summary": found}, 1, func(out io.Writer) {
		found.Print(out, r.Dir)
	})
}

// trainToEnd trains with a progress bar on stderr, and returns the result.
func trainToEnd(cmd *cobra.Command, r *run.Run) (found run.Summary, err error) {
	interrupt.Keep(cmd.Context(), "interrupted")
	stderr, c := cmd.ErrOrStderr(), r.Config
	printMessage(stderr, "%s", r.Beginning())
	for _, note := range describe.TrainingNotes(cmd.Context(), r.Process, c.Model.NCtx) {
		printMessage(stderr, "note: %s", note)
	}
	bar := progress.New(stderr, terminal.Width, c.Train.NumSteps, "steps", "training")
	r.OnStep = func(step int, _ float64) { bar.Advance(step, "training") }
	evaluated := func() {}
	r.OnEvaluating = func(step int) {
		evaluated = progress.Late(timer, func() { bar.Advance(step, "evaluating") })
	}
	r.OnEvaluation = func(e run.Row) {
		evaluated()
		bar.Say("step %-*d  %s", len(fmt.Sprint(c.Train.NumSteps)), e.Step, e.Row())
	}
	err = r.Train(cmd.Context())
	evaluated()
	bar.Finish()
	resume := fmt.Sprintf("continue with `foretell train --resume %s`", text.ShellWord(r.Dir))
	if errors.Is(err, run.ErrInterrupted) {
		return found, &interrupt.Error{Text: fmt.Sprintf("interrupted at step %d; %s", r.At(), resume), Cause: err}
	}
	var diverged *train.DivergedError
	if err != nil && !errors.As(err, &diverged) { // a diverged run would diverge again
		err = fmt.Errorf("%w; once that is fixed, %s", err, resume)
	}
	if err != nil {
		return found, err
	}
	if ending := r.Ending(); ending != "" {
		printMessage(stderr, "%s", ending)
	}
	return r.Summary(), nil
}
