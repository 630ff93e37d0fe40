package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"foretell/claim"
	"foretell/internal/durable"
)

// Report is what a reproduction found, and how.
//
// Title, Intro, Profile and the texts of the claims, except for the cells of
// tables, may mark `code` between backticks and *emphasis* between asterisks that
// touch its first and last letter. An asterisk or a backtick without its
// partner, as in a*b, stands for itself.
type Report struct {
	Title   string   // such as "Constrained belief updates: Mess3"
	Source  string   // the document whose claims these are, such as "Piotrowski et al. 2025, TITLE (AUTHORS, YEAR)"
	Intro   []string // paragraphs on what this is and how to read it
	Profile string   // settings in words, such as "quick: 2 million tokens a model"

	Environment []Pair // what the numbers depend on, in this order: version, Go, CPU, seeds, command

	Claims  []claim.Claim
	Pending []string // ids of the rows that are not finished yet

	// Order, if not nil, lists the ids of all rows of the document, for reports to which
	// rows are added: that is the order of a report with rows of before.
	Order []string

	// Trainings, if not nil, are those of all rows of the document: the report shows how
	// those of them learned whose runs its folder has.
	Trainings []claim.Training
}

// Pair is a named value.
type Pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Names of the files that [Write] makes.
const (
	HTMLFile     = "report.html"
	MarkdownFile = "report.md"
	JSONFile     = "claims.json"
)

// Write writes the report into the folder dir as [HTMLFile], [MarkdownFile] and
// [JSONFile], and returns the path of the first. Figures and data that the claims
// name must stand in dir already. Each file is replaced whole or not at all, and
// nothing is written if any of the three cannot be made.
//
// A report that is there must have the same title, source and profile. Its rows of which
// r has no claims, be they pending, stay in it, and say when and by what command they
// were found. Another report in the folder, a run, and files of these names that are no
// report's are a [*FolderError]; a folder that another process writes a report into is
// [ErrInUse].
func Write(dir string, r Report) (path string, err error) {
	f, err := openFolder(dir, r, func(string) {}, append(r.lossFiles(), JSONFile, HTMLFile, MarkdownFile, dataGuide)...)
	if err != nil {
		return "", err
	}
	defer f.close()
	if err := f.checkKept(append(claimIDs(r.Claims), r.Pending...)); err != nil {
		return "", err
	}
	if err := merge(r, f.before).write(f.dir, f.dir); err != nil {
		return "", err
	}
	return f.path(HTMLFile), nil
}

// write makes the three files in a folder. Figures and data are read from the first of
// the folders from that has them. Figures of losses that the page before has shown and
// this does not are removed.
func (r Report) write(dir string, from ...string) error {
	before := lossesShown(dir)
	how, err := r.learned(from)
	if err != nil {
		return err
	}
	page, err := r.html(how, from)
	if err != nil {
		return err
	}
	text, err := r.markdown(how)
	if err != nil {
		return err
	}
	ledger, err := r.JSON(HTMLFile)
	if err != nil {
		return err
	}
	type file struct {
		name string
		data []byte
	}
	var files []file
	if how != nil {
		for i, drawn := range how.figures {
			files = append(files, file{lossFigure(i), drawn})
		}
		files = append(files, file{lossData, how.data})
	}
	if guide := r.guide(how); guide != nil {
		files = append(files, file{dataGuide, guide})
	}
	files = append(files, file{JSONFile, ledger}, file{MarkdownFile, text}, file{HTMLFile, page})
	for _, file := range files {
		path := filepath.Join(dir, filepath.FromSlash(file.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := durable.WriteFile(path, file.data); err != nil {
			return err
		}
	}
	return dropLosses(dir, before)
}

// fault says which file of which claim cannot be read.
func fault(claim, path string, err error) error {
	var pathError *os.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err // the operation and the path are said already
	}
	return fmt.Errorf("report: claim %s: %s: %w", claim, path, err)
}
