package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"foretell/inspect"
	"foretell/internal/interrupt"
	"foretell/internal/printable"
	"foretell/internal/progress"
	"foretell/internal/strict"
	"foretell/internal/terminal"
	"foretell/model"
	"foretell/process"
	"foretell/run"
	"foretell/train"

	"github.com/spf13/cobra"
)

type trainOptions struct {
	sets        []string
	out, resume string
	workers     int
	otherEngine bool
}

// trainHelp says what a configuration may hold; every key of model.Config and
// train.Config is named in it.
const trainHelp = `Train a model as a configuration says, into a folder of plain files: config.yaml, env.json,
metrics.jsonl, checkpoints/ and summary.json. Ctrl-C, SIGTERM, SIGHUP and the signals of batch systems
(SIGUSR1, SIGUSR2, SIGXCPU) write a checkpoint and end it with status 130; --resume goes on and ends in the
same weights as a run that was left alone. With --set it extends a run, finished or not: train.num_steps,
evaluate_every, checkpoint_every, checkpoint_minutes and checkpoints may change, and the weights are the same
as if the run had been longer from the start (unless lr_schedule is linear or cosine: these depend on num_steps).

A configuration is a YAML file, such as

  process: {name: mess3, params: {x: 0.15, a: 0.6}}
  model:   {d_model: 64, n_layers: 1, n_heads: 1, n_ctx: 10}
  train:   {batch_size: 128, num_steps: 3000, lr: 0.001, lr_schedule: cosine}

process  one of ` + "`foretell process list`" + ` with its params; or one of your own: what its file says
         (` + "`foretell process --help`" + `), indented, under process: (of a recording the run keeps the numbers)
model    TransformerLens's keys: d_model, n_layers, n_heads, n_ctx; d_head (default d_model/n_heads),
         d_mlp (4·d_model), d_vocab (the process's tokens), act_fn (relu, gelu, gelu_new, silu),
         normalization_type (LN, LNPre, null), positional_embedding_type (standard: learned; sinusoidal,
         rotary, none), attn_only (false), eps (1e-5), initializer_range (0.8/√d_model); or residual: concat,
         heads that are appended to the residual stream, which takes n_layers, n_heads, n_ctx,
         attn_scale (1) and initializer_range (0.01), as in
         model: {residual: concat, n_layers: 3, n_heads: [1, 3, 1], n_ctx: 64}
         architecture: flat is a baseline without attention, which sees the window as one vector: it
         takes n_layers (0 is linear), d_mlp, n_ctx, act_fn and d_model, the width of an embedding, as in
         model: {architecture: flat, n_layers: 1, d_mlp: 256, n_ctx: 64, d_model: 8}
         tie_unembed (false; true reads the output through the embedding, as GPT-2 does),
         unembed_bias (true), output (logits; probabilities is of weights written by hand, which are
         not trained)
train    batch_size, num_steps, lr; seed (0), init (weights drawn from the seed; or a run, a checkpoint,
         runs/first@500 or a file, with whose weights the training begins), init_sha256 (theirs, which is filled
         in), optimizer (adam, adamw, sgd; lbfgs with objective: exact, where lr, 1, bounds how far a search
         begins while no step is remembered, and the keys up to max_grad_norm are left out), lr_schedule
         (constant, linear, cosine), lr_final (0, which linear and cosine reach at the last step, so that
         this one changes nothing), warmup_steps (0), weight_decay (0), betas ([0.9, 0.999]), train_sequences (0: fresh
         ones in each batch; else the size of a finite training set), eps (1e-8), momentum (0), max_grad_norm
         (none), loss_positions (all), loss_weights (equal), event_weight (1, of retrieval steps), objective
         (sampled: the token that was drawn; optimal_targets, formerly targets: optimal: the optimal predictor's
         distribution in its place; exact: that after all words by their probabilities, without batch_size; its
         KL is an upper bound of what such a model can represent, from one start: try several seeds, and more
         steps), share_prefixes (off; on: what sequences of a batch begin with in common goes through the model
         once; auto: where that leaves at most 0.7 of the positions; the weights then differ in their last
         bits), evaluate_every (num_steps/20), evaluate_sequences (512; with exact they tell of accuracy, and of
         positions after those that are learned, alone), checkpoint_every (num_steps/5), checkpoint_minutes (0: none; else a
         checkpoint is also written when so many minutes have passed since the last one), checkpoints (last: the
         two last; all: also the weights of every checkpoint_every steps; log: of steps 1, 2, 4, 8, …; or [100,
         500]), each of which is a MODEL: runs/first@500

Of a recording the last fifth is held out (process.params.holdout, 0.2). Training never draws from it,
and the loss and accuracy of each evaluation are on it, compared with the best constant guess there. The
best possible prediction of a recording is not known: it has no floor, no KL and no gap.

Of several values in parentheses, the default is gelu, LN, learned, adam, constant, sampled.`

func newTrain() *cobra.Command {
	o := trainOptions{}
	cmd := &cobra.Command{
		Use:   "train CONFIG.yaml",
		Short: "Train a model on a process, with checkpoints that survive a kill",
		Long:  trainHelp,
		Example: `  foretell train config.yaml --set train.lr_schedule=constant --set train.seed=2 --out runs/second
  foretell train --resume runs/second
  foretell train --resume runs/second --set train.num_steps=6000`,
		Args: func(cmd *cobra.Command, args []string) error {
			resume := cmd.Flags().Changed("resume")
			switch {
			case !resume && len(args) != 1:
				return fmt.Errorf("%d arguments given; give one CONFIG.yaml, or --resume RUN", len(args))
			case !resume && o.otherEngine:
				return errors.New("--allow-other-engine belongs to --resume")
			case resume && (len(args) > 0 || o.out != ""):
				return errors.New("--resume takes the run's own configuration and folder; leave out CONFIG.yaml and --out")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
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
		"change a key of the configuration, as `train.lr=0.001`; may be repeated")
	cmd.Flags().StringVar(&o.out, "out", "",
		"the run's `folder` (default runs/PROCESS-HASH, the hash of the configuration)")
	cmd.Flags().StringVar(&o.resume, "resume", "", "go on with the run in this `folder`")
	cmd.Flags().BoolVar(&o.otherEngine, "allow-other-engine", false,
		"resume even what an engine of another arithmetic began")
	addWorkers(cmd, &o.workers)
	completeFlag(cmd, "set", cobra.NoFileCompletions)
	completeFlag(cmd, "out", completeFolder)
	completeFlag(cmd, "resume", completeRun)
	return cmd
}

// open starts the run of a configuration file, or goes on with one.
func (o trainOptions) open(cmd *cobra.Command, args []string) (*run.Run, error) {
	note := func(text string) { printMessage(cmd.ErrOrStderr(), "note: %s", text) }
	options := run.Options{Workers: o.workers, AllowOtherEngine: o.otherEngine, OnNote: note}
	defer late(cmd, "computing the floor and the optimal predictions that the model is compared with …")()
	if len(args) == 0 {
		if err := notAFile("--resume", o.resume); err != nil {
			return nil, err
		}
		return o.goOn(cmd.Context(), options)
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
	return run.Create(cmd.Context(), out, c, options)
}

// goOn goes on with a run, which --set extends.
func (o trainOptions) goOn(ctx context.Context, options run.Options) (*run.Run, error) {
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

// load reads a configuration. If the file is right by itself, an error lies in
// how --set changes it.
func (o trainOptions) load(path string) (train.Config, error) {
	c, err := train.Load(path, o.sets...)
	if err == nil {
		return c, nil
	}
	if _, defines := process.Load(path); defines == nil {
		return c, fmt.Errorf("%s defines a process; a training's configuration has those lines under process:, "+
			"beside model: and train:; see `foretell train --help`", path)
	}
	info, failed := os.Stat(path)
	if filepath.Ext(path) == "" && (errors.Is(failed, fs.ErrNotExist) || failed == nil && info.IsDir()) {
		return c, fmt.Errorf("%s is no file; train takes a YAML file that names a process, such as "+
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

// trainRun trains with a bar and prints what came of it.
func trainRun(cmd *cobra.Command, r *run.Run) error {
	interrupt.Keep(cmd.Context(), "")
	stderr, c := cmd.ErrOrStderr(), r.Config
	printMessage(stderr, "%s: %d parameters, %d steps of %s, from step %d",
		r.Dir, c.Model.Parameters(), c.Train.NumSteps, c.BatchText(), r.At())
	for _, note := range inspect.TrainingNotes(cmd.Context(), r.Process, c.Model.NCtx) {
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
	err := r.Train(cmd.Context())
	evaluated()
	bar.Finish()
	goOn := fmt.Sprintf("go on with `foretell train --resume %s`", printable.ShellWord(r.Dir))
	if errors.Is(err, run.ErrInterrupted) {
		return &interrupt.Error{Text: fmt.Sprintf("interrupted at step %d; %s", r.At(), goOn), Cause: err}
	}
	var diverged *train.DivergedError
	if err != nil && !errors.As(err, &diverged) { // which would come to the same again
		err = fmt.Errorf("%w; once that is put right, %s", err, goOn)
	}
	if err != nil {
		return err
	}
	if ending := r.Ending(); ending != "" {
		printMessage(stderr, "%s", ending)
	}
	last, _ := r.Last()
	return show(cmd, map[string]any{"run": r.Dir, "summary": last}, 1, func(out io.Writer) {
		last.Print(out, r.Dir)
	})
}
