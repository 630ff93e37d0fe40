package paper

import "slices"

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
	ID        string  `json:"id"`        // such as "M4"
	Source    string  `json:"source"`    // document and figure or equation, such as "seed 001, Fig. 2B, Eq. 14"
	Statement string  `json:"statement"` // what is claimed
	Expected  string  `json:"expected"`  // the number or picture that would confirm it, and the rule of the verdict
	Obtained  string  `json:"obtained"`  // what this run found
	Verdict   Verdict `json:"verdict"`
	Seconds   float64 `json:"seconds"` // spent on this row alone, shared training apart

	Figures []string `json:"figures"` // SVG files, relative to the output folder
	Data    []string `json:"data"`    // the numbers behind them: CSV and npz files, relative to the output folder

	Captions []string `json:"captions"`          // of each figure: what to see
	Tables   []Table  `json:"tables,omitempty"`  // small tables, shown with the claim
	Notes    []string `json:"notes,omitempty"`   // settings chosen where the source is silent, caveats
	Setting  string   `json:"setting,omitempty"` // profile and training that the row rests on
}

// Table is a small table of a claim; the first column labels the row.
type Table struct {
	Title   string     `json:"title"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// errata is a table of misprints: where, what is printed, what is true, and the check
// that shows it.
func errata(title string, rows ...[]string) Table {
	return Table{Title: title, Columns: []string{"where", "printed", "true", "check"}, Rows: rows}
}

// Paper is a document to reproduce and its claims.
type Paper struct {
	Name   string // what `foretell reproduce` calls it, such as "mess3"
	Title  string
	Source string // the document: its short name, which the rows go on with, title, authors and year
	Rows   []Row

	setting func(p Profile) string // what all rows share of a profile, in words; nil if each row says its own
}

// Setting says in words what a profile means for the paper.
func (p Paper) Setting(profile Profile) string {
	if p.setting == nil {
		return profile.Name + " profile; each row states its setting"
	}
	return p.setting(profile)
}

// Join returns several papers as one: their names, titles and sources side by side,
// the rows of all, and the setting of the first that has one.
func Join(papers ...Paper) Paper {
	joined := papers[0]
	joined.Rows = slices.Clone(joined.Rows)
	for _, p := range papers[1:] {
		joined.Name += " " + p.Name
		joined.Title += "; " + p.Title
		joined.Source += "; " + p.Source
		joined.Rows = append(joined.Rows, p.Rows...)
		if joined.setting == nil {
			joined.setting = p.setting
		}
	}
	return joined
}

// Row is a claim that can be tested: the fixed part of a [Claim] and the
// functions that find the rest out.
type Row struct {
	ID, Source, Statement, Expected string

	conditions func(p Profile) []condition // the trained models that the row looks at; nil if none
	test       func(s *Study, c *Claim) error
}
