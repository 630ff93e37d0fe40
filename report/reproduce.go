package report

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"foretell/claim"
	"foretell/internal/build"
	"foretell/internal/durable"
	"foretell/internal/kernel"
)

// Names of the values in Report.Environment that become a row's [claim.Origin] when a
// later command adds rows to the report.
const (
	versionName = "foretell"
	commandName = "command"
	dateName    = "date"
)

// New returns the report on a study of a paper's rows, still without claims. command is
// the command line that repeats the study. The Intro explains published claims, probes
// and controls; callers whose document has no such claims set another Intro.
func New(p claim.Paper, profile claim.Profile, rows []claim.Row, workers int, command string) Report {
	var order []string
	var trainings []claim.Training
	for _, row := range p.Rows(profile) {
		order = append(order, row.ID)
		trainings = append(trainings, row.Trainings...)
	}
	return Report{
		Title: p.Title,
		Intro: []string{
			"Each row is a published claim, or a claim beyond the document. This run tested it on models that it " +
				"trained itself or whose weights it set by hand. A rule, stated in the row, turns the numbers into " +
				"the verdict; no verdict is entered by hand. If a rule was changed after a result was known, the " +
				"row also has the rule as it was first committed, and what this first rule says about the same " +
				"numbers.",
			"Probes are evaluated on held-out sequences, each weighted by its probability, and are always shown " +
				"next to their controls. Losses are shown next to the exact floor, the least possible loss. " +
				"Information is in nats.",
			"± and ranges are 95 % intervals over models with different random seeds, unless a number is exact. " +
				"“4 of 5: 0.43” means that 4 of 5 models have the effect, 0.43 on average. A condition whose models " +
				"have not converged is open, and the other conditions are judged without it; a claim does not hold " +
				"by fewer than half of its conditions. A correction is cosmetic if nothing that is computed " +
				"changes, local if one place is wrong, and consequential if what is built from it computes " +
				"something else. The headline counts the verdicts on the document's claims. The additional, " +
				"stricter questions below each claim are not counted.",
		},
		Source:    p.Source,
		Profile:   p.SettingOf(profile),
		Order:     order,
		Trainings: trainings,
		Environment: []Pair{
			{Name: versionName, Value: build.Version()},
			{Name: "Go", Value: fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)},
			{Name: "instruction set", Value: kernel.ISA()},
			{Name: "workers", Value: fmt.Sprint(workers)},
			{Name: "seeds", Value: seedsOf(rows)},
			{Name: commandName, Value: command},
			{Name: dateName, Value: time.Now().Format("2006-01-02")},
		},
	}
}

// seedsOf lists the random seeds of the rows' training runs, consecutive seeds as a
// range: "1–3, 1234".
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
		return "none: no models are trained"
	}
	return strings.Join(ranges, ", ")
}

// Reproduce tests rows and, after each, writes the report r with the claims so far into
// the study's folder. It writes a first report before the first row. Claims and Pending
// of r are ignored. Reproduce returns the claims and the path of the HTML page; see
// [claim.Study.Reproduce] for errors.
//
// Reproduce locks the folder while it runs, and refuses the same folders as [Write]; it
// also refuses a folder that has figures or data but no ledger. Rows of a report that
// is already there are kept, marked with the date on which they were found. Rows that
// are tested again keep their old results, figures and data until the last row is
// finished, and are then replaced all at once: after an interruption, an error or a
// kill the folder has the old results and the rows that are new.
func Reproduce(
	ctx context.Context, s *claim.Study, rows []claim.Row, r Report,
) (claims []claim.Claim, path string, err error) {
	r.Claims, r.Pending = nil, nil
	for _, row := range rows {
		r.Pending = append(r.Pending, row.ID)
	}
	f, err := openFolder(s.Out, r, notice(s), own...)
	if err != nil {
		return nil, "", err
	}
	defer f.close()
	if err := f.begin(s, r); err != nil {
		return nil, "", err
	}
	test := func(staged string) (err error) {
		claims, err = f.reproduce(ctx, s, rows, r, staged)
		return err
	}
	if !slices.ContainsFunc(r.Pending, f.has) {
		err = test(f.dir)
	} else if err = durable.Dir(f.path(replacement), test); err == nil {
		err = f.finish()
	}
	return claims, f.path(HTMLFile), err
}

// Judged returns the claims of the report in a folder, nil if there is no report yet, and
// the rows that the report does not have or has by another rule. It changes nothing. Its
// errors about the folder are the same as the errors of [Reproduce].
func Judged(dir string, rows []claim.Row, r Report) (claims []claim.Claim, missing []claim.Row, err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, rows, nil
	}
	f := &folder{dir: dir}
	if err := f.checkNoRun(); err != nil {
		return nil, nil, err
	}
	l, err := f.ledger(own)
	if err == nil && l != nil {
		err, claims = f.compare(*l, r), l.Claims
	}
	if err != nil {
		return nil, nil, err
	}
	for _, row := range rows {
		same := func(c claim.Claim) bool {
			return c.ID == row.ID && c.Expected == row.Expected && c.RuleCommit == row.RuleCommit
		}
		if !slices.ContainsFunc(claims, same) {
			missing = append(missing, row)
		}
	}
	return claims, missing, nil
}

// notice returns the study's Notice function, or one that does nothing if it is nil.
func notice(s *claim.Study) func(text string) {
	if s.Notice == nil {
		return func(string) {}
	}
	return s.Notice
}

// begin writes the first report into a new folder, and otherwise notes which rows of the
// folder's report are kept.
func (f *folder) begin(s *claim.Study, r Report) error {
	if err := f.checkKept(r.Pending); err != nil {
		return err
	}
	if f.isNew {
		return r.write(f.dir, f.dir)
	}
	others := slices.DeleteFunc(claimIDs(f.before), func(id string) bool { return slices.Contains(r.Pending, id) })
	if len(others) > 0 {
		notice(s)(f.path(HTMLFile) + " keeps the rows of earlier commands: " + strings.Join(others, ", "))
	}
	return nil
}

// reproduce tests rows. The figures and data of rows that the folder's report already has
// are written to another folder, staged, and so is the whole report after the last row.
// Until then the folder's report shows the old results of these rows.
func (f *folder) reproduce(
	ctx context.Context, s *claim.Study, rows []claim.Row, r Report, staged string,
) ([]claim.Claim, error) {
	finished, into := s.Finished, s.Into
	defer func() { s.Finished, s.Into = finished, into }()
	s.Into = func(id string) string {
		if f.has(id) {
			return staged
		}
		return f.dir
	}
	s.Finished = func(claims []claim.Claim, pending []string) error {
		r.Claims, r.Pending = claims, pending
		if err := f.show(r, staged); err != nil || finished == nil {
			return err
		}
		return finished(claims, pending)
	}
	return s.Reproduce(ctx, rows)
}

// show writes the report after a row. After the last row it writes all results to the
// folder whose path is staged. Before that, it adds the results of new rows to the report
// in f.
func (f *folder) show(r Report, staged string) error {
	if len(r.Pending) == 0 {
		return merge(r, f.before).write(staged, staged, f.dir)
	}
	if f.has(r.Claims[len(r.Claims)-1].ID) {
		return nil // the report keeps the row's old result until the last row
	}
	r.Claims = slices.DeleteFunc(slices.Clone(r.Claims), func(c claim.Claim) bool { return f.has(c.ID) })
	return merge(r, f.before).write(f.dir, f.dir)
}
