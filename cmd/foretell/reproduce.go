package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"foretell/internal/kernel"
	"foretell/paper"
	"foretell/report"

	"github.com/spf13/cobra"
)

func newReproduce() *cobra.Command {
	o := reproduceOptions{}
	var names []string
	for _, p := range paper.Papers {
		names = append(names, p.Name)
	}
	cmd := &cobra.Command{
		Use:   "reproduce [" + strings.Join(names, " ") + "]",
		Short: "Reproduce a paper's claims: train, compare with the optimum, look inside, write a report",
		Long: `Reproduce the claims of a paper. Each row of the ledger is computed for real and gets a verdict:
holds, differs, fails, corrected (the source errs) or open. The report is one HTML file that opens
offline, with figures and their data beside it. Models are trained once into the output folder and
taken from there when the command is run again.`,
		Example: `  foretell reproduce mess3
  foretell reproduce mess3 --only M1,M3
  foretell reproduce mess3 --profile full --out reports/mess3-full`,
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := paperNamed(args)
			if err != nil {
				return err
			}
			return o.run(cmd, p)
		},
	}
	cmd.Flags().StringSliceVar(&o.only, "only", nil, "the ids of the claims to test, separated by commas (default all)")
	cmd.Flags().StringVar(&o.profile, "profile", "quick", "quick (minutes) or full (the paper's own training)")
	cmd.Flags().StringVar(&o.out, "out", "", "the output folder (default reports/PAPER-PROFILE)")
	cmd.Flags().IntVar(&o.workers, "workers", runtime.NumCPU(), "goroutines that share the work; the result does not depend on it")
	return cmd
}

// paperNamed returns the paper of the command line; without a name, the first.
func paperNamed(args []string) (paper.Paper, error) {
	if len(args) > 1 {
		return paper.Paper{}, wrongUsage(fmt.Errorf("reproduce: %d papers given; give one", len(args)))
	}
	var known []string
	for _, p := range paper.Papers {
		if len(args) == 0 || p.Name == args[0] {
			return p, nil
		}
		known = append(known, p.Name)
	}
	return paper.Paper{}, wrongUsage(fmt.Errorf("reproduce: unknown paper %q; there is %s", args[0], strings.Join(known, ", ")))
}

type reproduceOptions struct {
	only         []string
	profile, out string
	workers      int
}

func (o reproduceOptions) run(cmd *cobra.Command, p paper.Paper) error {
	if o.workers < 1 {
		return wrongUsage(fmt.Errorf("--workers %d must be at least 1", o.workers))
	}
	profile, err := profileNamed(o.profile)
	if err != nil {
		return err
	}
	rows, err := paper.Select(p.Rows, o.only)
	if err != nil {
		return wrongUsage(fmt.Errorf("--only: %w", err))
	}
	out := o.out
	if out == "" {
		out = filepath.Join("reports", p.Name+"-"+profile.Name)
	}
	stderr := cmd.ErrOrStderr()
	study := &paper.Study{Out: out, Profile: profile, Workers: o.workers}
	var bar *progress
	study.Progress = func(label string, done, total int) {
		if bar == nil {
			bar = newProgress(stderr, max(1, total), "steps", label)
		}
		bar.advance(done, label)
	}
	written := ""
	study.Finished = func(claims []paper.Claim, pending []string) (err error) {
		written, err = report.Write(out, describeReport(p, profile, claims, pending, o.workers))
		if err == nil && bar != nil {
			last := claims[len(claims)-1]
			bar.say("%-4s %-9s %s", last.ID, last.Verdict, last.Obtained)
		}
		return err
	}
	claims, err := study.Reproduce(cmd.Context(), rows)
	if bar != nil {
		bar.finish()
	}
	if err != nil {
		return err
	}
	if wantsJSON(cmd) {
		return printJSON(cmd, map[string]any{"claims": claims, "report": written})
	}
	stdout := cmd.OutOrStdout()
	width, ok := terminal(stdout)
	if !ok {
		width = 100
	}
	if err := report.Table(stdout, claims, width, wantsColour(stdout)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "report: %s\n", written)
	return err
}

func profileNamed(name string) (paper.Profile, error) {
	var known []string
	for _, p := range paper.Profiles {
		if p.Name == name {
			return p, nil
		}
		known = append(known, p.Name)
	}
	return paper.Profile{}, wrongUsage(fmt.Errorf("--profile: %q is not one of %s", name, strings.Join(known, ", ")))
}

// describeReport is the report around the claims.
func describeReport(p paper.Paper, profile paper.Profile, claims []paper.Claim, pending []string, workers int) report.Report {
	return report.Report{
		Title: p.Title,
		Intro: []string{
			"Each row is a claim of the paper, tested by this run on models that it trained itself. The verdict follows from the numbers by a rule that the row states; nothing is typed in.",
			"A probe is never shown alone: it is held out, weighted by the probability of each word, and stands beside its controls. Losses stand beside the exact floor. Information is in nats.",
		},
		Source:  p.Source,
		Profile: profile.Setting,
		Environment: []report.Pair{
			{Name: "foretell", Value: version()},
			{Name: "Go", Value: fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)},
			{Name: "instruction set", Value: kernel.ISA()},
			{Name: "workers", Value: fmt.Sprint(workers)},
			{Name: "seed", Value: fmt.Sprint(profile.Mess3.Seeds[0])},
			{Name: "command", Value: strings.Join(append([]string{"foretell"}, os.Args[1:]...), " ")},
			{Name: "date", Value: time.Now().Format("2006-01-02")},
		},
		Claims:  claims,
		Pending: pending,
	}
}
