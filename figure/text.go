package figure

import (
	"math"

	"foretell/internal/formula"
)

// advance holds the widths of ' ' to '~' in Arial, and in fonts with the same metrics, in
// thousandths of the font size.
var advance = [...]float64{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
}

// slack is the safety factor on Arial's widths, for systems that use a wider font such as
// DejaVu Sans.
const slack = 1.15

// textWidth returns the width to reserve for a text, in points; size is the font size.
func textWidth(t string, size float64) float64 {
	sum := 0.0
	for _, r := range formula.Split(t) {
		sum += plainWidth(r.Text, size*math.Pow(scriptSize, float64(len(r.Script))))
	}
	return sum
}

// plainWidth is textWidth for a text without mathematics.
func plainWidth(t string, size float64) float64 {
	sum := 0.0
	for _, r := range t {
		switch i := int(r) - ' '; {
		case i >= 0 && i < len(advance):
			sum += advance[i]
		case r == '\u00a0': // as wide as a space
			sum += advance[0]
		case r >= '⁰' && r <= '₉', r == '¹', r == '²', r == '³':
			sum += 370 // superscripts and subscripts
		default:
			sum += 600 // Greek letters and symbols are about as wide as a digit
		}
	}
	return sum / 1000 * size * slack
}

// textHeight is the height of capitals and digits relative to the font size.
const textHeight = 0.72
