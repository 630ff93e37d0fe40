package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"foretell/cluster"
	"foretell/internal/interrupt"
	"foretell/internal/progress"
	"foretell/internal/terminal"
	"foretell/internal/text"
	"foretell/run"
	"foretell/sweep"

	"github.com/spf13/cobra"
)

// sweepOptions are the flags of `sweep`.
type sweepOptions struct {
	sets    []string
	seeds   int
	out     string
	dryRun  bool
	workers int
	cluster clusterOptions
}

func newSweep() *cobra.Command {
	o := sweepOptions{}
	cmd := &cobra.Command{
		Use:   "sweep STUDY.yaml",
		Short: "Train many runs: several values of some settings, with several seeds",
		Long:  sweepHelp,
		Example: `  foretell sweep examples/mess3.yaml --set train.lr=1e-3,3e-3,1e-2 --set model.d_model=8,16 --seeds 3
  foretell sweep study.yaml --dry-run
  foretell sweep status runs/study`,
		Args:              arguments(1, 1, "one STUDY.yaml, such as examples/mess3.yaml"),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
		ValidArgsFunction: completeConfig,
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&o.sets, "set", nil,
		"give a setting one `key=value`, or several separated by commas, such as train.lr=1e-3,3e-3; may be repeated")
	flags.IntVar(&o.seeds, "seeds", 0, "runs of each combination, with different seeds (default as in the file, or 1)")
	flags.StringVar(&o.out, "out", "", "the study's `folder` (default runs/STUDY-HASH, with the hash of all runs)")
	flags.BoolVar(&o.dryRun, "dry-run", false, "print the number of runs and estimate their time, and train nothing")
	addWorkers(cmd, &o.workers)
	flags.Lookup("workers").Usage = "runs that train at the same time; no result depends on it"
	completeFlag(cmd, "set", cobra.NoFileCompletions)
	completeFlag(cmd, "out", completeFolder)
	completeNothing(cmd, "seeds")
	o.cluster.addTo(cmd)
	cmd.AddCommand(newSweepStatus(), newSweepCancel(), newSweepTask())
	return cmd
}

func (o sweepOptions) run(cmd *cobra.Command, path string) error {
	if cmd.Flags().Changed("seeds") {
		if err := inRange("--seeds", o.seeds, 1, sweep.DefaultCap); err != nil {
			return err
		}
	}
	if err := notAFile("--out", o.out); err != nil {
		return err
	}
	if err := o.cluster.check(cmd); err != nil {
		return err
	}
	done := late(cmd, "working out the configuration of each run …")
	plan, err := sweep.Read(path, o.seeds, o.sets...)
	if err != nil {
		done()
		return err
	}
	manifest, err := plan.Expand()
	done()
	if err != nil {
		return err
	}
	if o.dryRun {
		estimate, err := manifest.Estimate(cmd.Context(), o.workers)
		if err != nil {
			return err
		}
		return show(cmd, estimate, 2, estimate.Print)
	}
	if o.out == "" {
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		o.out = filepath.Join("runs", name+"-"+manifest.Hash()[:8])
	}
	var job cluster.Job
	if o.cluster.engine != engineLocal {
		job, err = o.cluster.job(o.out, manifest, taskWorkers(cmd, o.workers), "foretell sweep", "sweep", "task")
		if err != nil {
			return err
		}
		if o.cluster.print {
			return o.cluster.show(cmd, job)
		}
	}
	study, err := sweep.Begin(o.out, manifest, plan.Text())
	if err != nil {
		return err
	}
	switch o.cluster.engine {
	case engineSlurm:
		done, _, err := study.Submit(cmd.Context(), cluster.Slurm{}, job)
		if err != nil {
			return err
		}
		return show(cmd, done, 0, func(out io.Writer) { done.Print(out, study.Dir) })
	case engineKubernetes:
		return o.cluster.show(cmd, job)
	}
	return o.train(cmd, study)
}

// train trains the study's missing runs with a progress bar, and prints what they are.
func (o sweepOptions) train(cmd *cobra.Command, study *sweep.Study) error {
	interrupt.Keep(cmd.Context(), "interrupted")
	stderr := cmd.ErrOrStderr()
	printMessage(stderr, "%s: %s", study.Dir, text.Count(len(study.Runs), "run"))
	var bar *progress.Bar
	states, err := study.Train(cmd.Context(), sweep.Options{
		Workers: o.workers,
		Advance: func(done, total int) {
			if bar == nil {
				bar = progress.New(stderr, terminal.Width, total, "steps", "training")
			}
			bar.Advance(done, "training")
		},
		Notice: func(text string) {
			if bar == nil {
				printMessage(stderr, "%s", text)
				return
			}
			bar.Say("%s", text)
		},
	})
	if bar != nil {
		bar.Finish()
	}
	if errors.Is(err, run.ErrInterrupted) {
		return &interrupt.Error{Text: "interrupted; the same command continues", Cause: context.Canceled}
	}
	if err != nil {
		return err
	}
	return o.report(cmd, study, states)
}

// report prints the states of the study's runs. It returns an error unless all are
// complete.
func (o sweepOptions) report(cmd *cobra.Command, study *sweep.Study, states []sweep.Progress) error {
	found, err := study.Results(cmd.Context(), states)
	if err == nil {
		err = found.Write(lineGiven(cmd))
	}
	if err != nil {
		return err
	}
	printMessage(cmd.ErrOrStderr(), "wrote %s and runs.csv", filepath.Join(study.Dir, "report.html"))
	if err := show(cmd, found, 2, found.Forms("").Print); err != nil {
		return err
	}
	if c := found.Counts; c.Complete < c.Runs {
		return fmt.Errorf("%d of %d runs have no result", c.Runs-c.Complete, c.Runs)
	}
	return nil
}

func newSweepStatus() *cobra.Command {
	return &cobra.Command{
		Use:     "status STUDY",
		Short:   "Say how far the runs of a study are",
		Example: "  foretell sweep status runs/study",
		Args:    arguments(1, 1, "one STUDY, the folder of a study"),
		RunE: func(cmd *cobra.Command, args []string) error {
			study, err := sweep.Open(args[0])
			if err != nil {
				return err
			}
			states, err := study.States()
			if err != nil {
				return err
			}
			found, err := study.Results(cmd.Context(), states)
			if err != nil {
				return err
			}
			return showStatus(cmd, study, found)
		},
		ValidArgsFunction: completeFolder,
	}
}

// sweepHelp explains a study file.
//
//go:embed help/sweep.txt
var sweepHelp string
