package main

import (
	"io"
	"path/filepath"

	"foretell"
	"foretell/inspect"
	"foretell/probe"
	"foretell/run"
	"foretell/train"

	"github.com/spf13/cobra"
)

func newDemo() *cobra.Command {
	var out string
	var workers int
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Train the example, look inside, and write a page, in under a minute",
		Long: `Train a transformer with one layer on Mess3, a process with three hidden states,
and write a page about it: what an ideal observer believes after each sequence,
and the same picture read from the transformer's activations.

The configuration is examples/mess3.yaml. Other commands accept the run, as in
` + "`foretell predict demo/run --tokens 0,1,2`" + `. Running demo again continues an
interrupted run and reuses a finished one.`,
		Example: "  foretell demo\n  foretell demo --out mess3",
		Args:    noArgument, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error { return demonstrate(cmd, out, workers) },
	}
	cmd.Flags().StringVar(&out, "out", "demo", "the `folder` for the run and page.html")
	addWorkers(cmd, &workers)
	completeFlag(cmd, "out", completeFolder)
	return cmd
}

// demonstrate trains the example in a folder, and writes the page of its model there.
func demonstrate(cmd *cobra.Command, folder string, workers int) error {
	if err := notAFile("--out", folder); err != nil {
		return err
	}
	c, err := train.Parse("examples/mess3.yaml", foretell.Example)
	if err != nil {
		return err
	}
	dir := filepath.Join(folder, "run")
	done := late(cmd, beforeTraining)
	r, err := run.CreateOrResume(cmd.Context(), dir, c, run.Options{Workers: workers, OnNote: noting(cmd)})
	done()
	if err != nil {
		return err
	}
	defer r.Close()
	last, err := trainToEnd(cmd, r)
	if err != nil {
		return err
	}
	page := outFile{path: filepath.Join(folder, "page.html"), ending: ".html"}
	m, err := openModel(cmd, dir, nil)
	if err != nil {
		return err
	}
	defer lateModel(cmd, m)()
	q := probe.Question{Convention: probe.Ours, Workers: workers}
	portrait, err := inspect.Portray(cmd.Context(), m, q, 0)
	if err == nil {
		err = writePortrait(cmd, portrait, &page)
	}
	if err != nil {
		return err
	}
	value := map[string]any{"run": dir, "summary": last, "page": page.path}
	return show(cmd, value, 1, func(out io.Writer) {
		last.Print(out, dir)
		printf(out, "%s\nOpen %s in a browser.\n", portrait.Result(), page.path)
	})
}
