package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"foretell/internal/durable"
)

// Resume opens the run in a folder at its latest intact checkpoint, or at the beginning
// if it has no checkpoint yet. It returns an error if every checkpoint is damaged, if the
// run is open elsewhere, or if ctx ends first. It returns an [*EngineError] if another
// engine computed the steps so far, unless [Options.AllowOtherEngine] is set.
func Resume(ctx context.Context, dir string, o Options) (*Run, error) {
	if err := checkNoModel(dir); err != nil {
		return nil, err
	}
	c, text, err := readConfig(dir, o.ByCode)
	if err != nil {
		return nil, err
	}
	t, err := newTrainer(ctx, dir, c, o)
	if err != nil {
		return nil, err
	}
	r := newRun(t, dir, o)
	r.config, r.configHash = text, hexHash(text)
	if err := r.own(r.restore); err != nil {
		return nil, err
	}
	return r, nil
}

// restore restores the run to the state in its folder. Anything after the restored
// checkpoint is removed, because it will be computed again with the same bits.
func (r *Run) restore() error {
	if err := r.clean(); err != nil {
		return err
	}
	newest, _, _ := newestState(r.Dir, r.configHash) // any error is reported when the checkpoints are read
	r.past = newest.past(r.configHash)
	log, err := durable.ReadLog(filepath.Join(r.Dir, metricsFile), r.chainOrigin())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	s, whole, notes, err := r.restoreCheckpoint(log)
	if err != nil {
		return err
	}
	if err := r.takeEngines(s); err != nil {
		return err
	}
	notes = append(notes, r.checkEarlier(log, whole)...)
	if err := r.dropBeyond(); err != nil {
		return err
	}
	if r.saved < 0 { // the run begins again
		if err := r.keepFirst(); err != nil {
			return err
		}
	}
	more, err := r.restoreSnapshots(s)
	if err != nil {
		return err
	}
	notes = append(notes, more...)
	if more, err = r.restoreLog(s, log, whole); err != nil {
		return err
	}
	notes = append(notes, more...)
	fellBack := len(notes) > 0 && r.saved < r.last() // the notes already explain why the run is unfinished
	if note := r.summaryNote(); note != "" && !fellBack {
		notes = append(notes, note)
	}
	if note := r.provenanceNote(); note != "" {
		notes = append(notes, note)
	}
	r.note(notes)
	return nil
}

// restoreCheckpoint restores the latest intact checkpoint whose rows of metrics.jsonl are
// intact: everything after it will be computed again. If no checkpoint qualifies, it
// restores the latest intact checkpoint, whatever its rows, and returns false for whole.
func (r *Run) restoreCheckpoint(log durable.Contents) (s state, whole bool, notes []string, err error) {
	for _, whole := range []bool{true, false} {
		accept := func(s state) error {
			if whole {
				return s.checkRows(log)
			}
			return nil
		}
		r.saved, notes, err = latestIntact(filepath.Join(r.Dir, checkpointDir), func(dir string) (err error) {
			s, err = r.readCheckpoint(dir, accept)
			return err
		})
		switch {
		case err != nil:
			return s, false, nil, err
		case r.saved >= 0 && len(notes) > 0:
			notes = append(notes, fmt.Sprintf("resuming from %s instead", stepName(r.saved)))
		}
		if r.saved >= 0 || len(notes) == 0 { // no checkpoint at all: the run begins
			return s, whole, notes, nil
		}
	}
	return s, false, nil, fmt.Errorf("%s has no intact checkpoint: %s", r.Dir, strings.Join(notes, "; "))
}

// checkEarlier describes the earlier checkpoints that are damaged and so could not serve
// as a fallback.
func (r *Run) checkEarlier(log durable.Contents, whole bool) (notes []string) {
	dir := filepath.Join(r.Dir, checkpointDir)
	steps, _ := checkpoints(dir)
	for _, step := range steps {
		if step >= r.saved {
			continue
		}
		path := filepath.Join(dir, stepName(step))
		s, err := verifyCheckpoint(path, r.configHash, r.Config)
		if err == nil && whole { // if not whole, no checkpoint has intact rows
			err = s.checkRows(log)
		}
		if err != nil {
			notes = append(notes, fmt.Sprintf("checkpoint %s is not usable, but not needed: %v", stepName(step), err))
		}
	}
	return notes
}

// dropBeyond removes damaged checkpoints after the one that the run resumes from, and the
// snapshots after it.
func (r *Run) dropBeyond() error {
	if r.saved >= 0 {
		if err := pruneCheckpoints(filepath.Join(r.Dir, checkpointDir), r.saved); err != nil {
			return err
		}
	}
	for _, step := range keptSnapshots(r.Dir) {
		if first := step == 0 && r.Config.Train.Init != ""; first || step <= r.saved {
			continue
		}
		if err := os.Remove(snapshotFile(r.Dir, step)); err != nil {
			return err
		}
	}
	return nil
}

// restoreLog removes the rows of metrics.jsonl after the checkpoint. If the earlier rows
// are damaged, it keeps the rows that the checkpoint verifies, binds the checkpoint to
// them (see bindAnew), and returns notes on the lost rows. A file that somebody else has
// changed is set aside.
func (r *Run) restoreLog(s state, log durable.Contents, whole bool) (notes []string, err error) {
	r.takeRows(s, log)
	path, aside := filepath.Join(r.Dir, metricsFile), ""
	odd := r.oddRows(log)
	if all := len(r.rows) == len(log.Rows) && log.Damage == ""; all || whole && odd == "" {
		err = durable.TruncateLog(path, r.chainOrigin(), len(r.rows))
	} else if aside, err = durable.SetAside(path); err == nil {
		err = durable.WriteLog(path, r.chainOrigin(), log.Rows[:len(r.rows)])
	}
	kept := ""
	if aside != "" {
		kept = "; it is kept as " + filepath.Base(aside)
	}
	if whole && odd != "" {
		notes = append(notes, odd+kept)
	}
	if err == nil {
		r.log, err = durable.OpenLog(path, r.chainOrigin())
	}
	if err == nil && !whole {
		err = r.bindAnew(s.Chain)
	}
	if lost := r.lost(); lost != "" {
		notes = append(notes, lost+kept)
	} else if !whole {
		notes = append(notes, fmt.Sprintf("%s has changed since step %d; its row for that step will be computed "+
			"again%s", metricsFile, r.saved, kept))
	}
	return notes, err
}

// takeRows sets r.rows to the rows up to the checkpoint whose checksums the checkpoint
// records.
func (r *Run) takeRows(s state, log durable.Contents) {
	for _, data := range log.Rows[:s.ownRows(log.Chain)] {
		var row Row
		if json.Unmarshal(data, &row) != nil || row.Step <= r.logged() || row.Step > r.saved {
			break
		}
		r.rows = append(r.rows, row)
	}
}

// oddRows describes anything after the checkpoint's rows that the run did not write. It
// returns "" if only rows of later steps follow, and at most one row that a kill cut
// off.
func (r *Run) oddRows(log durable.Contents) string {
	odd := log.Damage
	if log.Cut {
		odd = ""
	}
	last := r.saved
	if r.logged() < last {
		last-- // a checkpoint may lack the row for its step, which is written later
	}
	for i := len(r.rows); i < len(log.Rows); i++ {
		var row Row
		if json.Unmarshal(log.Rows[i], &row) != nil || row.Step <= last || !r.schedule().evaluates(row.Step) {
			odd = fmt.Sprintf("line %d does not belong to this run", i+1)
			break
		}
		last = row.Step
	}
	if odd == "" || r.saved < 0 {
		return ""
	}
	return fmt.Sprintf("%s is inconsistent after step %d: %s; later steps will be computed again",
		metricsFile, r.saved, odd)
}

// bindAnew rewrites the checkpoint that the run resumes from, which has the given chain
// of row checksums, so that it lists only the checksums of the remaining rows. It does
// the same for earlier checkpoints of the same chain.
func (r *Run) bindAnew(chain string) error {
	return r.restate(func(s *state) bool {
		if !strings.HasPrefix(chain, s.Chain) {
			return false // already reported as unusable
		}
		s.Chain = s.Chain[:s.ownRows(r.log.Chain())*durable.ChecksumDigits]
		return true
	})
}

// restate writes the state files of the run's checkpoints again, as the function change
// leaves them. It leaves out checkpoints for which change returns false, and those that
// cannot be read, which are already reported as unusable.
func (r *Run) restate(change func(s *state) bool) error {
	steps, err := checkpoints(filepath.Join(r.Dir, checkpointDir))
	if err != nil {
		return err
	}
	for _, step := range steps {
		name := filepath.Join(checkpointDir, stepName(step))
		s, err := readStateOf(filepath.Join(r.Dir, name), r.configHash)
		if err != nil || !change(&s) {
			continue
		}
		text, err := s.text()
		if err != nil {
			return err
		}
		if err := r.write(filepath.Join(name, stateFile), text); err != nil {
			return err
		}
	}
	return nil
}

// lost describes the rows before the checkpoint that are missing, now or since an earlier
// session; "" if all are there.
func (r *Run) lost() string {
	missing := missingSteps(r.rows, r.schedule(), r.saved)
	switch len(missing) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%s is damaged or cut off: its row for step %d is lost", metricsFile, missing[0])
	}
	return fmt.Sprintf("%s is damaged or cut off: its rows for steps %d to %d are lost",
		metricsFile, missing[0], missing[len(missing)-1])
}
