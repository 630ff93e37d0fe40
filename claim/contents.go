package claim

import "strings"

// Content describes a data file: the columns of a table, or the arrays of an archive.
type Content struct {
	File    string   `json:"file"`              // path relative to the output folder
	Rows    int      `json:"rows,omitempty"`    // number of rows, for a table
	Columns []Column `json:"columns,omitempty"` // for a table
	Arrays  []Layout `json:"arrays,omitempty"`  // for an archive
}

// Column is a column of a table. Every column holds numbers.
type Column struct {
	Name    string   `json:"name"`
	Meaning string   `json:"meaning,omitempty"` // with its unit; empty if the name is enough
	Codes   []string `json:"codes,omitempty"`   // the meanings of the column's integers, from 0 on
}

// Layout describes an array of an archive.
type Layout struct {
	Name    string `json:"name"`
	Shape   []int  `json:"shape"`
	Type    string `json:"type"` // as NumPy names it: float32, float64, int32, int64
	Meaning string `json:"meaning,omitempty"`
}

// Glossary maps the names of a document's columns and arrays to their meanings, with
// units.
type Glossary map[string]string

// endings lists suffixes of names, with the words that each adds to the meaning of the
// rest of the name.
var endings = []struct{ ending, meaning string }{
	{"_random_init", "at random initialisation"},
	{"_random", "at random initialisation"},
	{"_shuffled", "with shuffled targets"},
	{"_sd", "standard deviation over seeds"},
	{"_se", "standard error"},
	{"_printed", "as the document prints it"},
}

// beginnings lists prefixes of names. Each says what quantity the rest of the name refers
// to.
var beginnings = []struct{ beginning, meaning string }{
	{"r2_", "R² of"},
	{"mse_", "mean squared error of"},
	{"kl_", "divergence in nats,"},
	{"lag_", "at lag"},
	{"printed_", "as the document prints it:"},
	{"measured_", "as measured:"},
	{"predicted_", "as predicted:"},
	{"attention_", "attention,"},
	{"logit_", "logit of"},
}

// Meaning returns the meaning of a table's column or an archive's array, with its unit,
// or "" if the meaning of the name is not known. The name may have one of the usual
// endings and beginnings, such as _sd and kl_, which add to the meaning of the rest.
func (g Glossary) Meaning(name string) string {
	if process := strings.Index(name, "_x0."); process > 0 { // the end of such a name is a process's parameter x
		name = name[:process]
	}
	if m := g[name]; m != "" {
		return m
	}
	for _, e := range endings {
		if rest, ok := strings.CutSuffix(name, e.ending); ok {
			if m := g.Meaning(rest); m != "" {
				return m + ", " + e.meaning
			}
			return spaced(rest) + ", " + e.meaning
		}
	}
	for _, b := range beginnings {
		if rest, ok := strings.CutPrefix(name, b.beginning); ok {
			return b.meaning + " " + spaced(rest)
		}
	}
	return ""
}

func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }
