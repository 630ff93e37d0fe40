package main

import (
	"cmp"
	"errors"
	"strings"

	"foretell/curves"

	"github.com/spf13/cobra"
)

// plotted lists the endings that --out takes for figures and pages.
var plotted = []string{".svg", ".html", ".csv", ".parquet", ".json"}

func newPlot() *cobra.Command {
	var o plotOptions
	cmd := &cobra.Command{
		Use:   "plot RUN…",
		Short: "Learning curves: loss between chance and the floor, KL by position",
		Long: `Draw the learning curves of one run or of several in one figure: the loss with
floor and chance, the share of the learnable gap, the KL divergence from the
optimum by step and by position, and accuracy and watched numbers where runs
have them. If the floors of the runs differ, each loss is shown relative to its
own floor. RUN is a run's folder, even of a run that is still training, or a
folder of runs.

--along chooses the horizontal axis: step; log, the logarithm of the step; share,
the share of each run's steps; tokens or log-tokens, the tokens trained on; auto
is log if one run has ten times the steps of another, else step. --label names
the runs by folder, by the settings that differ, or by both.

--by draws one result by a setting instead, such as --by train.lr: the mean with a
band of one standard deviation, and a dot for each run. --color gives each value
of a second setting a line of its colour. --over names settings over which the
mean is taken (default train.seed); a difference in another setting is an error.
--result chooses the result: kl, loss, gap, accuracy, or a watched number.

--out FILE.svg writes a figure, .html a page with the figure and its numbers,
.csv and .parquet one row per evaluation, .json the value of --json. With --long,
.csv and .parquet have one number in a row: run, step, metric, value.`,
		Example: "  foretell plot runs/first\n  foretell plot runs/first runs/second --out compared.html" +
			"\n  foretell plot runs/study/runs --by train.lr --color model.d_model",
		Args:              arguments(1, 1<<30, "at least one RUN, such as runs/first"),
		PreRunE:           o.check,
		RunE:              o.run,
		ValidArgsFunction: completeRun,
	}
	o.addTo(cmd)
	return cmd
}

// plotOptions are the flags of plot.
type plotOptions struct {
	out          outFile
	along, label string
	long         bool
	grid         gridOptions
}

func (o *plotOptions) addTo(cmd *cobra.Command) {
	flags, ways, namings := cmd.Flags(), curves.Alongs(), curves.Namings()
	o.out.add(cmd, "write", plotted...)
	flags.StringVar(&o.along, "along", ways[0], "the horizontal axis: "+strings.Join(ways, ", "))
	completeFlag(cmd, "along", cobra.FixedCompletions(ways, cobra.ShellCompDirectiveNoFileComp))
	flags.StringVar(&o.label, "label", namings[0], "how to name runs: "+strings.Join(namings, ", "))
	completeFlag(cmd, "label", cobra.FixedCompletions(namings, cobra.ShellCompDirectiveNoFileComp))
	flags.BoolVar(&o.long, "long", false, "with --out FILE.csv or .parquet: one number in a row")
	o.grid.addTo(cmd)
	o.out.path, flags.Lookup("out").DefValue = "plot.svg", "plot.svg"
}

func (o *plotOptions) check(cmd *cobra.Command, _ []string) error {
	if wantsJSON(cmd) && !cmd.Flags().Changed("out") {
		o.out.path = ""
	}
	return cmp.Or(o.grid.check(), oneOf("--along", o.along, curves.Alongs()...),
		oneOf("--label", o.label, curves.Namings()...), o.out.check(cmd, nil), o.checkLong())
}

// checkLong returns an error if --long is given without a table to write.
func (o *plotOptions) checkLong() error {
	if o.long && (o.grid.by != "" || o.out.ending != ".csv" && o.out.ending != ".parquet") {
		return wrongUsage(errors.New("--long needs --out FILE.csv or FILE.parquet, and no --by"))
	}
	return nil
}

// run writes and prints the curves of the runs that the arguments name.
func (o *plotOptions) run(cmd *cobra.Command, args []string) error {
	set, err := curves.Read(cmd.Context(), args...)
	if err != nil {
		return err
	}
	if o.grid.by != "" {
		return o.grid.show(cmd, set, &o.out)
	}
	set.Name(curves.Naming(o.label))
	if o.out.path != "" {
		set.Along = curves.Along(o.along)
		forms := set.Forms(lineGiven(cmd))
		if o.long {
			forms = set.LongForms()
		}
		if err := o.out.write(cmd, forms); err != nil {
			return err
		}
	}
	return show(cmd, set, 3, set.Forms("").Print)
}

// gridOptions are the flags of `plot --by`.
type gridOptions struct {
	by, color, result string
	over              []string
}

func (o *gridOptions) addTo(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.by, "by", "", "draw a result by this `setting`, such as train.lr")
	flags.StringVar(&o.color, "color", "", "with --by: a line for each value of this `setting`")
	flags.StringSliceVar(&o.over, "over", []string{"train.seed"},
		"with --by: the `settings` over which the mean is taken")
	flags.StringVar(&o.result, "result", "",
		"with --by: the `name` of the result (default kl, or loss if no run has it)")
	completeNothing(cmd, "by", "color", "over", "result")
}

// check returns an error if a flag that needs --by is given without it.
func (o *gridOptions) check() error {
	if o.by == "" && (o.color != "" || o.result != "") {
		return wrongUsage(errors.New("--color and --result need --by, such as --by train.lr"))
	}
	return nil
}

// show writes and prints a result of the runs by one or two settings.
func (o *gridOptions) show(cmd *cobra.Command, set *curves.Set, out *outFile) error {
	g, err := set.NewGrid(o.by, o.color, cmp.Or(o.result, set.MainResult()))
	if err == nil {
		err = set.CheckOver(g, o.over)
	}
	if err == nil && out.path != "" {
		err = out.write(cmd, g.Forms(lineGiven(cmd)))
	}
	if err != nil {
		return err
	}
	return show(cmd, g, 2, g.Forms("").Print)
}
