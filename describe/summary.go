package describe

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"foretell/document"
	"foretell/internal/text"
	"foretell/process"
)

// Limits that keep a summary short: at most mostSummaryNames states or tokens are named,
// values longer than widestValue characters are not in the table but in lines below it,
// and at most mostSummaryNotes notes are shown.
const (
	mostSummaryNames = 8
	widestValue      = 18
	mostSummaryNotes = 1
)

// Forms returns the forms of the description: for a terminal the summary, or everything
// if it was made with [Subject].All; and .json. For others see [Subject.Forms].
func (d *Description) Forms() document.Forms {
	text := d.summary
	if d.all {
		text = d.text
	}
	return document.Forms{document.Terminal: document.Text(text), ".json": document.JSON(d)}
}

// summary returns what matters most about a process: what it is, its size and parameters,
// how well it can be predicted, and how many beliefs that takes. On 80 columns it has at
// most 15 lines for any process of the catalogue.
func (d *Description) summary() []document.Section {
	about := document.Section{Text: []string{d.Name + ": " + d.Summary, d.sizes()}}
	if len(d.Parameters) > 0 {
		about.Text = append(about.Text, "parameters: "+d.paramsText())
	}
	var known document.Section
	for _, f := range d.summaryFacts() {
		if utf8.RuneCountInString(f.Value) > widestValue {
			known.Notes = append(known.Notes, f.Name+": "+f.Value)
		} else {
			known.Facts = append(known.Facts, f)
		}
	}
	notes := noteLines(d.Notes)
	known.Notes = append(known.Notes, notes[:min(mostSummaryNotes, len(notes))]...)
	if d.Memorised {
		known.Notes = append(known.Notes, process.MemorisedNote)
	}
	sections := []document.Section{about, known}
	if d.flags.All != "" {
		sections = append(sections, document.Section{Text: []string{d.flags.All + " shows " + d.rest()}})
	}
	return sections
}

// sizes returns the numbers of states and tokens, with their names.
func (d *Description) sizes() string {
	tokens := listNames(text.Count(len(d.Tokens), "token"), d.Tokens)
	if d.States == nil {
		return tokens
	}
	states := listNames(text.Count(len(d.States), "state"), d.States)
	if d.Generalised {
		states = "generalised, " + states
	}
	return states + "; " + tokens
}

// listNames returns a text such as "3 states" followed by the names in parentheses, at
// most the first mostSummaryNames of them.
func listNames(number string, names []string) string {
	text := strings.Join(names[:min(len(names), mostSummaryNames)], ", ")
	if len(names) > mostSummaryNames {
		text += ", …"
	}
	return number + " (" + text + ")"
}

// paramsText returns the parameters on a line, with long values shortened.
func (d *Description) paramsText() string {
	var list []string
	for _, p := range d.Parameters {
		list = append(list, p.Name+" = "+text.Excerpt(ValueText(p.Value), longValue))
	}
	return strings.Join(list, ", ")
}

// summaryFacts returns the facts of a summary: the limits to as many digits as are known,
// and the number of beliefs.
func (d *Description) summaryFacts() []document.Fact {
	if d.Recording != nil {
		return d.recordingFacts()
	}
	facts := []document.Fact{fact(chance, sixDigits(d.Chance)+" nats")}
	facts = append(facts, d.entropyFacts(func(x, halfWidth float64) string { return rough(x, halfWidth) + " nats" })...)
	if d.CeilingError != "" {
		facts = append(facts, fact(accuracyCeiling, d.CeilingError))
	}
	if d.Ceiling != nil {
		facts = append(facts, fact(accuracyCeiling, rough(d.Ceiling.Accuracy, d.Ceiling.Error)))
	}
	if d.Beliefs != nil {
		count := fmt.Sprint(d.Beliefs.Recurrent + d.Beliefs.Transient)
		return append(facts, fact("distinct beliefs of an optimal observer", count))
	}
	if !d.Memorised { // otherwise the observer only has to find its place in the recording
		facts = append(facts, fact("beliefs", strings.TrimPrefix(d.BeliefsError, d.Name+": ")))
	}
	return facts
}

// rough formats a number to at most six decimals, and leaves out decimals that its error
// makes meaningless. It appends an error of 0.001 or more.
func rough(x, halfWidth float64) string {
	const shows, large = 5e-7, 1e-3
	if halfWidth < shows {
		return sixDigits(x)
	}
	decimals := 6
	for half := shows; half < halfWidth && decimals > 0; half *= 10 {
		decimals--
	}
	if halfWidth < large {
		return fmt.Sprintf("%.*f", decimals, x)
	}
	return fmt.Sprintf("%.*f ± %.1g", decimals+1, x, halfWidth)
}

// rest lists what [Description.Forms] can show in addition to the summary.
func (d *Description) rest() string {
	var parts []string
	for _, part := range []struct {
		name string
		has  bool
	}{
		{"parameter ranges", len(d.Parameters) > 0},
		{"how to read a sequence", len(d.Rules) > 0},
		{"transitions", d.Matrices != nil},
		{"how memory decays and the attention that tracks it", d.Spectrum != nil || d.NotComputed != nil},
		{"error bounds", d.Recording == nil},
		{"more notes", len(problemLines(d.Notes)) > mostSummaryNotes},
	} {
		if part.has {
			parts = append(parts, part.name)
		}
	}
	return strings.Join(parts, ", ")
}
