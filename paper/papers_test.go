package paper

import (
	"fmt"
	"os/exec"
	"reflect"
	"slices"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/internal/needs"
)

// The rows of all documents have texts and ids of their own, and trainings of one name
// are one training, whichever documents list it.
func TestPapersFitTogether(t *testing.T) {
	for _, name := range claim.ProfileNames() {
		profile := claim.Profile(name)
		with := slices.DeleteFunc(slices.Clone(Papers), func(p claim.Paper) bool { return p.Offers(profile) != nil })
		rows := claim.Join(with...).Rows(profile)
		claimtest.Published(t, rows)
		seen := map[string]claim.Training{}
		for _, row := range rows {
			for _, training := range row.Trainings {
				before, known := seen[training.Name]
				if known && (!reflect.DeepEqual(before.Config, training.Config) || !slices.Equal(before.Snapshots, training.Snapshots)) {
					t.Errorf("%s, %s: %s is another training than before", profile, row.ID, training.Name)
				}
				seen[training.Name] = training
				if _, err := training.Config.Resolve(); err != nil {
					t.Errorf("%s, %s: %s: %v", profile, row.ID, training.Name, err)
				}
			}
		}
	}
}

// A deep profile has the rows of the full one, with at least as many models and steps for
// each, and more for some.
func TestDeepTrainsMore(t *testing.T) {
	for _, p := range Papers {
		if !p.Deepens {
			continue
		}
		full, deep := describe(p, claim.Full).Rows, describe(p, claim.Deep).Rows
		more := false
		for i, row := range deep {
			of := full[i]
			if row.ID != of.ID || row.Models < of.Models || row.Steps < of.Steps {
				t.Errorf("%s: %s has %d models and %d steps in full, and %s has %d and %d in deep",
					p.Name, of.ID, of.Models, of.Steps, row.ID, row.Models, row.Steps)
			}
			more = more || row.Steps > of.Steps
		}
		if len(deep) != len(full) || !more {
			t.Errorf("%s: %d rows in full and %d in deep, and more training in deep: %v", p.Name, len(full), len(deep), more)
		}
	}
}

// Rows that rest on the same fit name each other: they are one block, whichever is read.
func TestBlocks(t *testing.T) {
	rows := claim.Join(Papers...).Rows(claim.Quick)
	for _, row := range rows {
		for _, id := range row.StandsOn {
			at := slices.IndexFunc(rows, func(other claim.Row) bool { return other.ID == id })
			if at < 0 || !slices.Contains(rows[at].StandsOn, row.ID) {
				t.Errorf("%s stands on %s, which is no row, or does not stand on it", row.ID, id)
			}
		}
	}
}

// Since when a rule stands is a commit of the repository, and the first rule was
// committed no later.
func TestRulesStandSinceCommits(t *testing.T) {
	if err := exec.Command("git", "rev-parse", "HEAD").Run(); err != nil {
		needs.Machine(t, "git, and the repository", err)
	}
	for _, row := range claim.Join(Papers...).Rows(claim.Quick) {
		if row.RuleCommit == "" {
			continue
		}
		if err := exec.Command("git", "cat-file", "-e", row.RuleCommit+"^{commit}").Run(); err != nil {
			t.Errorf("%s: there is no commit %s", row.ID, row.RuleCommit)
		}
		if first := row.First.Commit; first != "" {
			if err := exec.Command("git", "merge-base", "--is-ancestor", first, row.RuleCommit).Run(); err != nil {
				t.Errorf("%s: the first rule is of commit %s, which is not before %s", row.ID, first, row.RuleCommit)
			}
		}
	}
}

// The documents whose rows without training take long say so to whoever waits.
func TestRowsWithoutTrainingDeclareTheirWork(t *testing.T) {
	for _, name := range []string{"coin", "induction", "signals", "entropy"} {
		p, err := Named(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, profile := range claim.Profiles {
			work := 0
			for _, row := range p.Rows(profile) {
				if row.Trainings == nil {
					work += row.Work
				}
			}
			if work < 1000 {
				t.Errorf("%s, %s: rows without training are worth %d steps, want at least 1000", name, profile, work)
			}
		}
	}
}

func TestNamed(t *testing.T) {
	for _, test := range []struct {
		names []string
		want  string // name of the paper, or the error
	}{
		{nil, "mess3"},
		{[]string{"abc"}, "abc"},
		{[]string{"coin", "abc"}, "coin abc"},
		{[]string{"coin", "coin"}, "coin is given twice"},
		{[]string{"con"}, `unknown paper "con": did you mean "coin"?`},
		{[]string{"all"}, `unknown paper "all": want one of mess3, coin, abc, beliefs, induction, signals, entropy`},
	} {
		p, err := Named(test.names...)
		if got := p.Name; err == nil && got != test.want || err != nil && fmt.Sprint(err) != test.want {
			t.Errorf("%q: %q, %v, want %s", test.names, got, err, test.want)
		}
	}
}
