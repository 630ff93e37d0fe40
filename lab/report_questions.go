//go:build !js

package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"foretell/claim"
	"foretell/document"
	"foretell/internal/text"
	"foretell/paper"
	"foretell/report"
)

var reportQuestions = []named{
	{"papers", func() Question { return &Papers{} }},
	{"ledger", func() Question { return &Ledger{} }},
}

var reportActs = map[string]act{
	"reproduce": acting(func(e *Engine, q Reproduction) (any, error) { return e.Reproduce(q) }),
	"stop":      acting(func(e *Engine, r Reported) (any, error) { return r, e.Stop(r) }),
}

// Papers asks for documents and their claims: for one, or for all that have the profile.
// Profile is empty for the default.
type Papers struct {
	Document string        `json:"document,omitempty"`
	Profile  claim.Profile `json:"profile,omitempty"`
}

// Command implements [Question].
func (q *Papers) Command(Folders) []string {
	words := []string{"reproduce"}
	if q.Document != "" {
		words = append(words, q.Document)
	}
	words = append(words, "--list")
	if q.Profile != "" {
		words = append(words, "--profile", string(q.Profile))
	}
	return words
}

func (q *Papers) answer(context.Context, *Engine) (Answer, error) {
	profile, papers := claim.Profiles[0], paper.Papers
	var err error
	if q.Profile != "" {
		profile, err = claim.ParseProfile(string(q.Profile))
	}
	if err == nil && q.Document != "" {
		var p claim.Paper
		p, err = Reported{q.Document, profile}.paper()
		papers = []claim.Paper{p}
	}
	if err != nil {
		return Answer{}, err
	}
	list := paper.List(profile, papers...)
	return Answer{list, document.Forms{".json": document.JSON(list)}}, nil
}

// Reported names a report: a document under a profile. Profile is empty for the default.
type Reported struct {
	Document string        `json:"document,omitempty"`
	Profile  claim.Profile `json:"profile,omitempty"`
}

// paper returns the document, which must have the profile.
func (r Reported) paper() (p claim.Paper, err error) {
	if r.Document == "" {
		return p, errors.New("the name of a document is missing, such as mess3")
	}
	p, err = paper.Named(r.Document)
	if err == nil && r.Profile != "" {
		_, err = claim.ParseProfile(string(r.Profile))
	}
	if err == nil {
		err = p.Offers(r.Profile)
	}
	return p, err
}

// profile returns the profile, or the default.
func (r Reported) profile() claim.Profile {
	if r.Profile == "" {
		return claim.Profiles[0]
	}
	return r.Profile
}

// folder returns the name of the report's folder, which `foretell reproduce` gives it.
func (r Reported) folder() string { return r.Document + "-" + string(r.profile()) }

// Ledger asks for the claims of a report, or of all reports. The answer is empty if there
// is no such report yet. File is a figure or a data file of a claim, for a form with its
// ending.
type Ledger struct {
	Reported
	File string `json:"file,omitempty"`
}

// Command implements [Question].
func (q *Ledger) Command(at Folders) []string { return []string{"reproduce", "--show", q.dir(at)} }

// dir returns the folder of the report, or of all reports.
func (q *Ledger) dir(at Folders) string {
	if q.Document == "" {
		return at.Reports
	}
	return filepath.Join(at.Reports, q.folder())
}

func (q *Ledger) answer(_ context.Context, e *Engine) (Answer, error) {
	if q.Document != "" || q.File != "" {
		if _, err := q.paper(); err != nil {
			return Answer{}, err
		}
		if err := e.checkFolder(q.folder()); err != nil {
			return Answer{}, err
		}
	}
	if q.File != "" {
		return q.file(e)
	}
	list, err := report.List(q.dir(e.Folders))
	return Answer{list, document.Forms{".json": document.JSON(list)}}, err
}

// file returns a file of a claim as the only form.
func (q *Ledger) file(e *Engine) (Answer, error) {
	data, err := report.File(q.dir(e.Folders), q.File)
	if err != nil {
		return Answer{}, err
	}
	return fileAnswer(path.Ext(q.File), data), nil
}

// checkFolder returns an error if the folder of a report exists and is something else,
// such as a link that could lead out of the folder of reports.
func (e *Engine) checkFolder(name string) error {
	if info, err := os.Lstat(filepath.Join(e.Reports, name)); err == nil && !info.IsDir() {
		return fmt.Errorf("%s below %s is not a folder", name, e.Reports)
	}
	return nil
}

// Reproduction asks to recompute a claim of a document. It is the command
//
//	foretell reproduce DOCUMENT --only ID --profile PROFILE --out FOLDER
type Reproduction struct {
	Reported
	ID string `json:"id"`
}

// Work is the recomputation of a claim.
type Work struct {
	State   WorkState `json:"state"`
	ID      string    `json:"id,omitempty"`      // of the claim
	Command string    `json:"command,omitempty"` // what computes it
	Line    string    `json:"line,omitempty"`    // how far it is, in words
	Problem string    `json:"problem,omitempty"` // why it has failed
}

// WorkState says what happens to a report.
type WorkState string

// The states of a report.
const (
	Computing WorkState = "computing" // a process of this laboratory recomputes a claim
	Idle      WorkState = "idle"      // no process of this laboratory does
	Broken    WorkState = "failed"    // the last process has ended with an error
)

// Reproduce begins to recompute a claim, in a separate process, and does not wait for it.
// Only one claim of a report is recomputed at a time.
func (e *Engine) Reproduce(q Reproduction) (w Work, err error) {
	p, err := q.paper()
	if err == nil && q.ID == "" {
		err = errors.New("the id of a claim is missing, such as M1")
	}
	if err == nil {
		_, err = claim.Select(p.Rows(q.profile()), []string{q.ID})
	}
	if err == nil {
		err = e.checkFolder(q.folder())
	}
	if err != nil {
		return w, err
	}
	if now, _ := e.work(q.folder()); now.State == Computing && now.ID != q.ID {
		return w, fmt.Errorf("%s of this report is being recomputed; wait for it, or stop it", now.ID)
	}
	args := []string{
		"reproduce", q.Document, "--only", q.ID, "--profile", string(q.profile()),
		"--out", filepath.Join(e.Reports, q.folder()),
	}
	if err = e.reproductions.start(q.folder(), "", args...); err != nil {
		return w, err
	}
	w, _ = e.work(q.folder())
	return w, nil
}

// Stop asks the process that recomputes a claim of a report to end. Models that it has
// trained are kept.
func (e *Engine) Stop(r Reported) error {
	if _, err := r.paper(); err != nil {
		return err
	}
	return e.reproductions.interrupt(r.folder())
}

// work returns what happens to the report in a folder, and a channel that is closed when
// that may have changed.
func (e *Engine) work(folder string) (w Work, changed <-chan struct{}) {
	j := e.reproductions
	j.mu.Lock()
	defer j.mu.Unlock()
	w.State, w.Problem = Idle, j.failed[folder]
	if w.Problem != "" {
		w.State = Broken
	}
	if one := j.live[folder]; one != nil {
		w = Work{State: Computing, ID: one.args[3], Line: one.said.last()}
		w.Command = "foretell " + text.ShellLine(one.args...)
	}
	return w, j.changed
}

// checkReport returns an error unless a name is the name of a report's folder.
func checkReport(name string) error {
	for _, p := range paper.Papers {
		for _, profile := range claim.ProfileNames() {
			if name == (Reported{p.Name, claim.Profile(profile)}).folder() {
				return nil
			}
		}
	}
	return fmt.Errorf("%.100q is not the folder of a report, such as mess3-quick", name)
}

// followReport sends the events of a report's folder.
func (e *Engine) followReport(ctx context.Context, name string, send sender, wait waiter) error {
	for {
		work, changed := e.work(name)
		if err := send("job", -1, work); err != nil {
			return err
		}
		if !wait(ctx, changed) {
			return ctx.Err()
		}
	}
}
