package main

import (
	"fmt"
	"path/filepath"

	"foretell/internal/progress"
	"foretell/internal/terminal"
	"foretell/series"

	"github.com/spf13/cobra"
)

// seriesOptions are the flags of `series`.
type seriesOptions struct {
	series.Request
	read      series.ReadOptions
	mine, out string
}

func newSeries() *cobra.Command {
	var o seriesOptions
	cmd := &cobra.Command{
		Use:   "series FILE",
		Short: "How predictable a recording of your own is, and how good a forecast of it",
		Long: `Read a series from a file, forecast its last fifth value by value with simple methods, context
trees and hidden Markov models, and say how much of the uncertainty they foresee. The answer has
one side: at least this much can be foreseen. No one can show from data alone that nobody does better.

FILE is a table (CSV, TSV; a column of times is found), a JSON list, a sound (WAV, FLAC), or - for
standard input. FILE:COLUMN names a column. Missing values (NA, nan, empty) are counted, never filled.
With --symbols, each character of a text is a symbol, or each category of a column.

--mine adds forecasts of your own: a table with a column of times, if the series has one, and the
columns mean, or q10 … q90, or both. They are scored like the others, and audited by a bet against
them, whose winnings measure the evidence that they are wrong.

--train compares a transformer of two layers, too. A part of the series that it is not trained on
decides when its training ends.

--out writes a folder: series.html, series.svg, forecast.csv, series.json, and hmm.yaml, a hidden
Markov model of the series as a process for ` + "`foretell process`, `train` and `probe`" + `.`,
		Example: `  foretell series sunspots.csv
  foretell series power.csv --column load --season 24 --out power
  foretell series power.csv --column load --mine forecasts.csv
  foretell series song.txt --symbols --depth 5`,
		Args: oneArgument("a file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.read.Column, "column", "", "name or number of the `column` (default the only one of numbers)")
	flags.StringVar(&o.read.Time, "time", "",
		"name or number of the `column` of times (default the first, if it has times)")
	flags.IntVar(&o.read.Channel, "channel", 0, "channel of a sound, from 1 (default the only one)")
	flags.BoolVar(&o.read.Symbols, "symbols", false, "the values are symbols, not numbers")
	flags.IntVar(&o.Season, "season", 0, "values in a season; 1 means no season (default found)")
	flags.IntVar(&o.Horizon, "horizon", 0, "steps ahead (default 1, and one season)")
	flags.IntVar(&o.Levels, "levels", 0, "cells for nats (default 16)")
	flags.IntVar(&o.Depth, "depth", 0, "depth of the context tree (default 5)")
	flags.IntVar(&o.States, "states", 0, "states of the hidden Markov model (default chosen, 1 to 6)")
	flags.Uint64Var(&o.Seed, "seed", 1, "random seed of intervals, copies and random starts")
	flags.BoolVar(&o.Train, "train", false, "compare a transformer, too; it takes minutes, and --out keeps it as a run")
	flags.StringVar(&o.mine, "mine", "", "score and audit the forecasts in this `FILE`")
	flags.StringVar(&o.out, "out", "", "write page, forecast, numbers and fitted model to this `folder`")
	completeFlag(cmd, "out", completeFolder)
	completeNothing(cmd, "column", "time", "channel", "season", "horizon", "levels", "depth", "states", "seed")
	return cmd
}

func (o *seriesOptions) run(cmd *cobra.Command, path string) error {
	if err := o.Check(); err != nil {
		return wrongUsage(fmt.Errorf("--%w", err))
	}
	if o.out != "" {
		if err := notAFile("--out", o.out); err != nil {
			return err
		}
		if err := series.CheckFolder(o.out); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	s, err := series.Read(path, o.read)
	if err != nil {
		return err
	}
	if o.mine != "" {
		if o.Mine, err = series.ReadMine(o.mine, s); err != nil {
			return err
		}
	}
	done := func() {}
	o.Trying = func(what string) {
		done()
		done = progress.Late(timer, func() { printMessage(cmd.ErrOrStderr(), "%s …", what) })
	}
	found, err := series.Examine(cmd.Context(), s, o.Request)
	done()
	if err != nil {
		return err
	}
	forms := found.Forms(lineGiven(cmd))
	if o.out != "" {
		if err := found.Write(o.out, lineGiven(cmd)); err != nil {
			return err
		}
		if o.Train {
			o.Trying("training a transformer on all values")
			if err := found.Train(cmd.Context(), o.out, o.Seed); err != nil {
				return err
			}
			done()
		}
		printMessage(cmd.ErrOrStderr(), "wrote %s", filepath.Join(o.out, "series.html"))
	}
	return showColumns(cmd, found, terminal.Style{Gap: 2}, forms.Print)
}
