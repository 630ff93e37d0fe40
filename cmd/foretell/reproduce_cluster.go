package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"foretell/claim"
	"foretell/cluster"
	"foretell/internal/interrupt"
	"foretell/internal/text"
	"foretell/paper"
	"foretell/report"
	"foretell/sweep"

	"github.com/spf13/cobra"
)

// onCluster submits the training runs of a paper that are missing, and tests the rows
// whose runs are complete and which the report lacks.
func (o reproduceOptions) onCluster(
	cmd *cobra.Command, p claim.Paper, profile claim.Profile, rows []claim.Row,
) error {
	m, err := report.Trainings(p, profile, rows)
	if err != nil {
		return err
	}
	words := append([]string{"reproduce", "task", "--profile", string(profile)}, strings.Fields(p.Name)...)
	job, err := o.cluster.job(o.out, m, taskWorkers(cmd, o.workers), "foretell reproduce", append(words, "--out")...)
	if err != nil {
		return err
	}
	if o.cluster.print {
		return o.cluster.show(cmd, job)
	}
	r := report.New(p, profile, rows, o.workers, lineGiven(cmd))
	if _, _, err := report.Judged(o.out, rows, r); err != nil {
		return explained(err, "")
	}
	study, err := sweep.Begin(o.out, m, nil)
	if err != nil {
		return err
	}
	if o.cluster.engine == engineKubernetes {
		return o.cluster.show(cmd, job)
	}
	done, states, err := study.Submit(cmd.Context(), cluster.Slurm{}, job)
	if err != nil {
		return err
	}
	done.Print(cmd.ErrOrStderr(), o.out)
	found, err := o.judge(cmd, rows, r, states)
	if err != nil {
		return explained(err, "interrupted; the same command continues")
	}
	found.Tasks = done
	if err := o.printReproduced(cmd, found); err != nil {
		return err
	}
	failures, diverged := sweep.Failures(states)
	for _, line := range failures {
		printMessage(cmd.ErrOrStderr(), "%s", line)
	}
	if diverged > 0 {
		return fmt.Errorf("%s diverged; the rows that need these models cannot be tested", text.Count(diverged, "run"))
	}
	return nil
}

// reproduced is what `reproduce --engine slurm` prints.
type reproduced struct {
	Claims  []claim.Claim      `json:"claims"`  // of the whole report
	Report  string             `json:"report"`  // path of the page; empty if no row has been tested
	Waiting []claim.Waiting    `json:"waiting"` // rows whose models are not all trained
	Tasks   *cluster.Submitted `json:"tasks"`
}

// judge tests the rows whose runs are complete and which the report lacks.
func (o reproduceOptions) judge(
	cmd *cobra.Command, rows []claim.Row, r report.Report, states []sweep.Progress,
) (found reproduced, err error) {
	ready, waiting, err := report.Ready(o.out, rows, r, states)
	if err != nil {
		return found, err
	}
	if len(ready) > 0 {
		interrupt.Keep(cmd.Context(), "interrupted; the same command continues")
		if _, _, err := o.reproduce(cmd, ready, r); err != nil {
			return found, err
		}
	}
	found.Claims, _, err = report.Judged(o.out, rows, r)
	found.Waiting = append([]claim.Waiting{}, waiting...)
	if len(found.Claims) > 0 {
		found.Report = filepath.Join(o.out, report.HTMLFile)
	}
	return found, err
}

// printReproduced prints the claims of the report, and what the other rows wait for.
func (o reproduceOptions) printReproduced(cmd *cobra.Command, found reproduced) error {
	if wantsJSON(cmd) {
		found.Claims = append([]claim.Claim{}, found.Claims...)
		return printJSON(cmd, found)
	}
	if len(found.Claims) > 0 {
		if err := o.print(cmd, found.Claims, found.Report); err != nil {
			return err
		}
	}
	for _, w := range found.Waiting {
		printf(cmd.OutOrStdout(), "%s waits for %s\n", w.ID, text.Count(len(w.Runs), "run"))
	}
	return nil
}

func newReproduceTask() *cobra.Command {
	var task taskOptions
	var profileName, out string
	cmd := &cobra.Command{
		Use: "task PAPER…", Short: "Train the models of one task of a cluster", Hidden: true,
		Example: "  foretell reproduce task abc --out reports/abc-full --profile full --task 3 --attempt 17_3.0",
		Args:    arguments(1, len(paper.Papers), "PAPERs, such as mess3"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := papersNamed(args)
			if err != nil {
				return err
			}
			profile, err := profileNamed(p, profileName)
			if err != nil {
				return err
			}
			study, err := sweep.Open(out)
			if err != nil {
				return err
			}
			m, err := report.Trainings(p, profile, p.Rows(profile))
			if err == nil {
				study, err = study.With(m)
			}
			if err != nil {
				return err
			}
			return task.train(cmd, study)
		},
	}
	cmd.Flags().StringVar(&profileName, "profile", string(claim.Quick), "the profile")
	cmd.Flags().StringVar(&out, "out", "", "the report's `folder`")
	task.addTo(cmd)
	return cmd
}
