package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"foretell/claim"
	"foretell/internal/interrupt"
	"foretell/internal/progress"
	"foretell/internal/terminal"
	"foretell/internal/text"
	"foretell/paper"
	"foretell/report"
	"foretell/run"

	"github.com/spf13/cobra"
)

type reproduceOptions struct {
	only         []string
	profile, out string
	workers      int
	verbose      bool
	list         bool
	show         string // a folder with reports to print
	cluster      clusterOptions
	unnamed      string // a note about the default paper, if no paper or claim is named
}

func newReproduce() *cobra.Command {
	o := reproduceOptions{}
	var names []string
	papers := "Papers (default: the first):"
	for _, p := range paper.Papers {
		names = append(names, p.Name)
		papers += fmt.Sprintf("\n  %s: %s\n    claims of %s", p.Name, p.Title, p.Source)
	}
	cmd := &cobra.Command{
		Use:   "reproduce [" + strings.Join(names, "] [") + "]",
		Short: "Reproduce a paper's claims: train, compare with the optimum, write a report",
		Long:  reproduceHelp + papers,
		Example: `  foretell reproduce mess3
  foretell reproduce coin abc
  foretell reproduce mess3 --only M1,M3
  foretell reproduce mess3 --profile full --out reports/mess3-full
  foretell reproduce induction --profile full --engine slurm --per-task 4 --time 4:00:00
  foretell reproduce --list coin
  foretell reproduce --show reports`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.list:
				return o.printList(cmd, args)
			case cmd.Flags().Changed("show"):
				return o.printReports(cmd, args)
			}
			p, err := papersNamed(args)
			if err != nil {
				return err
			}
			if len(args) == 0 && len(o.only) == 0 {
				o.unnamed = fmt.Sprintf("no paper named; reproducing %s: %s; see `foretell reproduce --help` for others",
					p.Name, p.Title)
			}
			return o.run(cmd, p)
		},
		ValidArgsFunction: completePaper,
	}
	cmd.Flags().StringSliceVar(&o.only, "only", nil, "the `IDs` of the claims, separated by commas (default all)")
	cmd.Flags().StringVar(&o.profile, "profile", string(claim.Quick),
		"quick (minutes), full (the paper's own training) or deep (more models and settings)")
	cmd.Flags().StringVar(&o.out, "out", "", "the output `folder` (default reports/PAPER…-PROFILE)")
	cmd.Flags().BoolVar(&o.verbose, "verbose", false,
		"print each row in full: quotation, rule, conditions, additional questions")
	cmd.Flags().BoolVar(&o.list, "list", false, "print the claims, without testing them (default of all papers)")
	cmd.Flags().StringVar(&o.show, "show", "", "print the reports in a `FOLDER`, without testing anything")
	cmd.MarkFlagsMutuallyExclusive("list", "show", "only")
	cmd.MarkFlagsMutuallyExclusive("list", "show", "out")
	addWorkers(cmd, &o.workers)
	completeFlag(cmd, "show", completeFolder)
	completeFlag(cmd, "only", completeClaims)
	completeFlag(cmd, "profile", cobra.FixedCompletions(claim.ProfileNames(), cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "out", completeFolder)
	o.cluster.addTo(cmd)
	cmd.AddCommand(newReproduceTask())
	return cmd
}

// papersNamed returns the named papers combined into one, or the first if none is named.
func papersNamed(args []string) (claim.Paper, error) {
	p, err := paper.Named(args...)
	if err != nil {
		return p, wrongUsage(fmt.Errorf("reproduce: %w", err))
	}
	return p, nil
}

func (o reproduceOptions) run(cmd *cobra.Command, p claim.Paper) error {
	profile, err := profileNamed(p, o.profile)
	if err != nil {
		return err
	}
	if err := o.cluster.check(cmd); err != nil {
		return err
	}
	onCluster := o.cluster.engine != engineLocal
	if onCluster && len(o.only) > 0 {
		return wrongUsage(fmt.Errorf("--only has no meaning with --engine %s, which trains the models of all rows",
			o.cluster.engine))
	}
	rows, err := claim.Select(p.Rows(profile), o.only)
	if err != nil {
		return wrongUsage(fmt.Errorf("--only: %w", err))
	}
	command := o.command(p)
	if o.out == "" {
		o.out = filepath.Join("reports", strings.ReplaceAll(p.Name, " ", "-")+"-"+string(profile))
	}
	if err := notAFile("--out", o.out); err != nil {
		return err
	}
	if onCluster {
		return o.onCluster(cmd, p, profile, rows)
	}
	kept := fmt.Sprintf("interrupted; the models trained so far are in %s; continue with `%s`", o.out, command)
	interrupt.Keep(cmd.Context(), kept)
	claims, written, err := o.reproduce(cmd, rows, report.New(p, profile, rows, o.workers, command))
	if err != nil {
		return explained(err, kept)
	}
	if wantsJSON(cmd) {
		return printJSON(cmd, map[string]any{"claims": claims, "report": written})
	}
	return o.print(cmd, claims, written)
}

// profileNamed returns the profile of a paper with the given name.
func profileNamed(p claim.Paper, name string) (claim.Profile, error) {
	profile, err := claim.ParseProfile(name)
	if err == nil {
		err = p.Offers(profile)
	}
	if err != nil {
		return "", wrongUsage(fmt.Errorf("--profile: %w", err))
	}
	return profile, nil
}

// explained returns an error of a reproduction with what to do about it. kept is the text
// for an interruption.
func explained(err error, kept string) error {
	var folder *report.FolderError
	switch {
	case errors.Is(err, run.ErrInterrupted) || errors.Is(err, context.Canceled):
		return &interrupt.Error{Text: kept, Cause: err}
	case errors.As(err, &folder):
		return wrongUsage(fmt.Errorf("--out: %w; give another folder for the report", err))
	}
	return err
}

// command returns the command line that repeats this one.
func (o reproduceOptions) command(p claim.Paper) string {
	words := []string{"foretell", "reproduce", p.Name}
	if len(o.only) > 0 {
		words = append(words, "--only", strings.Join(o.only, ","))
	}
	if o.profile != string(claim.Quick) {
		words = append(words, "--profile", o.profile)
	}
	if o.out != "" {
		words = append(words, "--out", text.ShellWord(o.out))
	}
	return strings.Join(words, " ")
}

// reproduce tests the rows, with a progress bar from the first training run on.
func (o reproduceOptions) reproduce(
	cmd *cobra.Command, rows []claim.Row, r report.Report,
) (claims []claim.Claim, path string, err error) {
	stderr := cmd.ErrOrStderr()
	study := &claim.Study{Out: o.out, Workers: o.workers}
	var bar *progress.Bar
	row := "" // id of the row under test
	study.Progress = func(at claim.Progress) {
		if bar == nil {
			if o.unnamed != "" {
				printMessage(stderr, "%s", o.unnamed)
			}
			bar = progress.NewWithTests(
				stderr, terminal.Width, at.AllSteps, at.AllProducts, at.AllWork, "steps", timer)
		}
		switch began := at.Row != row; {
		case at.Row == "":
			bar.AdvanceUneven(at.Steps, at.Products, at.Label)
		case began:
			bar.BeginTest(at.Label)
		default:
			bar.AdvanceTests(at.Work, at.Label)
		}
		row = at.Row
	}
	study.Notice = func(note string) {
		if bar == nil {
			printMessage(stderr, "note: %s", note)
		} else {
			bar.Say("note: %s", text.Message(note))
		}
	}
	study.Finished = func(claims []claim.Claim, _ []string) error {
		if bar != nil {
			bar.SayBriefly("%s", report.Line(claims[len(claims)-1]))
		}
		return nil
	}
	claims, path, err = report.Reproduce(cmd.Context(), study, rows, r)
	if bar != nil {
		bar.Finish()
	}
	return claims, path, err
}

// print prints a line for each claim, or all of it with --verbose, and the report's path.
func (o reproduceOptions) print(cmd *cobra.Command, claims []claim.Claim, written string) error {
	stdout, write := cmd.OutOrStdout(), report.Table
	if o.verbose {
		write = report.Details
	}
	width, _ := terminal.Width(stdout)
	err := write(stdout, claims, width, terminal.Coloured(stdout))
	printf(stdout, "report: %s\n", written)
	return err
}

// reproduceHelp explains reproductions.
//
//go:embed help/reproduce.txt
var reproduceHelp string
