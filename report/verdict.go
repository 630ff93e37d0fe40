package report

import (
	"fmt"
	"html/template"
	"strings"

	"foretell/claim"
)

// wording is how a verdict is shown: a word for one claim and for several, what
// it means and a shape.
type wording struct {
	one, many, meaning string
	icon               template.HTML // drawn on 16 × 16 in the colour of the text
}

// The shapes tell the verdicts apart without colour: disc, diamond, square, octagon and
// ring.
var wordings = map[claim.Verdict]wording{
	claim.Holds: {
		"holds", "hold", "obtained as stated",
		`<circle cx="8" cy="8" r="7.5" fill="currentColor"/><path d="M4.5 8.2 7 10.8l4.6-5.2" class="cut"/>`,
	},
	claim.Corrected: {
		"corrected", "corrected", "the source errs; the right statement is shown",
		`<path d="M8 0 16 8 8 16 0 8Z" fill="currentColor"/><path d="M5.2 8.2 7.2 10.2l3.6-4.2" class="cut"/>`,
	},
	claim.Differs: {
		"differs", "differ", "obtained, but not the figure stated",
		`<rect x="1" y="1" width="14" height="14" rx="2" fill="currentColor"/>` +
			`<path d="M4 6h8M4 10h8M10.2 3.2 5.8 12.8" class="cut"/>`,
	},
	claim.Fails: {
		"fails", "fail", "not obtained",
		`<path d="M5 .5h6L15.5 5v6L11 15.5H5L.5 11V5Z" fill="currentColor"/>` +
			`<path d="m5.2 5.2 5.6 5.6m0-5.6-5.6 5.6" class="cut"/>`,
	},
	claim.Open: {
		"open", "open", "not decided by this run",
		`<circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" stroke-width="2"/>` +
			`<path d="M5 8h6" fill="none" stroke="currentColor" stroke-width="2"/>`,
	},
}

// count is how many claims have a verdict.
type count struct {
	Verdict claim.Verdict
	Number  int
}

// Word agrees with the number: "1 holds", "4 hold".
func (c count) Word() string {
	if c.Number == 1 {
		return wordings[c.Verdict].one
	}
	return wordings[c.Verdict].many
}

// counts lists the verdicts that occur, in the order of [claim.Verdicts].
func counts(claims []claim.Claim) []count {
	var all []count
	for _, v := range claim.Verdicts {
		n := 0
		for _, c := range claims {
			if c.Verdict == v {
				n++
			}
		}
		if n > 0 {
			all = append(all, count{v, n})
		}
	}
	return all
}

// Tally counts the verdicts in a line: "6 claims: 4 hold, 1 corrected, 1 differs".
func Tally(claims []claim.Claim) string {
	var parts []string
	for _, c := range counts(claims) {
		parts = append(parts, fmt.Sprintf("%d %s", c.Number, c.Word()))
	}
	if parts == nil {
		return plural(len(claims), "claim")
	}
	return plural(len(claims), "claim") + ": " + strings.Join(parts, ", ")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
