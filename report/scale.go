package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"foretell/claim"
)

// The marks on a scale, drawn around the origin: a disc for the estimate, a diamond for
// the document's number and a cross for the control.
const (
	foundMark    = `<circle r="4.5" class="found"/>`
	documentMark = `<path d="M0-5.5 5.5 0 0 5.5-5.5 0Z" class="document"/>`
	controlMark  = `<path d="m-4-4 8 8m0-8-8 8" class="control"/>`
)

// mark returns one of the scale's marks as a picture, for the legend.
func mark(what string) template.HTML {
	shape := map[string]string{"found": foundMark, "document": documentMark, "control": controlMark}[what]
	return template.HTML(`<svg class="mark" viewBox="-8 -8 16 16" aria-hidden="true">` + shape + `</svg>`)
}

const (
	scaleWidth  = 280.0
	scaleMargin = 10.0
)

// scale draws an effect and its interval on a line, with the numbers that it is compared
// with. It returns "" if the effect is compared with nothing or all numbers are equal.
// The page gives the numbers as text as well.
func scale(e *claim.Effect) template.HTML {
	if e.Document == nil && e.Control == nil {
		return ""
	}
	low, high := e.Estimate, e.Estimate
	include := func(x float64) { low, high = min(low, x), max(high, x) }
	if e.Interval != nil {
		include(e.Interval.Low)
		include(e.Interval.High)
	}
	for _, r := range []*claim.Reference{e.Document, e.Control} {
		if r != nil {
			include(r.Value)
		}
	}
	if !(high > low) || math.IsInf(high-low, 0) {
		return ""
	}
	at := func(x float64) float64 { return scaleMargin + (x-low)/(high-low)*(scaleWidth-2*scaleMargin) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="scale" viewBox="0 -12 %g 24" aria-hidden="true"><path d="M0 0H%g" class="line"/>`,
		scaleWidth, scaleWidth)
	put := func(mark string, x float64) {
		fmt.Fprintf(&b, `<g transform="translate(%.1f 0)">%s</g>`, at(x), mark)
	}
	if e.Interval != nil {
		fmt.Fprintf(&b, `<path d="M%.1f 0H%.1fM%.1f-5v10M%.1f-5v10" class="interval"/>`,
			at(e.Interval.Low), at(e.Interval.High), at(e.Interval.Low), at(e.Interval.High))
	}
	if e.Control != nil {
		put(controlMark, e.Control.Value)
	}
	put(foundMark, e.Estimate)
	if e.Document != nil {
		put(documentMark, e.Document.Value)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}
