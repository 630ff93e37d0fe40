package main

import (
	"fmt"
	"runtime"
	"time"

	"foretell/internal/kernel"
	"foretell/paper"
	"foretell/report"
)

// describeReport is the report around the claims.
func describeReport(p paper.Paper, profile paper.Profile, claims []paper.Claim, pending []string, workers int, command string) report.Report {
	return report.Report{
		Title: p.Title,
		Intro: []string{
			"Each row is a published claim, tested by this run on models that it trained or wrote itself. The verdict follows from the numbers by a rule that the row states; nothing is typed in.",
			"A probe is never shown alone: it is held out, weighted by the probability of each word, and stands beside its controls. Losses stand beside the exact floor. Information is in nats.",
		},
		Source:  p.Source,
		Profile: p.Setting(profile),
		Environment: []report.Pair{
			{Name: "foretell", Value: version()},
			{Name: "Go", Value: fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)},
			{Name: "instruction set", Value: kernel.ISA()},
			{Name: "workers", Value: fmt.Sprint(workers)},
			{Name: "seed", Value: fmt.Sprint(profile.Seeds[0])},
			{Name: "command", Value: command},
			{Name: "date", Value: time.Now().Format("2006-01-02")},
		},
		Claims:  claims,
		Pending: pending,
	}
}
