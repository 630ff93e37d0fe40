package report

import (
	"path"
	"path/filepath"

	"foretell/internal/limit"
)

const (
	mostPublished = 60 << 10 // largest size of a published figure in bytes
	mostResults   = 6 << 20  // largest size of all published results in bytes
)

// takeFigure keeps the first of the result's figures that can be published, and adds its
// contents to figures, by its path below the folder of results. document is the name of
// the document.
func (x *result) takeFigure(folder, document string, figures map[string][]byte) error {
	files, captions := x.Claim.Figures, x.Claim.Captions
	x.Claim.Figures, x.Claim.Captions = []string{}, []string{}
	for i, file := range files {
		data, err := limit.ReadFile(filepath.Join(folder, filepath.FromSlash(file)), "a figure", mostLedger)
		if err != nil {
			return err
		}
		small := shrink(data, mostPublished)
		if len(small) > mostPublished {
			if x.LeftOut == nil {
				x.LeftOut = &leftOut{file, len(data)}
			}
			continue
		}
		name := path.Join(document, path.Base(file))
		figures[name] = small
		x.Claim.Figures, x.Claim.Captions, x.LeftOut = []string{name}, captions[i:i+1], nil
		x.Coarse = len(small) < len(data)
		return nil
	}
	return nil
}
