package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"foretell/claim"
	"foretell/internal/exactjson"
	"foretell/internal/limit"
)

// Listed is a report in a folder.
type Listed struct {
	Dir     string `json:"folder"`            // as a command line names it
	Problem string `json:"problem,omitempty"` // why it cannot be read; then it has no ledger
	Ledger  ledger `json:"ledger"`            // the value of its [JSONFile]
}

// Claims returns the claims of the report.
func (l Listed) Claims() []claim.Claim { return l.Ledger.Claims }

// Title returns the title of the report.
func (l Listed) Title() string { return l.Ledger.Title }

// List returns the reports in a folder and in the folders directly below it, sorted by
// path. Nothing outside the folder is read, also not by a link. A report that cannot be
// read is listed with its problem. If the folder does not exist, the list is empty.
func List(dir string) ([]Listed, error) {
	list := []Listed{}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	below, err := fs.Glob(root.FS(), "*/"+JSONFile)
	if err != nil {
		return nil, err
	}
	for _, name := range append([]string{JSONFile}, below...) {
		if _, err := root.Lstat(name); err != nil {
			continue
		}
		one := Listed{Dir: filepath.Join(dir, path.Dir(name))}
		l, err := readIn(root, name)
		if err != nil {
			one.Problem, l = err.Error(), &ledger{}
		}
		one.Ledger = l.whole()
		list = append(list, one)
	}
	return list, nil
}

// File reads a figure or a data file that a claim of a report names; dir is the report's
// folder. Nothing outside the folder is read, also not by a link.
func File(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	l, err := readIn(root, JSONFile)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(l.Claims, func(c claim.Claim) bool {
		return slices.Contains(c.Figures, name) || slices.Contains(c.Data, name)
	}) {
		return nil, fmt.Errorf("no claim of this report names the file %.100q", name)
	}
	return readFile(root, filepath.FromSlash(name), "a file of a report", mostFile)
}

// mostFile is the largest size of a figure or a data file that [File] reads, in bytes.
const mostFile = 64 << 20

// readIn reads the ledger with a name below a folder.
func readIn(root *os.Root, name string) (*ledger, error) {
	data, err := readFile(root, name, "a ledger", mostLedger)
	if err != nil {
		return nil, err
	}
	return parseLedger(data)
}

// readFile reads a regular file below a folder.
func readFile(root *os.Root, name, what string, most int64) ([]byte, error) {
	info, err := root.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = &limit.Error{Path: name, Reason: "is not a regular file"}
	}
	if err != nil {
		return nil, err
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return limit.Read(file, name, what, most)
}

// parseLedger reads a ledger.
func parseLedger(data []byte) (*ledger, error) {
	var l ledger
	err := exactjson.Unmarshal(data, &l)
	if err == nil && (l.Report == "" || l.Claims == nil || l.Pending == nil) {
		err = errors.New("field report, claims or pending is missing")
	}
	if err == nil {
		err = Report{Claims: l.Claims, Pending: l.Pending}.check()
	}
	if err != nil {
		return nil, fmt.Errorf("a %s that is not a report's ledger (%w)", JSONFile, err)
	}
	return &l, nil
}

// whole returns the ledger without null in place of an empty list.
func (l *ledger) whole() ledger {
	whole := *l
	whole.Environment, whole.Claims, whole.Pending = list(l.Environment), slices.Clone(list(l.Claims)), list(l.Pending)
	for i, c := range whole.Claims {
		c.Figures, c.Data, c.Captions = list(c.Figures), list(c.Data), list(c.Captions)
		whole.Claims[i] = c
	}
	return whole
}
