package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"foretell/claim"
	"foretell/internal/durable"
)

// Report holds the results of a reproduction and how they were obtained.
//
// Title, Intro, Profile and the texts of the claims, except for the cells of
// tables, may mark `code` between backticks and *emphasis* between asterisks that
// touch its first and last letter. An asterisk or a backtick without its
// partner, as in a*b, is literal.
type Report struct {
	Title   string   // such as "Constrained belief updates: Mess3"
	Source  string   // the document whose claims these are, such as "Piotrowski et al. 2025, TITLE (AUTHORS, YEAR)"
	Intro   []string // paragraphs that explain what the report is and how to read it
	Profile string   // settings in words, such as "quick: 2 million tokens a model"

	Environment []Pair // what the numbers depend on, in the order shown; see [New]

	Claims  []claim.Claim
	Pending []string // ids of the rows that are not finished yet

	// Order, if not nil, lists the ids of all rows of the document in order. A report
	// that keeps rows of an earlier one shows its rows in this order.
	Order []string

	// The training runs of all rows of the document. The report shows the learning curves
	// of the runs that its folder has. Without training runs it shows no curves.
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
// [JSONFile], and returns the path of the HTML file. Figures and data that the claims
// name must be in dir already. Each file is replaced as a whole or not at all, and
// nothing is written if any of the three cannot be made.
//
// A report that is already in dir must have the same title, source and profile. Write
// keeps each row of that report for which r has no claim, even if the row is pending,
// and marks it with the date and the command that found it. If dir holds another
// report, a run, or files of these names that belong to no report, the error is a
// [*FolderError]; if another process is writing a report into dir, it is [ErrInUse].
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

// write writes the three files into the folder dir. Each figure and data file is read
// from the first of the folders listed in from that has it. Figures of losses that the
// previous page showed and the new page does not show are removed.
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

// fault returns the error if a file of a claim cannot be read.
func fault(claim, path string, err error) error {
	var pathError *os.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err // the cause alone: the message has the path already
	}
	return fmt.Errorf("report: claim %s: %s: %w", claim, path, err)
}
