package claim_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"foretell/claim"
)

// What the package comment shows of a document stands in the Example, which is run.
func TestPackageCommentQuotesTheExample(t *testing.T) {
	comment, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	known, quoted := strings.Split(string(example), "\n"), 0
	_, section, _ := strings.Cut(string(comment), "# Your own document")
	for line := range strings.Lines(section) {
		code, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "//\t")
		if !ok {
			continue
		}
		if quoted++; !slices.Contains(known, code) {
			t.Errorf("example_test.go has no line %q", code)
		}
	}
	if quoted < 20 {
		t.Errorf("the package comment shows %d lines of a document", quoted)
	}
}

func ids(rows []claim.Row) (list []string) {
	for _, r := range rows {
		list = append(list, r.ID)
	}
	return list
}

func TestSelect(t *testing.T) {
	rows := []claim.Row{{ID: "M1"}, {ID: "M3"}, {ID: "M2"}, {ID: "M13"}}
	all := ids(rows)
	for _, test := range []struct{ ask, want []string }{
		{nil, all},
		{[]string{"M13", "M1"}, []string{"M1", "M13"}}, // in the paper's order
		{[]string{"M2", "M2"}, []string{"M2"}},
	} {
		got, err := claim.Select(rows, test.ask)
		if err != nil || !slices.Equal(ids(got), test.want) {
			t.Errorf("%v: %v, %v", test.ask, ids(got), err)
		}
	}
	_, err := claim.Select(rows, []string{"M1", "M99"})
	if fmt.Sprint(err) != `unknown claim "M99"; want one of M1, M3, M2, M13` {
		t.Errorf("got %v", err)
	}
	if !slices.Equal(ids(rows), all) {
		t.Error("Select changed the paper's rows")
	}
}

// Papers side by side have all rows, and the words of the first that has them for all.
func TestJoin(t *testing.T) {
	rows := func(list ...string) func(claim.Profile) []claim.Row {
		return func(p claim.Profile) (rows []claim.Row) {
			for _, id := range list {
				rows = append(rows, claim.Row{ID: string(p) + id})
			}
			return rows
		}
	}
	words := func(p claim.Profile) string { return "the setting of " + string(p) }
	a := claim.Paper{Name: "a", Title: "A", Source: "one", Rows: rows("A1", "A2")}
	b := claim.Paper{Name: "b", Title: "B", Source: "two", Rows: rows("B1"), Setting: words}
	joined := claim.Join(a, b)
	if joined.Name != "a b" || joined.Title != "A; B" || joined.Source != "one; two" {
		t.Errorf("%+v", joined)
	}
	if got := ids(joined.Rows(claim.Full)); !slices.Equal(got, []string{"fullA1", "fullA2", "fullB1"}) {
		t.Errorf("rows %v", got)
	}
	if got := joined.SettingOf(claim.Full); got != "the setting of full" {
		t.Errorf("setting %q", got)
	}
	if got := claim.Join(a).SettingOf(claim.Quick); got != "quick profile; each row states its setting" {
		t.Errorf("setting %q", got)
	}
}

func TestParseProfile(t *testing.T) {
	for _, want := range append(claim.Profiles[:2:2], claim.Deep) {
		if got, err := claim.ParseProfile(string(want)); got != want || err != nil {
			t.Errorf("%s: %s, %v", want, got, err)
		}
	}
	if _, err := claim.ParseProfile("fast"); fmt.Sprint(err) != `"fast" is not one of quick, full, deep` {
		t.Errorf("got %v", err)
	}
}

// Only a document that has a deep profile offers one, and several only if each has.
func TestOffers(t *testing.T) {
	shallow, deep := claim.Paper{Name: "a"}, claim.Paper{Name: "b", Deepens: true}
	for _, c := range []struct {
		paper   claim.Paper
		profile claim.Profile
		want    string
	}{
		{shallow, claim.Quick, "<nil>"},
		{shallow, claim.Full, "<nil>"},
		{deep, claim.Deep, "<nil>"},
		{claim.Join(deep, deep), claim.Deep, "<nil>"},
		{shallow, claim.Deep, "a has no deep profile; full is the most that it trains"},
		{claim.Join(deep, shallow), claim.Deep, "b a has no deep profile; full is the most that it trains"},
	} {
		if err := c.paper.Offers(c.profile); fmt.Sprint(err) != c.want {
			t.Errorf("%s, %s: %v, want %s", c.paper.Name, c.profile, err, c.want)
		}
	}
}
