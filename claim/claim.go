package claim

// Verdict says what became of a published claim. It is always computed from
// the numbers of this run.
type Verdict string

// The verdicts.
const (
	Holds     Verdict = "holds"     // obtained as stated
	Differs   Verdict = "differs"   // obtained, but not the figure stated
	Fails     Verdict = "fails"     // not obtained
	Corrected Verdict = "corrected" // the source errs; the right statement is shown
	Open      Verdict = "open"      // not decided by this run
)

// Verdicts lists all verdicts, the most welcome first.
var Verdicts = []Verdict{Holds, Corrected, Differs, Fails, Open}

// Kind says what a claim asserts, and so what can come of it.
type Kind string

// The kinds.
const (
	Identity    Kind = "identity"    // two forms of one formula, which only a defect could part
	Number      Kind = "number"      // a figure that is printed
	Order       Kind = "order"       // which of several is larger
	Picture     Kind = "picture"     // what a figure shows to the eye
	Explanation Kind = "explanation" // why it is so
	Beyond      Kind = "beyond"      // of the laboratory's own, which the document does not claim
)

// Kinds lists all kinds.
var Kinds = []Kind{Identity, Number, Order, Picture, Explanation, Beyond}

// Reason says why a verdict is [Differs] or [Open].
type Reason string

// The reasons.
const (
	Size       Reason = "size"       // the effect is there, of another size
	Conditions Reason = "condition"  // under some of the document's conditions, and not under others
	Untrained  Reason = "training"   // models have not converged
	Convention Reason = "convention" // it depends on a choice that the document does not state
	Power      Reason = "power"      // too few seeds, or a control that passes as well
)

// Reasons lists all reasons.
var Reasons = []Reason{Size, Conditions, Untrained, Convention, Power}

// Claim is a row of the ledger: one published claim and what this run found.
type Claim struct {
	ID   string `json:"id"` // such as "M4"
	Kind Kind   `json:"kind,omitempty"`
	// document and figure or equation, such as "Piotrowski et al. 2025, Fig. 2B, Eq. 14"
	Source string `json:"source"`
	// the document's own sentence and figure, with its number of models and error bars
	Quote     string  `json:"quote,omitempty"`
	Statement string  `json:"statement"`        // what is claimed
	Expected  string  `json:"expected"`         // the number or picture that would confirm it, and the rule of the verdict
	Obtained  string  `json:"obtained"`         // what this run found
	Verdict   Verdict `json:"verdict"`          // on the document's words, under its conditions
	Reason    Reason  `json:"reason,omitempty"` // of Differs and Open
	Seconds   float64 `json:"seconds"`          // spent on this row alone, training apart

	// the number that the verdict rests on, if there is one
	Effect *Effect `json:"effect,omitempty"`
	// one by one, where the document has several or models are trained
	Conditions []Condition `json:"conditions,omitempty"`
	// our own stricter questions, which the verdict does not depend on
	Asked []Question `json:"asked,omitempty"`

	// StandsOn are the ids of other rows that rest on the same fit of the same models:
	// with this one they are one block, not so many confirmations.
	StandsOn []string `json:"stands_on,omitempty"`

	// RuleCommit is the commit since which the rule stands, and ChangedAfterResult says
	// whether a result was known when it was last changed.
	RuleCommit         string `json:"rule_commit,omitempty"`
	ChangedAfterResult bool   `json:"changed_after_result"`

	Figures []string `json:"figures"` // SVG files, relative to the output folder
	Data    []string `json:"data"`    // the numbers behind them: CSV and npz files, relative to the output folder

	// Contents says what is in those of the files of data that are CSV or npz.
	Contents []Content `json:"contents,omitempty"`

	Captions []string `json:"captions"`          // of each figure: what to see
	Tables   []Table  `json:"tables,omitempty"`  // small tables, shown with the claim
	Notes    []string `json:"notes,omitempty"`   // settings chosen where the source is silent, caveats
	Setting  string   `json:"setting,omitempty"` // in words, what it rests on beside Paper.Setting; "" for nothing

	// Before is set of a row that an earlier command tested, in a report to which another
	// has added rows; nil of a row of the report's own command.
	Before *Origin `json:"before,omitempty"`
}

// Origin says by what a row was tested.
type Origin struct {
	Date    string `json:"date"`     // such as "2026-11-21"
	Command string `json:"command"`  // the command line
	Version string `json:"foretell"` // of the program
}

// Table is a small table of a claim; the first column labels the row. Columns names
// every column, the first one too, and each row has as many cells, or there is no
// report.
type Table struct {
	Title   string     `json:"title"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// Errata is a table of misprints: where, what is printed, what is true, and the check
// that shows it.
func Errata(title string, rows ...[]string) Table {
	return Table{Title: title, Columns: []string{"where", "printed", "true", "check"}, Rows: rows}
}
