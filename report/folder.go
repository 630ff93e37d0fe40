package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"foretell/claim"
	"foretell/internal/durable"
	"foretell/internal/exactjson"
	"foretell/internal/limit"
)

// mostLedger bounds the bytes of a ledger.
const mostLedger = 256 << 20

// FolderError says why a folder cannot have the report that it was to have: what it holds
// is not this report's. Another folder can.
type FolderError struct {
	Dir string
	Err error
}

func (e *FolderError) Error() string { return e.Dir + " " + e.Err.Error() }

// Unwrap returns the cause.
func (e *FolderError) Unwrap() error { return e.Err }

var (
	// ErrInUse is the error of [Write] and [Reproduce] while another of them writes into
	// the folder, in this process or in another.
	ErrInUse = errors.New("is being written to by another process; wait until it has ended, or give another folder")
	// ErrOtherReport says of a folder that its report has another title, source or
	// profile than the one that was to come there.
	ErrOtherReport = errors.New("holds another report")
)

// own are the files and folders of a report, beside the runs of its models, which say
// for themselves what they are.
var own = []string{JSONFile, HTMLFile, MarkdownFile, figureFolder, dataFolder}

const (
	figureFolder = "figures"
	dataFolder   = "data"
)

// folder is a report's folder while it is written to.
type folder struct {
	dir    string
	unlock func()
	isNew  bool          // there is no report
	before []claim.Claim // rows of the report that stands there, with what is known of their origin
}

// openFolder makes a folder if need be, takes it for the report r, and looks at what it
// holds: where there is no ledger, the files and folders foreign are nobody's to write
// over. Its caller closes it. note gets a line where the folder cannot be locked.
func openFolder(dir string, r Report, note func(text string), foreign ...string) (*folder, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	unlock, err := durable.Lock(dir, note)
	if errors.Is(err, durable.ErrLocked) {
		return nil, fmt.Errorf("%s %w", dir, ErrInUse)
	}
	if err != nil {
		return nil, err
	}
	f := &folder{dir: dir, unlock: unlock}
	if err := f.read(r, foreign); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (f *folder) close() { f.unlock() }

func (f *folder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

// refuse is the error of what the folder holds.
func (f *folder) refuse(format string, args ...any) error {
	return &FolderError{f.dir, fmt.Errorf(format, args...)}
}

// read finishes what a kill has left, and takes over the rows of the report that is
// there, which must be the same as r but for its rows.
func (f *folder) read(r Report, foreign []string) error {
	if _, err := os.Stat(f.path("config.yaml")); err == nil {
		return f.refuse("holds a run")
	}
	if err := f.checkRegular(append(r.lossFiles(), JSONFile, HTMLFile, MarkdownFile, dataGuide)...); err != nil {
		return err
	}
	if err := f.finish(); err != nil {
		return err
	}
	l, err := f.ledger(foreign)
	if err != nil {
		return err
	}
	if l != nil {
		err = f.compare(*l, r)
	}
	if err != nil {
		return err
	}
	for _, sub := range []string{".", figureFolder, dataFolder} {
		if err := durable.CleanTemporaries(f.path(sub)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if f.isNew = l == nil; f.isNew {
		return nil
	}
	origin := l.origin()
	for _, c := range l.Claims {
		if err := f.checkRegular(slices.Concat(c.Figures, c.Data)...); err != nil {
			return err
		}
		if c.Before == nil {
			c.Before = &origin
		}
		f.before = append(f.before, c)
	}
	return nil
}

// compare returns an error where the ledger of the folder is not of the report r.
func (f *folder) compare(l ledger, r Report) error {
	for _, is := range []struct{ what, theirs, ours string }{
		{"title", l.Title, r.Title}, {"source", l.Source, r.Source}, {"profile", l.Profile, r.Profile},
	} {
		if is.theirs != is.ours {
			return f.refuse("%w: its %s is %.100q, not %.100q", ErrOtherReport, is.what, is.theirs, is.ours)
		}
	}
	return nil
}

// checkRegular returns an error where a link, a device, a folder or the like has the name
// of a report's file.
func (f *folder) checkRegular(files ...string) error {
	for _, name := range files {
		if info, err := os.Lstat(f.path(name)); err == nil && !info.Mode().IsRegular() {
			return f.refuse("holds %s, which is no regular file", name)
		}
	}
	return nil
}

// ledger reads the folder's [JSONFile]. Without one, what is foreign must not be there.
func (f *folder) ledger(foreign []string) (*ledger, error) {
	data, err := limit.ReadFile(f.path(JSONFile), "a ledger", mostLedger)
	if errors.Is(err, os.ErrNotExist) {
		return nil, f.checkNone(foreign)
	}
	if err != nil {
		return nil, err
	}
	var l ledger
	err = exactjson.Unmarshal(data, &l)
	if err == nil && (l.Report == "" || l.Claims == nil || l.Pending == nil) {
		err = errors.New("title, claims or pending is missing")
	}
	if err == nil {
		err = Report{Claims: l.Claims, Pending: l.Pending}.check()
	}
	if err != nil {
		return nil, f.refuse("holds a %s that is no report's (%w)", JSONFile, err)
	}
	return &l, nil
}

// checkNone returns an error if there is a file, or a folder that is not empty, with a
// name of the report's.
func (f *folder) checkNone(foreign []string) error {
	for _, name := range foreign {
		entries, err := os.ReadDir(f.path(name))
		if len(entries) > 0 {
			return f.refuse("holds %s, which is no report's: there is no %s", name, JSONFile)
		}
		if err == nil {
			continue
		}
		if _, err := os.Lstat(f.path(name)); err == nil {
			return f.refuse("holds %s, which is no report's: there is no %s", name, JSONFile)
		}
	}
	return nil
}

// origin says by what the rows of a ledger were found.
func (l *ledger) origin() claim.Origin {
	value := func(name string) string {
		if i := slices.IndexFunc(l.Environment, func(p Pair) bool { return p.Name == name }); i >= 0 {
			return l.Environment[i].Value
		}
		return ""
	}
	return claim.Origin{Date: value(dateName), Command: value(commandName), Version: value(versionName)}
}

// has says whether the report that is there has a row.
func (f *folder) has(id string) bool {
	return slices.ContainsFunc(f.before, func(c claim.Claim) bool { return c.ID == id })
}

// checkKept returns an error if a row that is to be kept, which is one that is not in
// tested, has lost a figure or a file of data. One that is tested again is forgotten.
func (f *folder) checkKept(tested []string) error {
	whole := f.before[:0]
	for _, c := range f.before {
		_, err := Report{Claims: []claim.Claim{c}}.HTML(f.dir)
		if err == nil {
			whole = append(whole, c)
		} else if !slices.Contains(tested, c.ID) {
			return f.refuse("cannot keep its row %s (%w); test that, too", c.ID, err)
		}
	}
	f.before = whole
	return nil
}
