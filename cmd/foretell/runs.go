package main

import (
	"cmp"
	"errors"
	"fmt"

	"foretell/internal/text"
	"foretell/run"
	"foretell/runtable"

	"github.com/spf13/cobra"
)

func newRuns() *cobra.Command {
	cmd := &cobra.Command{
		Use: "runs", Short: "List, compare, check and remove runs",
		Example: "  foretell runs list runs/study --sort kl --where 'kl < 0.01'\n  foretell runs check runs/first",
		Args:    unknownCommand, RunE: helpOnGroup,
	}
	check := &cobra.Command{
		Use: "check RUN…", Short: "Verify all files of runs, and print one line for each fault",
		Long: `Verify every file of a run against its recorded hash, the rows of metrics.jsonl
against each other and against the checkpoints, and that no checkpoint is
missing. The exit status is 1 if anything is wrong.`,
		Example:           "  foretell runs check runs/first runs/second --json",
		Args:              arguments(1, 1<<30, "at least one RUN, such as runs/first"),
		ValidArgsFunction: completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			reports := run.CheckAll(args)
			return cmp.Or(show(cmd, reports, 1, reports.Print), reports.Err())
		},
	}
	cmd.AddCommand(newRunsList(), newRunsShow(), newRunsCompare(), check, newRunsRemove())
	return cmd
}

// listOptions are the flags of `runs list`.
type listOptions struct {
	columns, sort []string
	reverse       bool
	where         string
	out           outFile
}

func newRunsList() *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use: "list [FOLDER]", Short: "List the runs below a folder (default runs) with settings and results",
		Long: `List the runs below a folder, one in a row: how far it is, the settings in which
the runs differ, and results. A run that cannot be read is a row with its error.

--columns chooses the columns: settings (train.lr, or lr), results (loss, floor,
chance, kl, gap, accuracy, watched numbers), run, process, state, complete,
diverged, step, steps, tokens, seconds, problem, or all. --sort sorts by columns.

--where keeps the runs for which a condition is true. A condition compares a
column with a number (=, !=, <, <=, >, >=), a text or true or false (=, !=).
Conditions are joined by and, or, not and parentheses; names and texts with
spaces are in quotes. A comparison with a value that a run does not have is
false.

--out FILE.csv and FILE.parquet write a row per run, .json the value of --json.`,
		Example: "  foretell runs list runs/study --sort kl --where 'kl < 0.01 and model.d_model >= 32'" +
			"\n  foretell runs list runs/study --columns run,lr,d_model,kl --out study.parquet" +
			"\n  foretell runs list --where 'not complete or process = mess3'",
		Args: arguments(0, 1, "at most one FOLDER"), PreRunE: o.out.check, ValidArgsFunction: completeFolder,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, append(args, "")[0]) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&o.columns, "columns", nil, "`names` of the columns (default: settings that differ, results)")
	flags.StringSliceVar(&o.sort, "sort", nil, "sort by the columns with these `names`, in ascending order")
	flags.BoolVar(&o.reverse, "reverse", false, "with --sort: in descending order")
	flags.StringVar(&o.where, "where", "", "keep runs for which a `condition` is true, such as 'kl < 0.01'")
	o.out.add(cmd, "write the table", ".csv", ".parquet", ".json")
	completeNothing(cmd, "columns", "sort", "where")
	return cmd
}

func (o *listOptions) run(cmd *cobra.Command, folder string) error {
	if o.reverse && o.sort == nil {
		return wrongUsage(errors.New("--reverse needs --sort, such as --sort kl"))
	}
	if cmd.Flags().Changed("where") {
		if _, err := runtable.ParseCondition(o.where); err != nil {
			return aboutFlag("--where", err)
		}
	}
	done := late(cmd, "reading the runs …")
	table, err := runtable.Read(cmd.Context(), folder)
	done()
	if err != nil {
		return err
	}
	if len(table.Rows) > 0 {
		if err := o.shape(cmd, table); err != nil {
			return err
		}
	}
	if o.out.path != "" {
		return o.out.write(cmd, table.Forms())
	}
	return show(cmd, table, 2, table.Forms().Print)
}

// shape applies the flags to the table.
func (o *listOptions) shape(cmd *cobra.Command, table *runtable.Table) error {
	if err := table.Sort(o.reverse, o.sort...); err != nil {
		return aboutFlag("--sort", err)
	}
	if err := table.Show(o.columns...); err != nil {
		return aboutFlag("--columns", err)
	}
	if !cmd.Flags().Changed("where") {
		return nil
	}
	before := table.Unreadable()
	if err := table.Where(o.where); err != nil {
		return aboutFlag("--where", err)
	}
	if n := len(before) - len(table.Unreadable()); n > 0 {
		printMessage(cmd.ErrOrStderr(), "%s cannot be read and so not be compared: %v", text.Count(n, "run"), before[0].Err)
	}
	return nil
}

// aboutFlag puts a flag's name before an error about its value.
func aboutFlag(flag string, err error) error { return wrongUsage(fmt.Errorf("%s: %w", flag, err)) }

func newRunsShow() *cobra.Command {
	return &cobra.Command{
		Use: "show RUN", Short: "Show one run: results, settings, files, and the sessions that trained it",
		Example: "  foretell runs show runs/first", Args: oneArgument("RUN, such as runs/first"),
		ValidArgsFunction: completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, err := runtable.Open(args[0])
			if err != nil {
				return err
			}
			return show(cmd, found, 2, found.Forms().Print)
		},
	}
}

func newRunsCompare() *cobra.Command {
	out := &outFile{}
	cmd := &cobra.Command{
		Use: "compare RUN RUN…", Short: "Say where runs differ: settings, results, metrics, weights",
		Long: `Compare two runs or more: the settings that differ, the results with their
differences from the first run, the first step at which metrics differ from
the first run's metrics, and whether the weights are equal. A run may be
training; the weights are then from its latest checkpoint.`,
		Example: "  foretell runs compare runs/first runs/second",
		Args:    arguments(2, 1<<30, "at least two RUNs, such as runs/first runs/second"),
		PreRunE: out.check, ValidArgsFunction: completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, err := runtable.Compare(cmd.Context(), args...)
			if err != nil {
				return err
			}
			if out.path != "" {
				return out.write(cmd, found.Forms())
			}
			return show(cmd, found, 2, found.Forms().Print)
		},
	}
	out.add(cmd, "write settings and results", ".csv", ".parquet", ".json")
	return cmd
}

func newRunsRemove() *cobra.Command {
	o := runtable.RemoveOptions{}
	cmd := &cobra.Command{
		Use: "remove RUN…", Short: "Remove runs, and keep the configurations that train them again",
		Long: `Remove the folders of runs, and print what was freed. The configuration of RUN is
kept as RUN.yaml: ` + "`foretell train RUN.yaml --out RUN`" + ` makes the same bits again.
(For the runs of a study, the study has it.)

A folder is refused if it is a link, if it is not the folder of a run, if the run
is training, or if it has files that the run did not write. A run is refused if
more than time would be lost: if this program cannot train it again to the same
bits, or if another run next to it begins from its weights; --force removes it
nevertheless. If one run is refused, none is removed.`,
		Example: "  foretell runs remove runs/first runs/second --dry-run\n  foretell runs remove runs/first",
		Args:    arguments(1, 1<<30, "at least one RUN, such as runs/first"), ValidArgsFunction: completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Notice = func(text string) { printMessage(cmd.ErrOrStderr(), "%s", text) }
			removed, err := runtable.Remove(args, o)
			var loss *runtable.LossError
			if errors.As(err, &loss) {
				return fmt.Errorf("%w; --force removes it nevertheless", err)
			}
			if len(removed) == 0 {
				return err
			}
			return errors.Join(show(cmd, removed, 2, removed.Print), err)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.DryRun, "dry-run", false, "check everything, print what would be freed, and remove nothing")
	flags.BoolVar(&o.Lossy, "force", false, "also remove runs that cannot be trained again to the same bits")
	flags.BoolVar(&o.Discard, "discard-config", false, "do not keep the configurations")
	return cmd
}
