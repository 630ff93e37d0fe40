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

// Claim is a row of the ledger: one published claim and what this run found.
type Claim struct {
	ID string `json:"id"` // such as "M4"
	// document and figure or equation, such as "Piotrowski et al. 2025, Fig. 2B, Eq. 14"
	Source    string  `json:"source"`
	Statement string  `json:"statement"` // what is claimed
	Expected  string  `json:"expected"`  // the number or picture that would confirm it, and the rule of the verdict
	Obtained  string  `json:"obtained"`  // what this run found
	Verdict   Verdict `json:"verdict"`
	Seconds   float64 `json:"seconds"` // spent on this row alone, training apart

	Figures []string `json:"figures"` // SVG files, relative to the output folder
	Data    []string `json:"data"`    // the numbers behind them: CSV and npz files, relative to the output folder

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
