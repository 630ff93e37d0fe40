package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"foretell/train"

	"github.com/spf13/cobra"
)

func newTrain() *cobra.Command {
	var sets []string
	var out, resume string
	var workers int
	cmd := &cobra.Command{
		Use:   "train CONFIG.yaml",
		Short: "Train a model on a process, with checkpoints that survive a kill",
		Long: `Train a model as a configuration says, into a folder of plain files: config.yaml, env.json,
metrics.jsonl, checkpoints/ and summary.json. Ctrl-C writes a checkpoint and exits with status 130;
--resume goes on and ends in the same bits as a run that was left alone.`,
		Example: `  foretell train config.yaml --set train.lr=1e-3 --set train.seed=2 --out runs/second
  foretell train --resume runs/second`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case resume == "" && len(args) != 1:
				return errors.New("give one CONFIG.yaml, or --resume RUN")
			case resume != "" && (len(args) > 0 || len(sets) > 0 || out != ""):
				return errors.New("--resume takes the run's own configuration and folder; leave out CONFIG.yaml, --set and --out")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if workers < 1 {
				return wrongUsage(fmt.Errorf("--workers %d must be at least 1", workers))
			}
			var run *train.Run
			var err error
			if resume != "" {
				run, err = train.Resume(resume, workers)
			} else {
				run, err = createRun(args[0], sets, out, workers)
			}
			if err != nil {
				return err
			}
			defer run.Close()
			return trainRun(cmd, run)
		},
	}
	cmd.Flags().StringArrayVar(&sets, "set", nil, "change a key of the configuration, as train.lr=1e-3; may be repeated")
	cmd.Flags().StringVar(&out, "out", "", "the run's folder (default runs/PROCESS-HASH, the hash of the configuration)")
	cmd.Flags().StringVar(&resume, "resume", "", "go on with the run in this folder")
	cmd.Flags().IntVar(&workers, "workers", runtime.NumCPU(), "goroutines that share a step; the result does not depend on it")
	return cmd
}

// createRun starts a run for a configuration file.
func createRun(path string, sets []string, out string, workers int) (*train.Run, error) {
	c, err := train.Load(path, sets...)
	if err != nil {
		return nil, err
	}
	if out == "" {
		text, err := c.YAML()
		if err != nil {
			return nil, err
		}
		out = filepath.Join("runs", fmt.Sprintf("%s-%x", c.Process.Name, sha256.Sum256(text))[:len(c.Process.Name)+9])
	}
	return train.Create(out, c, workers)
}

// trainRun trains with a bar and prints what came of it.
func trainRun(cmd *cobra.Command, run *train.Run) error {
	stderr := cmd.ErrOrStderr()
	for _, note := range run.Notes {
		fmt.Fprintln(stderr, "note: "+note)
	}
	c := run.Config
	fmt.Fprintf(stderr, "%s: %d parameters, %d steps of %d sequences of %d tokens, from step %d\n",
		run.Dir, c.Model.Parameters(), c.Train.NumSteps, c.Train.BatchSize, c.Model.NCtx, run.At())
	bar := newProgress(stderr, c.Train.NumSteps, "steps", "training")
	run.OnStep = func(step int, loss float64) { bar.advance(step, "training") }
	var last train.Evaluation
	run.OnEvaluation = func(e train.Evaluation) {
		last = e
		bar.say("step %-7d loss %.5f  floor %.5f  chance %.5f  KL %.2e  gap closed %5.1f %%", e.Step, e.LossEval, e.Floor, e.Chance, e.KL, 100*e.GapClosed)
	}
	err := run.Train(cmd.Context())
	bar.finish()
	if errors.Is(err, train.ErrInterrupted) {
		fmt.Fprintf(stderr, "stopped at step %d with a checkpoint; go on by `foretell train --resume %s`\n", run.At(), run.Dir)
	}
	if err != nil {
		return err
	}
	if wantsJSON(cmd) {
		return printJSON(cmd, map[string]any{"run": run.Dir, "summary": last})
	}
	fmt.Fprintln(cmd.OutOrStdout(), run.Dir)
	return nil
}
