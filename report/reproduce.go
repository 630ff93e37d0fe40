package report

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"foretell/claim"
	"foretell/internal/build"
	"foretell/internal/kernel"
)

// New is the report on a study of a paper's rows, before there are claims: command is the
// command line that does the same again. Its Intro speaks of published claims and of
// probes with their controls; a document without them sets one of its own.
func New(p claim.Paper, profile claim.Profile, rows []claim.Row, workers int, command string) Report {
	return Report{
		Title: p.Title,
		Intro: []string{
			"Each row is a published claim, tested by this run on models that it trained or wrote itself. " +
				"The verdict follows from the numbers by a rule that the row states; nothing is typed in.",
			"A probe is never shown alone: it is held out, weighted by the probability of each word, and stands " +
				"beside its controls. Losses stand beside the exact floor. Information is in nats.",
		},
		Source:  p.Source,
		Profile: p.SettingOf(profile),
		Environment: []Pair{
			{Name: "foretell", Value: build.Version()},
			{Name: "Go", Value: fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)},
			{Name: "instruction set", Value: kernel.ISA()},
			{Name: "workers", Value: fmt.Sprint(workers)},
			{Name: "seeds", Value: seedsOf(rows)},
			{Name: "command", Value: command},
			{Name: "date", Value: time.Now().Format("2006-01-02")},
		},
	}
}

// seedsOf lists the random seeds of the rows' trainings, neighbours as a range: "1–3,
// 1234".
func seedsOf(rows []claim.Row) string {
	var seeds []uint64
	for _, row := range rows {
		for _, t := range row.Trainings {
			seeds = append(seeds, t.Config.Train.Seed)
		}
	}
	slices.Sort(seeds)
	seeds = slices.Compact(seeds)
	var ranges []string
	for i := 0; i < len(seeds); {
		end := i
		for end+1 < len(seeds) && seeds[end+1] == seeds[end]+1 {
			end++
		}
		text := fmt.Sprint(seeds[i])
		if end > i {
			text += fmt.Sprintf("–%d", seeds[end])
		}
		ranges, i = append(ranges, text), end+1
	}
	if ranges == nil {
		return "none: nothing is trained"
	}
	return strings.Join(ranges, ", ")
}

// Reproduce tests rows and writes the report r, with their claims, into the study's
// folder after each, so that there is one from the first minute on; what r has of
// claims is replaced. It returns the claims and the path of the HTML page, "" before
// there is one; see [claim.Study.Reproduce] for errors.
func Reproduce(
	ctx context.Context, s *claim.Study, rows []claim.Row, r Report,
) (claims []claim.Claim, path string, err error) {
	after := s.Finished
	s.Finished = func(claims []claim.Claim, pending []string) (err error) {
		r.Claims, r.Pending = claims, pending
		if path, err = Write(s.Out, r); err != nil || after == nil {
			return err
		}
		return after(claims, pending)
	}
	defer func() { s.Finished = after }()
	claims, err = s.Reproduce(ctx, rows)
	return claims, path, err
}
