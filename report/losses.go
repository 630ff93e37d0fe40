package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/internal/limit"
)

// lossData is the file with the losses of a report's models. The ledger does not list it.
const lossData = dataFolder + "/loss.csv"

// lossFigure returns the file of the i-th figure of losses, counted from 0.
func lossFigure(i int) string {
	if i == 0 {
		return figureFolder + "/loss.svg"
	}
	return fmt.Sprintf("%s/loss-%d.svg", figureFolder, i+1)
}

// lossFiles lists all files with losses that the report can have.
func (r Report) lossFiles() []string {
	files := []string{lossData, lossFigure(0)}
	for i := 1; i < len(r.Trainings); i++ {
		files = append(files, lossFigure(i))
	}
	return files
}

// lossesShown lists the figures and data of losses that the page in a folder links to.
func lossesShown(dir string) (files []string) {
	page, err := limit.ReadFile(filepath.Join(dir, HTMLFile), "a page", mostLedger)
	if err != nil {
		return nil
	}
	shows := func(file string) bool { return bytes.Contains(page, []byte(`href="`+href(file)+`"`)) }
	for i := 0; shows(lossFigure(i)); i++ {
		files = append(files, lossFigure(i))
	}
	if shows(lossData) {
		files = append(files, lossData)
	}
	return files
}

// dropLosses removes the files that the previous page linked to, which before lists,
// except for those that the present page links to.
func dropLosses(dir string, before []string) error {
	now := lossesShown(dir)
	for _, file := range before {
		path := filepath.Join(dir, filepath.FromSlash(file))
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || slices.Contains(now, file) {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// learned holds the losses of a report's models, with the contents of their files.
type learned struct {
	*claim.Losses
	figures [][]byte
	data    []byte
	content claim.Content
}

// learned reads the losses of the report's training runs from the last folder in from,
// which is the one with the runs. It returns nil if there are no losses.
func (r Report) learned(from []string) (*learned, error) {
	losses := claim.ReadLosses(from[len(from)-1], r.Trainings)
	if losses == nil {
		return nil, nil
	}
	l := &learned{Losses: losses}
	for i, f := range losses.Figures() {
		drawn, err := f.SVG()
		if err != nil {
			return nil, fmt.Errorf("report: %s: %w", lossFigure(i), err)
		}
		l.figures = append(l.figures, drawn)
	}
	var err error
	l.data, l.content, err = losses.CSV(lossData)
	return l, err
}

// shownLosses holds the losses prepared for the page template.
type shownLosses struct {
	Plates []*plate
	Data   file
}

// losses prepares the figures of losses for the page. It returns nil if l is nil.
func (g *gallery) losses(l *learned) (*shownLosses, error) {
	if l == nil {
		return nil, nil
	}
	shown := &shownLosses{Data: newFile(lossData, len(l.data))}
	for i, drawn := range l.figures {
		d, err := document.ReadDrawing(drawn)
		if err != nil {
			return nil, fmt.Errorf("report: %s: %w", lossFigure(i), err)
		}
		p := &plate{
			Name: "Figure: losses", Anchor: "plate-loss", Caption: markup(l.Caption()),
			File: newFile(lossFigure(i), len(drawn)), Width: d.Width, SVG: g.classes.Inline(d),
		}
		if i > 0 {
			p.Name = fmt.Sprintf("%s, %d of %d", p.Name, i+1, len(l.figures))
			p.Anchor = fmt.Sprintf("%s-%d", p.Anchor, i+1)
			p.Caption = "Further models."
		}
		shown.Plates = append(shown.Plates, p)
	}
	return shown, nil
}

func newFile(path string, size int) file {
	return file{Path: clean(filepath.ToSlash(path)), Href: href(path), Size: bytesize(int64(size))}
}

// losses writes the section about the losses, unless l is nil.
func (m *markdown) losses(l *learned) {
	if l == nil {
		return
	}
	m.heading(2, lossTitle)
	for i := range l.figures {
		m.paragraph(fmt.Sprintf("![%s](%s)", lossTitle, target(lossFigure(i))))
	}
	m.paragraph(prose(l.Caption()))
	m.paragraph("Data: [" + literal(lossData) + "](" + target(lossData) + ")")
}

// lossTitle is the heading of the section about the losses.
const lossTitle = "How the models learned"
