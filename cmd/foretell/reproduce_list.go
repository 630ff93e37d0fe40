package main

import (
	"errors"
	"fmt"
	"io"

	"foretell/claim"
	"foretell/internal/terminal"
	"foretell/internal/text"
	"foretell/paper"
	"foretell/report"

	"github.com/spf13/cobra"
)

// printList prints the named papers, or all, with their claims.
func (o reproduceOptions) printList(cmd *cobra.Command, names []string) error {
	profile, err := claim.ParseProfile(o.profile)
	papers := paper.Papers
	if err == nil && len(names) > 0 {
		if papers, err = paper.Each(names...); err != nil {
			return wrongUsage(fmt.Errorf("reproduce: %w", err))
		}
		for _, p := range papers {
			err = errors.Join(err, p.Offers(profile))
		}
	}
	if err != nil {
		return wrongUsage(fmt.Errorf("--profile: %w", err))
	}
	list := paper.List(profile, papers...)
	return show(cmd, list, 2, func(out io.Writer) {
		for _, d := range list {
			printf(out, "%s: %s (%s, %s profile)\n", d.Name, d.Title, text.Count(len(d.Rows), "claim"), d.Profile)
			for _, row := range d.Rows {
				printf(out, "%s\t%s\n", row.ID, row.Statement)
			}
		}
	})
}

// printReports prints the reports that a folder has.
func (o reproduceOptions) printReports(cmd *cobra.Command, names []string) error {
	if len(names) > 0 {
		return wrongUsage(fmt.Errorf("--show prints what a folder holds, and takes no paper: omit %s", names[0]))
	}
	if o.show == "" {
		return wrongUsage(errors.New("--show needs a folder, such as reports"))
	}
	if err := notAFile("--show", o.show); err != nil {
		return err
	}
	list, err := report.List(o.show)
	if err != nil {
		return err
	}
	if wantsJSON(cmd) {
		return printJSON(cmd, list)
	}
	stdout := cmd.OutOrStdout()
	width, _ := terminal.Width(stdout)
	for _, one := range list {
		if one.Problem != "" {
			printf(stdout, "%s: %s\n", one.Dir, one.Problem)
			continue
		}
		printf(stdout, "%s: %s\n", one.Dir, one.Title())
		if err := report.Table(stdout, one.Claims(), width, terminal.Coloured(stdout)); err != nil {
			return err
		}
	}
	return nil
}
