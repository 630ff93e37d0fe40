package report

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/document"
)

// luminance is relative luminance as in WCAG 2.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	v, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 24)
	if err != nil {
		t.Fatal(err)
	}
	channel := func(shift uint) float64 {
		x := float64(v>>shift&255) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(16) + 0.7152*channel(8) + 0.0722*channel(0)
}

// TestContrast checks that every text has a contrast of 4.5:1 on all that it stands on.
func TestContrast(t *testing.T) {
	on := map[string][]string{
		"ink": {"paper", "panel"}, "soft": {"paper", "panel"}, "link": {"paper", "panel"},
	}
	for _, v := range claim.Verdicts {
		on["ink"] = append(on["ink"], string(v)+"-wash")       // the number in a cell
		on[string(v)] = []string{string(v) + "-wash", "paper"} // within a label, and in the key
	}
	for name, value := range map[string]func(document.Hue) string{
		"light": func(h document.Hue) string { return h.Light },
		"dark":  func(h document.Hue) string { return h.Dark },
	} {
		colours := map[string]float64{}
		for _, h := range slices.Concat(document.Palette, palette) {
			colours[h.Name] = luminance(t, value(h))
		}
		for text, grounds := range on {
			for _, ground := range grounds {
				a, b := colours[text], colours[ground]
				if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < 4.5 {
					t.Errorf("%s: %s on %s has a contrast of %.2f:1", name, text, ground, ratio)
				}
			}
		}
	}
}

// TestColoursExist checks that page.css uses the colours of the theme, all of them.
func TestColoursExist(t *testing.T) {
	used := map[string]bool{"width": true} // of a figure, set in the page
	for _, m := range regexp.MustCompile(`var\(--([a-z-]+)`).FindAllStringSubmatch(string(pageHead.CSS), -1) {
		used[m[1]] = true
	}
	for _, h := range slices.Concat(document.Palette, palette) {
		if !used[h.Name] {
			t.Errorf("%s is not used", h.Name)
		}
		delete(used, h.Name)
	}
	delete(used, "width")
	for name := range used {
		t.Errorf("%s is not a colour", name)
	}
}
