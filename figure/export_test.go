package figure

import "testing"

// CheckDocument demands of a figure's SVG what every figure of the gallery has to have:
// that it is read out, keeps to its colours, and has no text over another.
func CheckDocument(t *testing.T, f *Figure) (doc []byte, texts []string) {
	t.Helper()
	root, doc := render(t, f)
	checkAccessible(t, root, f)
	checkInk(t, doc)
	checkText(t, root)
	root.walk(func(n node) {
		if n.XMLName.Local == "text" {
			texts = append(texts, n.Text)
		}
	})
	return doc, texts
}
