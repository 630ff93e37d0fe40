package paper

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"foretell/claim"
)

// statementsFile lists the statements of the documents.
const statementsFile = "../docs/statements.md"

// How far a statement is tested, in the order of the columns of the table of counts. The
// last column of a statement is empty if it is tested; otherwise it begins with another
// of these.
const (
	tested = "tested"
	partly = "partly"
)

var extents = []string{
	tested, partly, "not tested yet", "beyond a model of this size", "not testable as worded", "definition",
}

// statement is a line of a document's table.
type statement struct {
	line   int // from 1
	place  string
	words  string
	rows   []string // ids of rows, or a dash
	extent string
}

func (s statement) String() string {
	return fmt.Sprintf("line %d, %q", s.line, s.words)
}

// unescapedBar separates the cells of a table. A bar within a cell is written \|.
var unescapedBar = regexp.MustCompile(`(?:^|[^\\])(\|)`)

// cells returns the cells of a line of a table, or nil for another line.
func cells(line string) (list []string) {
	bars := unescapedBar.FindAllStringSubmatchIndex(line, -1)
	for i := 1; i < len(bars); i++ {
		cell := line[bars[i-1][3]:bars[i][2]]
		list = append(list, strings.TrimSpace(strings.ReplaceAll(cell, `\|`, "|")))
	}
	return list
}

// extent returns how far a statement is tested, according to its last column, or "" if
// the column has another beginning.
func extent(missing string) string {
	if missing == "" {
		return tested
	}
	beginning, _, _ := strings.Cut(missing, ":")
	if beginning == tested || !slices.Contains(extents, beginning) {
		return ""
	}
	return beginning
}

// readStatements returns the names of the sections, in their order, and the statements of
// each section.
func readStatements(t *testing.T) (sections []string, statements map[string][]statement, text string) {
	t.Helper()
	file, err := os.ReadFile(statementsFile)
	if err != nil {
		t.Fatal(err)
	}
	text = string(file)
	statements = map[string][]statement{}
	section := ""
	for i, line := range strings.Split(text, "\n") {
		if name, ok := strings.CutPrefix(line, "## "); ok {
			section = name
			sections = append(sections, name)
		}
		c := cells(line)
		if section == "" || c == nil || c[0] == "place" || c[0] == "---" {
			continue
		}
		if len(c) != 4 {
			t.Fatalf("line %d has %d columns, want 4", i+1, len(c))
		}
		s := statement{line: i + 1, place: c[0], words: c[1], rows: strings.Split(c[2], ", "), extent: extent(c[3])}
		statements[section] = append(statements[section], s)
	}
	return sections, statements, text
}

// The page has a section for each document, in the order of Papers.
func TestStatementsHaveSections(t *testing.T) {
	sections, _, _ := readStatements(t)
	var want []string
	for _, p := range Papers {
		want = append(want, p.Name)
	}
	if !slices.Equal(sections, want) {
		t.Errorf("sections %q, want %q", sections, want)
	}
}

// A statement has rows of its document if it is tested, in part or as a whole, and a dash
// if it is not. Each row that tests a statement of the document has one.
func TestStatementsHaveRows(t *testing.T) {
	_, statements, _ := readStatements(t)
	for _, p := range Papers {
		var ids, named []string
		for _, row := range p.Rows(claim.Full) {
			ids = append(ids, row.ID)
		}
		for _, s := range statements[p.Name] {
			named = append(named, s.rows...)
			s.checkRows(t, ids)
		}
		for _, row := range p.Rows(claim.Full) {
			ofDocument := row.Kind != claim.Beyond && row.Kind != claim.Identity
			if ofDocument && !slices.Contains(named, row.ID) {
				t.Errorf("row %s has no statement", row.ID)
			}
		}
	}
}

// checkRows compares the rows of a statement with the ids of its document's rows and with
// its extent.
func (s statement) checkRows(t *testing.T, ids []string) {
	t.Helper()
	if s.place == "" || s.words == "" || s.extent == "" {
		t.Errorf("%v: no place, no words or an unknown reason", s)
	}
	if s.extent != tested && s.extent != partly {
		if !slices.Equal(s.rows, []string{"–"}) {
			t.Errorf("%v: has rows %q and is %s", s, s.rows, s.extent)
		}
		return
	}
	for i, id := range s.rows {
		if !slices.Contains(ids, id) || slices.Contains(s.rows[:i], id) {
			t.Errorf("%v: %q is not a row of the document, or occurs twice", s, id)
		}
	}
}

// No statement of a document occurs twice.
func TestStatementsDiffer(t *testing.T) {
	_, statements, _ := readStatements(t)
	for _, list := range statements {
		seen := map[string]statement{}
		for _, s := range list {
			key := strings.Join(strings.Fields(strings.ToLower(s.words)), " ")
			if earlier, ok := seen[key]; ok {
				t.Errorf("%v and %v are the same", earlier, s)
			}
			seen[key] = s
		}
	}
}

// The counts at the top are the numbers of the lines below.
func TestStatementsAreCounted(t *testing.T) {
	_, statements, text := readStatements(t)
	var all []statement
	for _, p := range Papers {
		all = append(all, statements[p.Name]...)
		if line := counts(p.Name, statements[p.Name]); !strings.Contains(text, line+"\n") {
			t.Errorf("the table of counts lacks the line %s", line)
		}
	}
	if line := counts("all", all); !strings.Contains(text, line+"\n") {
		t.Errorf("the table of counts lacks the line %s", line)
	}
}

// counts returns a line of the table of counts.
func counts(name string, list []statement) string {
	line := fmt.Sprintf("| %s | %d |", name, len(list))
	for _, e := range extents {
		n := 0
		for _, s := range list {
			if s.extent == e {
				n++
			}
		}
		line += fmt.Sprintf(" %d |", n)
	}
	return line
}

// Quotations are the document's own words.
func TestStatementsAreVerbatim(t *testing.T) {
	texts := documentTexts(t)
	_, statements, _ := readStatements(t)
	for _, p := range Papers {
		var quotes []passage
		for _, s := range statements[p.Name] {
			quotes = append(quotes, passage{s.String(), s.words})
		}
		checkVerbatim(t, p.Name, quotes, texts)
	}
}

// A bar that is escaped does not end a cell.
func TestCells(t *testing.T) {
	if got := cells(`| a | P(s\|z) “b” | | – |`); !slices.Equal(got, []string{"a", "P(s|z) “b”", "", "–"}) {
		t.Errorf("%q", got)
	}
	if got := cells("text"); got != nil {
		t.Errorf("%q", got)
	}
	for missing, want := range map[string]string{
		"": tested, "partly: a half": partly, "definition": "definition", "tested": "", "soon": "",
	} {
		if got := extent(missing); got != want {
			t.Errorf("%q is %q, want %q", missing, got, want)
		}
	}
}
