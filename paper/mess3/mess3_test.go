package mess3

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/paper/internal/trained"
)

// reproduce tests rows in a folder and counts the steps of training.
func reproduce(t *testing.T, dir string, rows []claim.Row) (claims []claim.Claim, steps int, err error) {
	t.Helper()
	s := claim.Study{Out: dir, Workers: 2, Progress: func(at claim.Progress) {
		if strings.HasPrefix(at.Label, "training ") {
			steps++
		}
	}}
	claims, err = s.Reproduce(t.Context(), rows)
	return claims, steps, err
}

// tinyModels is how many models the rows share, those for twice the steps counted twice:
// those of M2, of which two conditions have two seeds and one such, that of M12 with one
// head, those of M10, M14, M15 and M17b. Those of M6b are M14's, M11's M15's, and M16's
// M2's; M18 has one setting on two processes, M19 two models and four more widths on two,
// and two models on two more, and M20 two models on two.
const tinyModels = 8 + 1 + 2 + 2 + 4 + 1 + 2 + 2*(2+4) + 2*2 + 2*2

// converging are rows that judge no model which has not converged.
var converging = []string{
	"M2", "M4", "M5", "M5b", "M6", "M6b", "M8", "M9", "M10", "M11", "M12", "M13", "M14", "M17a", "M17b", "M18",
}

// A whole study: each row ends in a verdict with the files that it names; a
// second study in the same folder takes the models as they are and finds the
// same; one of other settings refuses the folder.
func TestReproduce(t *testing.T) {
	dir := t.TempDir()
	rows := newLab(tiny()).rows()
	claims, steps, err := reproduce(t, dir, rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range claims {
		claimtest.Claim(t, dir, rows[i], c)
		if slices.Contains(converging, c.ID) && (c.Verdict != claim.Open || c.Reason != claim.Untrained) {
			t.Errorf("%s: %s, %s, where nothing has converged", c.ID, c.Verdict, c.Reason)
		}
	}
	// These two rest on no training.
	if claims[0].Verdict != claim.Holds || claims[1].Verdict != claim.Corrected {
		t.Errorf("M1 %s, M3 %s", claims[0].Verdict, claims[1].Verdict)
	}
	if steps != tinyModels*tinySteps {
		t.Errorf("%d reports of training steps, want %d", steps, tinyModels*tinySteps)
	}

	files := claimtest.Contents(t, dir)
	again, steps, err := reproduce(t, dir, newLab(tiny()).rows())
	if err != nil || steps != 0 {
		t.Errorf("the second study trained %d steps, %v", steps, err)
	}
	if got, want := claimtest.Timeless(t, again), claimtest.Timeless(t, claims); got != want {
		t.Errorf("the second study found\n%s\nwhere the first found\n%s", got, want)
	}
	for path, text := range claimtest.Contents(t, dir) {
		if text != files[path] {
			t.Errorf("the second study wrote another %s", path)
		}
	}

	other := tiny()
	other.oneLayer.LR /= 2
	_, _, err = reproduce(t, dir, newLab(other).rows()[2:3])
	// The models train side by side, so the first that fails may be of any seed.
	folder := filepath.Join(dir, "runs", "mess3-x0.15-a0.6-l1-h1-d16-n7-LN-seed")
	text, which, _ := strings.Cut(fmt.Sprint(err), "LN-seed")
	_, what, _ := strings.Cut(which, " ")
	if text+"LN-seed" != "x = 0.15, α = 0.6, LN: "+folder || what != "holds a run of another configuration" {
		t.Errorf("got  %v\nwant an error about %s and a number", err, folder)
	}
}

// Rows have their words and ids of their own.
func TestRows(t *testing.T) {
	for _, p := range claim.Profiles {
		claimtest.Texts(t, Paper.Rows(p))
	}
}

// Rows that take seconds say so to whoever waits, in all profiles.
func TestWork(t *testing.T) {
	for name := range profiles {
		for _, row := range Paper.Rows(name) {
			if slow := slices.Contains([]string{"M2", "M12", "M16"}, row.ID); slow && row.Work < 1000 {
				t.Errorf("%s: %s has a work of %d steps", name, row.ID, row.Work)
			}
		}
	}
}

// No two models of a profile share a folder.
func TestFoldersAreDistinct(t *testing.T) {
	for _, p := range claim.Profiles {
		folders := map[string]claim.Training{}
		for _, row := range Paper.Rows(p) {
			for _, of := range row.Trainings {
				if other, taken := folders[of.Name]; taken && !reflect.DeepEqual(other, of) {
					t.Errorf("%s: %s holds %+v and %+v", p, of.Name, other, of)
				}
				folders[of.Name] = of
			}
		}
	}
}

// Of the models of M2 those of the first seed have a curve (M9).
func TestCurves(t *testing.T) {
	p := full()
	for _, c := range p.onProcesses(sources...) {
		if got := c.Training().Snapshots; (got != nil) != slices.Contains(p.mainModels(), c) {
			t.Errorf("%s, seed %d: keeps %v", c.Label(), c.Seed, got)
		}
	}
}

// The longer training of the first seed is that of a model of the same seed with twice
// the steps and a folder of its own.
func TestLonger(t *testing.T) {
	p := full()
	once, twice := p.paperModel(trained.Mess3(0.15, 0.6)).Training(), p.longer(figure2).Training()
	if twice.Config.Train.NumSteps != 2*once.Config.Train.NumSteps || twice.Name == once.Name ||
		twice.Config.Train.Seed != once.Config.Train.Seed {
		t.Errorf("%s: %d steps, beside %s: %d", twice.Name, twice.Config.Train.NumSteps, once.Name, once.Config.Train.NumSteps)
	}
	if list := quick().onProcesses(trained.Mess3(0.5, 0.2)); list != nil {
		t.Errorf("the quick profile trains %v", list)
	}
}
