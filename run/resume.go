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

// Resume opens the run in a folder where it stopped: at its latest intact
// checkpoint, or at the beginning if there is none yet. If every checkpoint is
// damaged, or the run is open elsewhere, that is an error; if steps would be added to
// those of another engine without [Options.AllowOtherEngine], an [*EngineError]. It
// is an error, too, when ctx ends before.
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

// restore brings the run to where its folder says that it stopped. What lies beyond
// that goes: it comes again, the same.
func (r *Run) restore() error {
	if err := r.clean(); err != nil {
		return err
	}
	newest, _, _ := newestState(r.Dir, r.configHash) // an error shows when the checkpoints are read
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
	if err := r.cleanRemains(); err != nil {
		return err
	}
	if err := r.dropBeyond(); err != nil {
		return err
	}
	if r.saved < 0 { // the run begins anew
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
	fellBack := len(notes) > 0 && r.saved < r.Config.Train.NumSteps // which says why it is unfinished
	if note := r.summaryNote(); note != "" && !fellBack {
		notes = append(notes, note)
	}
	if note := r.provenanceNote(); note != "" {
		notes = append(notes, note)
	}
	r.note(notes)
	return nil
}

// restoreCheckpoint goes to the latest intact checkpoint whose rows of metrics.jsonl
// are whole: from there all that is missing comes again. Only where there is none, the
// latest one will do whatever its rows are, and whole is false.
func (r *Run) restoreCheckpoint(log durable.Contents) (s state, whole bool, notes []string, err error) {
	for _, whole := range []bool{true, false} {
		also := func(s state) error {
			if whole {
				return s.checkRows(log, r.schedule())
			}
			return nil
		}
		r.saved, notes, err = latestIntact(filepath.Join(r.Dir, checkpointDir), func(dir string) (err error) {
			s, err = r.readCheckpoint(dir, also)
			return err
		})
		switch {
		case err != nil:
			return s, false, nil, err
		case r.saved >= 0 && len(notes) > 0:
			notes = append(notes, fmt.Sprintf("going on from %s instead", stepName(r.saved)))
		}
		if r.saved >= 0 || len(notes) == 0 { // none at all: the run begins
			if note := s.note(); note != "" && r.saved >= 0 {
				notes = append(notes, note)
			}
			return s, whole, notes, nil
		}
	}
	return s, false, nil, fmt.Errorf("%s has no intact checkpoint: %s", r.Dir, strings.Join(notes, "; "))
}

// checkEarlier says which checkpoints before the one that the run goes on from could not
// stand in for it.
func (r *Run) checkEarlier(log durable.Contents, whole bool) (notes []string) {
	dir := filepath.Join(r.Dir, checkpointDir)
	steps, _ := checkpoints(dir)
	for _, step := range steps {
		if step >= r.saved {
			continue
		}
		path := filepath.Join(dir, stepName(step))
		s, err := verifyCheckpoint(path, r.configHash, r.Config)
		if err == nil && whole { // otherwise none is
			err = s.checkRows(log, r.schedule())
		}
		if err != nil {
			notes = append(notes, fmt.Sprintf("checkpoint %s, which is not needed, is not usable: %v", stepName(step), err))
		}
	}
	return notes
}

// dropBeyond removes the checkpoints after the one that the run goes on from, which
// are damaged, and the snapshots after it.
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

// restoreLog drops the rows of metrics.jsonl that lie beyond the checkpoint. Where those
// up to it are not whole, the ones that it vouches for are kept, it is bound to these,
// and the user is told which are lost. A file that is not as a run left it is kept aside.
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
	if err == nil && !whole && s.Format >= 2 {
		err = r.bindAnew(s.Chain)
	}
	if lost := r.lost(); lost != "" {
		notes = append(notes, lost+kept)
	} else if !whole {
		notes = append(notes, fmt.Sprintf("%s was not as it was at step %d; its row of that step comes again%s",
			metricsFile, r.saved, kept))
	}
	return notes, err
}

// takeRows takes the rows up to the checkpoint that it vouches for. One of before rows
// were chained vouches for all whose steps follow each other.
func (r *Run) takeRows(s state, log durable.Contents) {
	end := len(log.Rows)
	if s.Format >= 2 {
		end = s.ownRows(log.Chain)
	}
	for _, data := range log.Rows[:end] {
		var row Row
		if json.Unmarshal(data, &row) != nil || row.Step <= r.logged() || row.Step > r.saved {
			break
		}
		r.rows = append(r.rows, row)
	}
}

// oddRows says what follows the checkpoint's rows that a run does not leave there; it is
// empty where nothing does but rows of later steps, and one that a kill has cut off.
func (r *Run) oddRows(log durable.Contents) string {
	odd := log.Damage
	if log.Cut {
		odd = ""
	}
	last := r.saved
	if r.logged() < last {
		last-- // a checkpoint may be without its own step's row, which came later
	}
	for i := len(r.rows); i < len(log.Rows); i++ {
		var row Row
		if json.Unmarshal(log.Rows[i], &row) != nil || row.Step <= last || !r.schedule().evaluates(row.Step) {
			odd = fmt.Sprintf("line %d is not this run's", i+1)
			break
		}
		last = row.Step
	}
	if odd == "" || r.saved < 0 {
		return ""
	}
	return fmt.Sprintf("%s goes on in a strange way after step %d: %s; what is beyond that step comes again",
		metricsFile, r.saved, odd)
}

// bindAnew binds the checkpoint that the run goes on from, whose chain is given, and
// those before it that are of this chain, to the rows that are left.
func (r *Run) bindAnew(chain string) error {
	dir := filepath.Join(r.Dir, checkpointDir)
	steps, err := checkpoints(dir)
	if err != nil {
		return err
	}
	for _, step := range steps {
		s, err := readStateOf(filepath.Join(dir, stepName(step)), r.configHash)
		if err != nil || s.Format < 2 || !strings.HasPrefix(chain, s.Chain) {
			continue // it has been said that this one is not usable
		}
		s.Chain = s.Chain[:s.ownRows(r.log.Chain())*durable.ChecksumDigits]
		text, err := s.text()
		if err != nil {
			return err
		}
		if err := r.write(filepath.Join(checkpointDir, stepName(step), stateFile), text); err != nil {
			return err
		}
	}
	return nil
}

// lost says which rows before the checkpoint there are no more, now or since an earlier
// life; it is empty if all are there.
func (r *Run) lost() string {
	missing := missingSteps(r.rows, r.schedule(), r.saved)
	switch len(missing) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%s is damaged or cut off: its row of step %d is lost", metricsFile, missing[0])
	}
	return fmt.Sprintf("%s is damaged or cut off: its rows of steps %d to %d are lost",
		metricsFile, missing[0], missing[len(missing)-1])
}
