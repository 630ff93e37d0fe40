package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"foretell/claim"
	"foretell/internal/durable"
	"foretell/internal/limit"
)

// mostLedger is the largest size of a ledger in bytes.
const mostLedger = 256 << 20

// FolderError reports that a report cannot be written into a folder because the folder
// holds something else. The caller can write it into another folder.
type FolderError struct {
	Dir string
	Err error
}

func (e *FolderError) Error() string { return e.Dir + " " + e.Err.Error() }

// Unwrap returns the cause.
func (e *FolderError) Unwrap() error { return e.Err }

var (
	// ErrInUse is the error of [Write] and [Reproduce] while another call of either writes
	// into the folder, in this process or another.
	ErrInUse = errors.New("is being written to by another process; wait until it has ended, or choose another folder")
	// ErrOtherReport is the error if the report in a folder has a different title, source
	// or profile from the one to be written.
	ErrOtherReport = errors.New("holds another report")
)

// own lists the files and folders of a report, except for its models' runs, which have
// their own checks.
var own = []string{JSONFile, HTMLFile, MarkdownFile, figureFolder, dataFolder}

const (
	figureFolder = "figures"
	dataFolder   = "data"
)

// folder is a report's folder, locked while it is being written to.
type folder struct {
	dir    string
	unlock func()
	isNew  bool          // the folder has no report yet
	before []claim.Claim // rows of the report in the folder, each with its origin
}

// openFolder creates the folder if it does not exist, locks it and reads the report that
// it holds. If the folder has no ledger, none of the files and folders listed in foreign
// may exist in it, because a report would not have made them. The caller closes the
// folder. note is called with a message if the file system cannot lock the folder.
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

// refuse returns a [*FolderError] with the given message.
func (f *folder) refuse(format string, args ...any) error {
	return &FolderError{f.dir, fmt.Errorf(format, args...)}
}

// read completes a replacement that was interrupted and reads the rows of the folder's
// report, which must have the same title, source and profile as r.
func (f *folder) read(r Report, foreign []string) error {
	if err := f.checkNoRun(); err != nil {
		return err
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

// checkNoRun returns an error if the folder is the folder of a run.
func (f *folder) checkNoRun() error {
	if _, err := os.Stat(f.path("config.yaml")); err == nil {
		return f.refuse("holds a run")
	}
	return nil
}

// compare returns an error if the folder's ledger belongs to another report than r.
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

// checkRegular returns an error if one of the files exists and is not a regular file but
// a link, a device or a folder.
func (f *folder) checkRegular(files ...string) error {
	for _, name := range files {
		if info, err := os.Lstat(f.path(name)); err == nil && !info.Mode().IsRegular() {
			return f.refuse("holds %s, which is not a regular file", name)
		}
	}
	return nil
}

// ledger reads the folder's [JSONFile]. If there is no such file, it returns nil, or an
// error if the folder has a file or a folder listed in foreign.
func (f *folder) ledger(foreign []string) (*ledger, error) {
	data, err := limit.ReadFile(f.path(JSONFile), "a ledger", mostLedger)
	if errors.Is(err, os.ErrNotExist) {
		return nil, f.checkNone(foreign)
	}
	if err != nil {
		return nil, err
	}
	l, err := parseLedger(data)
	if err != nil {
		return nil, f.refuse("holds %w", err)
	}
	return l, nil
}

// checkNone returns an error if one of the names in foreign is a file or a non-empty
// folder.
func (f *folder) checkNone(foreign []string) error {
	for _, name := range foreign {
		entries, notFolder := os.ReadDir(f.path(name))
		_, missing := os.Lstat(f.path(name))
		if len(entries) > 0 || notFolder != nil && missing == nil {
			return f.refuse("holds %s, but not the %s of a report", name, JSONFile)
		}
	}
	return nil
}

// origin returns the date, command and version that produced the rows of a ledger.
func (l *ledger) origin() claim.Origin {
	value := func(name string) string {
		if i := slices.IndexFunc(l.Environment, func(p Pair) bool { return p.Name == name }); i >= 0 {
			return l.Environment[i].Value
		}
		return ""
	}
	return claim.Origin{Date: value(dateName), Command: value(commandName), Version: value(versionName)}
}

// has reports whether the report in the folder has the row with the given id.
func (f *folder) has(id string) bool {
	return slices.ContainsFunc(f.before, func(c claim.Claim) bool { return c.ID == id })
}

// checkKept checks that each row in f.before still has its figures and data files. A row
// that has lost one is dropped from f.before if it is in tested, and so will be tested
// again. For any other such row checkKept returns an error.
func (f *folder) checkKept(tested []string) error {
	whole := f.before[:0]
	for _, c := range f.before {
		_, err := Report{Claims: []claim.Claim{c}}.HTML(f.dir)
		if err == nil {
			whole = append(whole, c)
		} else if !slices.Contains(tested, c.ID) {
			return f.refuse("cannot keep its row %s (%w); test this row again, too", c.ID, err)
		}
	}
	f.before = whole
	return nil
}
