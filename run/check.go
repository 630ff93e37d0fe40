package run

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"foretell/internal/durable"
	"foretell/internal/text"
	"foretell/model"
	"foretell/train"
)

// Report is the result of [Check] for a run's folder.
type Report struct {
	Dir      string    `json:"run"`
	Step     int       `json:"step"`           // step of the latest checkpoint; 0 without a checkpoint
	Steps    int       `json:"steps"`          // number of steps of the whole run
	Rows     int       `json:"rows"`           // number of rows in metrics.jsonl
	Complete bool      `json:"complete"`       // whether the run has reached its last step, or has stopped early
	Stop     *Chosen   `json:"stop,omitempty"` // which model train.stop has chosen for a complete run; else nil
	Problems []Problem `json:"problems"`       // empty if everything is as it was written
	Notes    []string  `json:"notes"`          // remarks that are not problems, such as what could not be checked
}

// Problem is something in a run's folder that differs from what the run wrote.
type Problem struct {
	Path string `json:"path"`
	Text string `json:"problem"`
}

func (p Problem) String() string { return p.Path + ": " + p.Text }

// String returns the run's progress, if known, and the number of problems.
func (r Report) String() string {
	switch n := len(r.Problems); {
	case r.Steps == 0:
		return fmt.Sprintf("%s: %s", r.Dir, text.Count(n, "problem"))
	case n > 0:
		return fmt.Sprintf("%s: step %d of %d, %s", r.Dir, r.Step, r.Steps, text.Count(n, "problem"))
	}
	if r.Stop != nil {
		return fmt.Sprintf("%s: %s; all files are intact", r.Dir, r.Stop)
	}
	return fmt.Sprintf("%s: step %d of %d, all files are intact", r.Dir, r.Step, r.Steps)
}

// Print writes a line for each problem, a line for each note and a line for the run.
func (r Report) Print(out io.Writer) {
	for _, p := range r.Problems {
		text.Fprintf(out, "%s\n", p)
	}
	for _, note := range r.Notes {
		text.Fprintf(out, "%s: note: %s\n", r.Dir, note)
	}
	text.Fprintf(out, "%s\n", r)
}

// Reports are the reports on several runs.
type Reports []Report

// CheckAll checks several runs.
func CheckAll(dirs []string) Reports {
	list := make(Reports, len(dirs))
	for i, dir := range dirs {
		list[i] = Check(dir)
	}
	return list
}

// Print writes the reports as text, see [Report.Print].
func (l Reports) Print(out io.Writer) {
	for _, r := range l {
		r.Print(out)
	}
}

// Err returns an error with the number of runs that have problems, nil if no run has any.
func (l Reports) Err() error {
	bad := slices.DeleteFunc(slices.Clone(l), func(r Report) bool { return len(r.Problems) == 0 })
	if len(bad) == 0 {
		return nil
	}
	return fmt.Errorf("problems in %d of %s", len(bad), text.Count(len(l), "run"))
}

// Check verifies everything in a run's folder: each file against its hash in another
// file, the rows of metrics.jsonl against each other, and the set of rows and snapshots
// that should exist. It writes nothing. Check also works on a run that is being trained.
// It cannot verify what no checkpoint covers yet, such as rows and snapshots after the
// latest checkpoint.
func Check(dir string) Report {
	c := checker{Report: Report{Dir: dir, Problems: []Problem{}, Notes: []string{}}}
	config, text, err := readConfig(dir, nil)
	if errors.As(err, new(*ByCodeError)) { // the check does not need the process itself
		err = nil
	}
	switch {
	case text == nil:
		c.problem("", err)
		return c.Report
	case hasModel(dir) && checkOneModel(dir) == nil:
		c.problem("", checkNoModel(dir))
		return c.Report
	case err != nil:
		c.problem(model.ConfigFile, err)
		c.note(configFirst)
		return c.Report
	}
	c.config, c.configHash, c.Steps = config, hexHash(text), config.Train.NumSteps
	if err := c.checkConfig(); err != nil {
		c.problem(model.ConfigFile, err)
		c.note(configFirst)
		return c.Report
	}
	newest, _, _ := newestState(dir, c.configHash) // any error is reported when the checkpoints are read
	c.past = newest.past(c.configHash)
	c.checkPast()
	_, err = readProvenance(dir, c.configHash, c.past)
	c.problem(envFile, err)
	states := c.readStates() // read before the rows, so that the rows of a run that continues are at least as new
	_, err = os.Lstat(filepath.Join(dir, summaryFile))
	c.Complete = err == nil && len(states) > 0 && c.Step == c.schedule().last()
	if c.Complete {
		c.Stop = states[0].chosen(config.Train)
	}
	c.checkLog(states)
	c.checkSnapshots(states)
	c.checkEnd(states)
	c.checkOthers()
	return c.Report
}

// configFirst is the note on a run whose config.yaml has been changed. All other files
// are bound to config.yaml by its hash, so they would be reported as files of another
// run.
const configFirst = "nothing else can be checked until " + model.ConfigFile + " is restored"

// checker is the state of one call of [Check].
type checker struct {
	Report
	config     train.Config
	configHash string
	past       []phase
	stopped    int // see schedule
	rows       []Row
}

// problem records what is wrong with a file, if err is not nil.
func (c *checker) problem(name string, err error) {
	if err == nil {
		return
	}
	path, text := filepath.Join(c.Dir, name), err.Error()
	var system *fs.PathError
	if errors.As(err, &system) {
		path, text = system.Path, system.Err.Error()
	}
	for _, prefix := range []string{path, filepath.Base(path)} {
		if rest, named := strings.CutPrefix(text, prefix); named {
			text = strings.TrimLeft(rest, ": ")
		}
	}
	c.Problems = append(c.Problems, Problem{path, text})
}

func (c *checker) problemf(name, text string, args ...any) {
	c.problem(name, fmt.Errorf(text, args...))
}

func (c *checker) note(text string, args ...any) {
	if text = fmt.Sprintf(text, args...); !slices.Contains(c.Notes, text) {
		c.Notes = append(c.Notes, text)
	}
}

// checkConfig returns an error if there are checkpoints and all of them were made with
// another config.yaml.
func (c *checker) checkConfig() error {
	steps, _ := checkpoints(filepath.Join(c.Dir, checkpointDir)) // any error is reported when the checkpoints are read
	for _, step := range steps {
		_, err := readStateOf(filepath.Join(c.Dir, checkpointDir, stepName(step)), c.configHash)
		if !errors.Is(err, errOtherConfig) {
			return nil
		}
	}
	if len(steps) == 0 {
		return nil
	}
	return errors.New("it has been changed since the checkpoints were made")
}

func (c *checker) schedule() schedule { return schedule{c.past, c.config.Train, c.stopped} }

// checkPast reconstructs each earlier config.yaml of an extended run from the present
// config.yaml and the changes recorded in the checkpoints, and compares its hash with the
// recorded hash.
func (c *checker) checkPast() {
	for i, p := range c.past {
		next := c.config.Train
		if i+1 < len(c.past) {
			next = c.past[i+1].in(next)
		}
		change := p.changeTo(next)
		config := c.config
		config.Train = p.in(config.Train)
		text, err := config.YAML()
		if err != nil || hexHash(text) != p.ConfigSHA256 {
			c.note("%s; only the SHA-256 of the earlier %s is known, since this version writes the file differently",
				change, model.ConfigFile)
			continue
		}
		c.note("%s", change)
	}
}

// readStates reads and verifies all checkpoints. It returns the states of the intact
// ones, the latest first.
func (c *checker) readStates() (states []state) {
	steps, err := checkpoints(filepath.Join(c.Dir, checkpointDir))
	c.problem(checkpointDir, err)
	for _, step := range steps {
		name := filepath.Join(checkpointDir, stepName(step))
		s, err := verifyCheckpoint(filepath.Join(c.Dir, name), c.configHash, c.config)
		if _, gone := os.Lstat(filepath.Join(c.Dir, name)); gone != nil {
			continue // the run has continued and removed this checkpoint
		}
		if err != nil {
			c.problem(name, err)
			continue
		}
		states = append(states, s)
		if note := s.otherEngines(); note != "" {
			c.note("%s", note)
		}
	}
	if len(states) > 0 {
		c.Step, c.stopped = states[0].Step, states[0].stoppedAt(c.config.Train)
	}
	return states
}

// checkLog verifies the rows of metrics.jsonl against each other and against each
// checkpoint.
func (c *checker) checkLog(states []state) {
	log, err := durable.ReadLog(filepath.Join(c.Dir, metricsFile), originOf(c.past, c.configHash))
	if errors.Is(err, fs.ErrNotExist) && len(states) == 0 {
		return // the run has just begun
	}
	if err == nil {
		c.rows, err = decodeRows(log)
	}
	if err != nil {
		c.problem(metricsFile, err)
		return
	}
	c.Rows = len(c.rows)
	beyond := len(states) == 0 || len(c.rows) >= states[0].rows() && log.Damage != "" && c.Step < c.schedule().last()
	switch {
	case log.Damage == "":
	case beyond && !log.Cut:
		c.problemf(metricsFile, "%s, after the latest checkpoint: those rows will be computed again", log.Damage)
	case beyond:
		c.note("%s: %s, after the latest checkpoint, as a kill may leave it: those rows will be computed again",
			metricsFile, log.Damage)
	default:
		c.problemf(metricsFile, "%s", log.Damage)
	}
	for _, s := range states {
		if err := s.checkRows(log); err != nil && (log.Damage == "" || beyond) {
			c.problem(filepath.Join(checkpointDir, stepName(s.Step)), err)
		}
	}
	if log.Damage == "" || beyond {
		c.checkSteps(states)
	}
}

// checkSteps verifies that metrics.jsonl has exactly one row for each step at which the
// run evaluates, up to the latest checkpoint.
func (c *checker) checkSteps(states []state) {
	end := c.Step // the row for this step itself may be missing if the run was interrupted
	if c.Complete {
		end++
	}
	if missing := missingSteps(c.rows, c.schedule(), end); len(states) > 0 && len(missing) > 0 {
		text := fmt.Sprintf("it has no row for step %d", missing[0])
		if n := len(missing); n > 1 {
			text = fmt.Sprintf("%d rows are missing, for steps %d to %d", n, missing[0], missing[n-1])
		}
		c.problemf(metricsFile, "%s", text)
	}
	for i, row := range c.rows {
		if i > 0 && row.Step <= c.rows[i-1].Step || !c.schedule().evaluates(row.Step) {
			c.problemf(metricsFile, "line %d is an unexpected row for step %d", i+1, row.Step)
		}
	}
}

// checkSnapshots verifies the snapshots that the latest checkpoint lists, and that there
// are no other snapshots up to its step.
func (c *checker) checkSnapshots(states []state) {
	if len(states) == 0 {
		return
	}
	s := states[0]
	for _, step := range slices.Sorted(maps.Keys(s.Snapshots)) {
		if _, err := readSnapshot(c.Dir, step, s.Snapshots[step], c.config.Model); err != nil {
			c.problem(snapshotName(step), err)
		}
	}
	for _, step := range keptSnapshots(c.Dir) {
		if s.Snapshots[step] == "" && (step <= s.Step || c.Step == c.schedule().last()) {
			c.problemf(snapshotName(step), "no checkpoint lists it")
		}
	}
}

// checkEnd verifies summary.json.
func (c *checker) checkEnd(states []state) {
	_, err := os.Lstat(filepath.Join(c.Dir, summaryFile))
	last := c.schedule().last()
	switch n := len(c.rows); {
	case c.Complete && n > 0 && c.rows[n-1].Step == last:
		c.problem(summaryFile, checkSummary(c.Dir, states[0].summary(c.rows[n-1], c.config.Train)))
	case err == nil && !c.Complete:
		c.problemf(summaryFile, "it exists, but there is no intact checkpoint of the last step, %d", last)
	case err != nil && len(states) > 0 && c.Step == last:
		c.note("%s is not written yet; resuming the run writes it", summaryFile)
	}
}

// checkOthers reports files in the run's folders that the run did not write.
func (c *checker) checkOthers() {
	var unfinished []string
	folders := []string{"", checkpointDir, snapshotDir}
	steps, _ := checkpoints(filepath.Join(c.Dir, checkpointDir)) // an error has already been reported
	for _, step := range steps {
		folders = append(folders, filepath.Join(checkpointDir, stepName(step)))
	}
	for _, folder := range folders {
		entries, err := os.ReadDir(filepath.Join(c.Dir, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			c.problem(folder, err)
		}
		for _, e := range entries {
			name := filepath.Join(folder, e.Name())
			switch {
			case durable.IsTemporary(e.Name()):
				unfinished = append(unfinished, name)
			case name == model.WeightsFile:
				c.problemf(name, "it does not belong to the run; move it away")
			case !isRuns(folder, e):
				c.note("%s does not belong to the run", name)
			}
		}
	}
	if len(unfinished) > 0 {
		c.note("temporary files, being written or left by a kill; resuming the run removes them: %s",
			strings.Join(unfinished, ", "))
	}
}

// isRuns reports whether an entry of a folder has the name and type of something that a
// run writes there.
func isRuns(folder string, e fs.DirEntry) bool {
	name := e.Name()
	switch {
	case folder == checkpointDir:
		_, isStep := stepOf(name)
		return e.IsDir() && isStep
	case filepath.Dir(folder) == checkpointDir:
		return slices.Contains([]string{model.WeightsFile, bestFile, optimizerFile, stateFile}, name)
	case folder == snapshotDir:
		name, isSnapshot := strings.CutSuffix(name, snapshotSuffix)
		_, isStep := stepOf(name)
		return isSnapshot && isStep
	}
	return slices.Contains([]string{
		model.ConfigFile, envFile, metricsFile, summaryFile, divergedFile, checkpointDir, snapshotDir,
	}, name)
}
