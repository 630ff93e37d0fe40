package inspect

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"foretell/document"
	"foretell/figure"
	"foretell/model"
	"foretell/run"
	"foretell/train"
)

// written returns an answer in one of its forms.
func written(forms document.Forms, ending string) ([]byte, error) {
	var b bytes.Buffer
	err := forms.Write(&b, ending)
	return b.Bytes(), err
}

// svg is a figure, which must be one.
func svg(t *testing.T, f *figure.Figure, err error) []byte {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	text, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// tiny trains a run of a few steps in a folder.
func tiny(t *testing.T, dir string, change func(*train.Config)) {
	t.Helper()
	c := train.Config{
		Process: train.ProcessConfig{Name: "mess3"},
		Model:   model.Config{DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: 4},
		Train:   train.Options{Seed: 1, BatchSize: 8, NumSteps: 6, LR: 1e-2, EvaluateEvery: 3, EvaluateSequences: 16},
	}
	change(&c)
	c, err := c.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	watch := run.Watch{"norm of W_U": func(m *model.Transformer[float32]) (float64, error) { return 2, nil }}
	if _, err := run.Ensure(t.Context(), dir, c, run.Options{Workers: 1, Watch: watch}); err != nil {
		t.Fatal(err)
	}
}

func asIs(*train.Config) {}

// external is what a page of one file may not have: anything that loads.
var external = regexp.MustCompile(`https?://|@import|url\(|<(img|link|iframe|object|embed)\b|\ssrc=`)

// checkOffline fails where a page may load something.
func checkOffline(t *testing.T, html []byte) {
	t.Helper()
	text := strings.ReplaceAll(string(html), `xmlns="http://www.w3.org/2000/svg"`, "")
	text = strings.ReplaceAll(text, `xmlns="http://www.w3.org/1998/Math/MathML"`, "")
	if at := external.FindString(text); at != "" {
		t.Errorf("the page may load something: %q", at)
	}
}
