package claim

import "foretell/document"

// Verdict is the outcome of testing a published claim. It is always computed from the
// numbers that the reproduction has measured.
type Verdict string

// The verdicts.
const (
	Holds     Verdict = "holds"     // the stated result was obtained
	Differs   Verdict = "differs"   // a result was obtained, but not exactly as stated; the [Reason] says how
	Fails     Verdict = "fails"     // the stated result was not obtained
	Corrected Verdict = "corrected" // the source is wrong; the correct statement is shown
	Open      Verdict = "open"      // this reproduction does not decide the claim
)

// Verdicts lists all verdicts, from the most to the least favourable.
var Verdicts = []Verdict{Holds, Corrected, Differs, Fails, Open}

// Kind is what a claim asserts, which determines the outcomes it can have.
type Kind string

// The kinds.
const (
	Identity    Kind = "identity"    // two forms of one formula are equal; they differ only if the code is wrong
	Formula     Kind = "formula"     // what a printed formula or construction computes
	Number      Kind = "number"      // a printed number
	Order       Kind = "order"       // which of several quantities is larger
	Picture     Kind = "picture"     // what a figure shows
	Explanation Kind = "explanation" // why something happens
	Beyond      Kind = "beyond"      // a claim that foretell makes and the document does not
)

// Kinds lists all kinds.
var Kinds = []Kind{Identity, Formula, Number, Order, Picture, Explanation, Beyond}

// Reason is why a verdict is [Differs] or [Open].
type Reason string

// The reasons.
const (
	Size       Reason = "size"       // the effect exists, but its size is not the document's
	Conditions Reason = "condition"  // the claim holds under some of the document's conditions but not under others
	Untrained  Reason = "training"   // models have not converged
	Convention Reason = "convention" // the result depends on a choice that the document does not state
	Power      Reason = "power"      // too few seeds, or a control, such as random initialisation, that passes as well
	Unproved   Reason = "unproved"   // no counterexample is known, and no proof
)

// Reasons lists all reasons.
var Reasons = []Reason{Size, Conditions, Untrained, Convention, Power, Unproved}

// Severity is how much an error of the source matters to someone who builds what the
// source says.
type Severity string

// The severities.
const (
	Cosmetic      Severity = "cosmetic"      // nothing that is computed changes
	Local         Severity = "local"         // a display, an example or a limit is wrong, and the rest does not use it
	Consequential Severity = "consequential" // what is built from it computes something else
)

// Severities lists all severities, the least first.
var Severities = []Severity{Cosmetic, Local, Consequential}

// Claim is one claim of a document with what the reproduction found: a row of the report.
type Claim struct {
	ID   string `json:"id"` // such as "M4"
	Kind Kind   `json:"kind,omitempty"`
	// the document, and the figure or equation that the claim is about, such as
	// "Piotrowski et al. 2025, Fig. 2B, Eq. 14"
	Source string `json:"source"`
	// the document's own sentence and number, with the number of models and the error bars
	Quote     string `json:"quote,omitempty"`
	Statement string `json:"statement"` // what is claimed
	// the number or picture that would confirm the claim, and the rule for the verdict
	Expected string  `json:"expected"`
	Obtained string  `json:"obtained"`         // what the reproduction found
	Verdict  Verdict `json:"verdict"`          // on the document's own claim, under the document's conditions
	Reason   Reason  `json:"reason,omitempty"` // only for Differs and Open
	// Severity is set only for Corrected. The effect of a consequential error is what it
	// costs, for predictors in nats.
	Severity Severity `json:"severity,omitempty"`
	Seconds  float64  `json:"seconds"` // time spent testing this row, without training

	// the number that the verdict depends on, if there is one
	Effect *Effect `json:"effect,omitempty"`
	// the conditions under which the claim is tested, if there are several or models are
	// trained
	Conditions []Condition `json:"conditions,omitempty"`
	// foretell's own, stricter questions about the claim, which do not affect the verdict
	Asked []Question `json:"asked,omitempty"`

	// StandsOn lists the ids of other rows that use the same fit of the same models.
	// Together with this row they count as a single confirmation.
	StandsOn []string `json:"stands_on,omitempty"`

	// RuleCommit is the commit that last changed the rule. ChangedAfterResult reports
	// whether a result was known at that time.
	RuleCommit         string `json:"rule_commit,omitempty"`
	ChangedAfterResult bool   `json:"changed_after_result"`
	// FirstRule is set only if the rule was changed after a result was known.
	FirstRule *FirstRule `json:"first_rule,omitempty"`

	Figures []string `json:"figures"` // SVG files, relative to the output folder
	Data    []string `json:"data"`    // the numbers in the figures: CSV and npz files, relative to the output folder

	// Contents describes the CSV and npz files listed in Data.
	Contents []Content `json:"contents,omitempty"`

	Captions []string         `json:"captions"`         // one for each figure, saying what to look for
	Tables   []document.Table `json:"tables,omitempty"` // small tables, shown with the claim
	// Notes are caveats, and settings chosen where the source does not state them.
	Notes   []string `json:"notes,omitempty"`
	Setting string   `json:"setting,omitempty"` // settings that Paper.Setting does not describe; may be empty

	// Before is set in a report to which several commands have added rows. It is the
	// command that tested this row, if that was not the report's latest command, and
	// otherwise nil.
	Before *Origin `json:"before,omitempty"`
}

// Origin is the command that tested a row.
type Origin struct {
	Date    string `json:"date"`     // such as "2026-11-21"
	Command string `json:"command"`  // the command line
	Version string `json:"foretell"` // version of the program
}

// Errata returns a table of misprints. Its columns are the place of the misprint, the
// printed text, the correct text, and the check that shows the error.
func Errata(title string, rows ...[]string) document.Table {
	return document.Texts(title, []string{"where", "printed", "true", "check"}, rows...)
}
