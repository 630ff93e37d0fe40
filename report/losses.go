package report

import (
	"fmt"
	"path/filepath"

	"foretell/claim"
	"foretell/internal/page"
)

// Files of the losses of a report's models, which the ledger does not list.
const (
	lossFigure = figureFolder + "/loss.svg"
	lossData   = dataFolder + "/loss.csv"
)

// learned is how the models of a report learned, with its files.
type learned struct {
	*claim.Losses
	figure, data []byte
	content      claim.Content
}

// learned reads the losses of the report's trainings from the last of the folders, which
// has their runs; nil where there are none.
func (r Report) learned(from []string) (*learned, error) {
	losses := claim.ReadLosses(from[len(from)-1], r.Trainings)
	if losses == nil {
		return nil, nil
	}
	l := &learned{Losses: losses}
	var err error
	if l.figure, err = losses.Figure().SVG(); err != nil {
		return nil, fmt.Errorf("report: %s: %w", lossFigure, err)
	}
	l.data, l.content = losses.CSV(lossData)
	return l, nil
}

// shownLosses is what the page shows of the losses.
type shownLosses struct {
	Plate *plate
	Data  file
}

// losses puts the losses among the plates of the page; nil for none.
func (g *gallery) losses(l *learned) (*shownLosses, error) {
	if l == nil {
		return nil, nil
	}
	d, err := page.ReadDrawing(l.figure)
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", lossFigure, err)
	}
	return &shownLosses{
		Plate: &plate{
			Name: "Figure: losses", Anchor: "plate-loss", Caption: markup(l.Caption()), File: newFile(lossFigure, len(l.figure)),
			Width: d.Width, SVG: g.classes.Inline(d),
		},
		Data: newFile(lossData, len(l.data)),
	}, nil
}

func newFile(path string, size int) file {
	return file{Path: clean(filepath.ToSlash(path)), Href: href(path), Size: bytesize(int64(size))}
}

// losses writes the losses, if there are any.
func (m *markdown) losses(l *learned) {
	if l == nil {
		return
	}
	m.heading(2, lossTitle)
	m.paragraph(fmt.Sprintf("![%s](%s)", lossTitle, target(lossFigure)))
	m.paragraph(prose(l.Caption()))
	m.paragraph("Data: [" + literal(lossData) + "](" + target(lossData) + ")")
}

// lossTitle heads the losses.
const lossTitle = "How the models learned"
