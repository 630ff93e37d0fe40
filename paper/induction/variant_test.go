package induction

import (
	"slices"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// A row with variants trains a model of each kind in each of them, names conditions in a
// table and answers whether verdicts turn; another P and another alphabet are what the
// models learn.
func TestVariants(t *testing.T) {
	p := tiny()
	p.variants = variants
	p.lookedAt = []cell{{twoNext, oneHead, true}}
	l := newLab(p)
	rows, err := claim.Select(l.rows(), []string{"I12"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, training := range rows[0].Trainings {
		names = append(names, training.Name)
		if _, err := training.Config.Resolve(); err != nil {
			t.Error(err)
		}
	}
	want := []string{""}
	for _, v := range variants {
		want = append(want, "-"+v.file)
	}
	for i, name := range names {
		if !strings.HasSuffix(name, "-n32"+want[i]+"-seed1") {
			t.Errorf("run %s, want the ending of %q", name, want[i])
		}
	}
	if len(names) != len(want) || len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(want) {
		t.Fatalf("runs %q", names)
	}
	s := &claim.Study{Out: t.TempDir(), Workers: 2}
	claims, err := s.Reproduce(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	c := claims[0]
	claimtest.Claim(t, s.Out, rows[0], c)
	table := c.Tables[len(c.Tables)-1]
	if len(table.Rows) != len(c.Conditions) || len(table.Columns) != 2+len(variants) {
		t.Errorf("table %v", table)
	}
	if q := c.Asked[len(c.Asked)-1]; q.Answer != claim.Undecided || !strings.Contains(q.Question, "|S| = 10") {
		t.Errorf("%+v", q)
	}
	ten := l.varied[2].chains(l.varied[2].looked(p.lookedAt[0])[0].problem())
	if len(ten.p) != 10 || slices.Max(ten.tokens) != 9 {
		t.Errorf("an alphabet of %d tokens", len(ten.p))
	}
	if second := l.varied[0].of(example).variant.p(); second[0][0] == transition[0][0] {
		t.Error("the second P is the first")
	}
}

// Every row that trains models for a document's claim of an order or a picture names its
// models in each variant of the deep profile; the others have none.
func TestRowsWithVariants(t *testing.T) {
	for _, profile := range []claim.Profile{claim.Quick, claim.Full, claim.Deep} {
		for _, row := range Paper.Rows(profile) {
			found := slices.ContainsFunc(row.Trainings, func(t claim.Training) bool {
				return strings.Contains(t.Name, "-s10-")
			})
			want := profile == claim.Deep && slices.Contains([]string{"I7", "I8", "I10", "I12"}, row.ID)
			if found != want {
				t.Errorf("%s, %s: models with ten tokens: %v, want %v", profile, row.ID, found, want)
			}
		}
	}
}

func TestTurned(t *testing.T) {
	of := func(verdicts ...claim.Verdict) (list []claim.Condition) {
		for i, v := range verdicts {
			list = append(list, claim.Condition{
				Name: string(rune('a' + i)), Verdict: v, Obtained: "x", Effect: claim.Exactly("x", "", 0.5),
			})
		}
		return list
	}
	own := of(claim.Holds, claim.Fails, claim.Open)
	two := variants[:2]
	for name, test := range map[string]struct {
		others [][]claim.Condition
		want   claim.Answer
		says   string
	}{
		"the same": {[][]claim.Condition{own, own}, claim.No, "4 verdicts are decided in both, 0 turn"},
		"one turns": {
			[][]claim.Condition{own, of(claim.Fails, claim.Fails, claim.Holds)},
			claim.Yes,
			"4 verdicts are decided in both, 1 turn: third P, a: fails and not holds (x)",
		},
		"none is decided": {
			[][]claim.Condition{of(claim.Open, claim.Open, claim.Holds), nil},
			claim.Undecided,
			"0 verdicts are decided in both",
		},
	} {
		q := turned(own, two, test.others)
		if q.Answer != test.want || !strings.HasPrefix(q.Obtained, test.says) {
			t.Errorf("%s: %s, %s", name, q.Answer, q.Obtained)
		}
		if table := byVariant(own, two, test.others); len(table.Rows) != 3 || table.Rows[0][1] != "holds (0.5)" {
			t.Errorf("%s: %v", name, table)
		}
	}
}
