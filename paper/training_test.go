package paper

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSnapshotSteps(t *testing.T) {
	for _, test := range []struct {
		steps int
		want  []int
	}{
		{3000, []int{23, 46, 93, 187, 375, 750, 1500, 3000}},
		{20, []int{1, 2, 5, 10, 20}},
		{1, []int{1}},
	} {
		s := &Study{Profile: Quick}
		s.Profile.Mess3.Steps = test.steps
		if got := s.snapshotSteps(newCondition(s.Profile, 0.15, 0.6, "LN")); !slices.Equal(got, test.want) {
			t.Errorf("%d steps: %v, want %v", test.steps, got, test.want)
		}
	}
	s := &Study{Profile: Full}
	if got := s.snapshotSteps(newCondition(Full, 0.15, 0.6, "none")); got != nil {
		t.Errorf("the second normalisation keeps %v", got)
	}
}

// A snapshot that is gone or damaged is an error that says what to do.
func TestSnapshotsAreMissed(t *testing.T) {
	dir := t.TempDir()
	c := newCondition(tiny(), 0.5, 0.2, "LN")
	rows := []Row{{
		ID: "M9", conditions: func(Profile) []condition { return []condition{c} },
		test: func(s *Study, _ *Claim) error { _, err := s.trainingCurve(s.subjects[c]); return err },
	}}
	w := newWatched(dir, tiny())
	if _, err := w.Reproduce(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(w.runFolder(c), "snapshots", "step-5.safetensors")
	advice := fmt.Sprintf("remove %s to train this model again", w.runFolder(c))
	for _, harm := range []func() error{
		func() error { return os.Truncate(path, 1000) },
		func() error { return os.Remove(path) },
	} {
		if err := harm(); err != nil {
			t.Fatal(err)
		}
		_, err := newWatched(dir, tiny()).Reproduce(t.Context(), rows)
		if err == nil || !strings.Contains(err.Error(), advice) || !strings.Contains(err.Error(), path) {
			t.Errorf("got %v, want %q", err, advice)
		}
	}
}

// No two models of a profile share a folder.
func TestFoldersAreDistinct(t *testing.T) {
	for _, p := range Profiles {
		folders := map[string]condition{}
		for _, row := range Join(Papers...).Rows {
			if row.conditions == nil {
				continue
			}
			for _, c := range row.conditions(p) {
				if other, taken := folders[c.folder()]; taken && other != c {
					t.Errorf("%s: %s holds %+v and %+v", p.Name, c.folder(), other, c)
				}
				folders[c.folder()] = c
			}
		}
	}
}
