package run

import (
	"path/filepath"

	"foretell/internal/exactjson"
	"foretell/internal/limit"
	"foretell/train"
)

// divergence is the contents of diverged.json, which a run writes when its loss or its
// weights have become NaN or infinite. It is for readers: a run that is resumed computes
// the same again, unless another engine does.
type divergence struct {
	Format int    `json:"format"`
	Step   int    `json:"step"` // the last step taken
	Engine int    `json:"engine"`
	Error  string `json:"error"`
}

func (r *Run) writeDivergence(d *train.DivergedError) error {
	text, err := jsonText(divergence{format, d.Step, train.BitsVersion, d.Error()})
	if err != nil {
		return err
	}
	return r.write(divergedFile, text)
}

// Divergence says why the run in a folder has diverged, or returns "" if it has not, or
// has with another engine than this program's.
func Divergence(dir string) string {
	data, err := limit.ReadFile(filepath.Join(dir, divergedFile), "a "+divergedFile, mostJSON)
	var d divergence
	if err != nil || exactjson.Unmarshal(data, &d) != nil || d.Engine != train.BitsVersion {
		return ""
	}
	return d.Error
}
