package trained

import (
	"math"
	"slices"
	"testing"

	"foretell/claim"
	"foretell/process"
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
		if got := SnapshotSteps(test.steps); !slices.Equal(got, test.want) {
			t.Errorf("%d steps: %v, want %v", test.steps, got, test.want)
		}
		c := Condition{Source: Mess3(0.15, 0.6), Shape: Shape{1, 1}, Norm: "LN", Seed: 1, Curve: true}
		c.Settings.Steps = test.steps
		if got := c.Training().Snapshots; !slices.Equal(got, test.want) {
			t.Errorf("%d steps: a run keeps %v, want %v", test.steps, got, test.want)
		}
		c.Curve = false
		if got := c.Training().Snapshots; got != nil {
			t.Errorf("a model whose curve is not shown keeps %v", got)
		}
	}
}

// The names of folders are those of runs that exist already.
func TestTrainingNames(t *testing.T) {
	settings, _ := OneLayer(claim.Quick)
	for _, test := range []struct {
		of          Source
		name, label string
	}{
		{Mess3(0.15, 0.2), "mess3-x0.15-a0.2-l1-h2-d64-n10-none-seed3", "x = 0.15, α = 0.2, none"},
		{Source{Name: Cycle4}, "noisy-4-cycle-l1-h2-d64-n10-none-seed3", "noisy 4-cycle, none"},
		{Source{Name: RRXOR}, "RRXOR-l1-h2-d64-n10-none-seed3", "RRXOR, none"},
	} {
		c := Condition{Source: test.of, Shape: Shape{1, 2}, Norm: "none", Seed: 3, Settings: settings}
		if of := c.Training(); of.Name != test.name || of.Label != test.label {
			t.Errorf("%q, %q, want %q, %q", of.Name, of.Label, test.name, test.label)
		}
	}
}

// A width of heads of its own is part of the name; else it is d_model over heads.
func TestHeadWidth(t *testing.T) {
	c := Condition{Source: Mess3(0.5, 0.6), Shape: Shape{1, 2}, Norm: "LN", Seed: 1, Settings: Settings{DModel: 32, NCtx: 8}}
	if got := c.Training().Config.Model.DHead; got != 16 {
		t.Errorf("d_head = %d, want 16", got)
	}
	c.Settings.DHead = 8
	of := c.Training()
	if got, name := of.Config.Model.DHead, "mess3-x0.5-a0.6-l1-h2x8-d32-n8-LN-seed1"; got != 8 || of.Name != name {
		t.Errorf("d_head = %d in %s, want 8 in %s", got, of.Name, name)
	}
}

// What is changed from a profile's settings is part of the name and of the configuration.
func TestVariant(t *testing.T) {
	c := Condition{Source: Mess3(0.5, 0.6), Shape: Shape{1, 2}, Norm: "LN", Seed: 1, Settings: Settings{DModel: 32, NCtx: 8}}
	c.Settings.Variant, c.Settings.Activation = "relu", "relu"
	of := c.Training()
	if got, name := of.Config.Model.ActFn, "mess3-x0.5-a0.6-l1-h2-d32-n8-LN-relu-seed1"; got != "relu" || of.Name != name {
		t.Errorf("%s in %s, want relu in %s", got, of.Name, name)
	}
}

// Every process that a source names can be built, and a configuration of it is valid.
func TestSources(t *testing.T) {
	for _, s := range []Source{
		Mess3(0.15, 0.6), {Name: RRXOR}, {Name: Alternation}, {Name: Cycle4}, {Name: Cycle5},
	} {
		if _, err := s.HMM(); err != nil {
			t.Errorf("%s: %v", s, err)
		}
		for _, p := range claim.Profiles {
			settings, words := OneLayer(p)
			c := Condition{Source: s, Shape: Shape{1, 2}, Norm: "LN", Seed: 1, Settings: settings}
			if _, err := c.Training().Config.Resolve(); err != nil || words == "" {
				t.Errorf("%s, %s: %v", p, s, err)
			}
		}
	}
}

// Tokens of Mess3 say little where α is near 1/3, and its models train longer there.
func TestWeak(t *testing.T) {
	for s, weak := range map[Source]bool{
		Mess3(0.15, 0.2): true, Mess3(0.5, 0.45): true, Mess3(0.15, 0.1): false, Mess3(0.15, 0.6): false,
		{Name: Cycle4}: false,
	} {
		c := Condition{Source: s, Settings: Settings{Steps: 1, StepsWeak: 2}}
		if want := map[bool]int{false: 1, true: 2}[weak]; s.Weak() != weak || c.Steps() != want {
			t.Errorf("%s: weak %t, %d steps", s, s.Weak(), c.Steps())
		}
	}
}

// What prefixes tell is the floor of the first token less that of later ones.
func TestInformation(t *testing.T) {
	h, err := process.Mess3(0.15, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	const length = 5
	floor, err := h.Floor(t.Context(), length+1)
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for _, entropy := range floor.ByPosition[1:] {
		want += (floor.ByPosition[0] - entropy) / length
	}
	if got := information(h, must(h.Prefixes(t.Context(), length))); !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
		t.Errorf("information: %v, want %v", got, want)
	}
}

// must returns the value of a call that cannot fail in a test.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// A condition is copied for each seed.
func TestSeeded(t *testing.T) {
	c := Condition{Source: Mess3(0.15, 0.6), Norm: "LN", Seed: 9}
	for i, got := range c.Seeded(3, 4) {
		if c.Seed = uint64(i + 3); got != c {
			t.Errorf("copy %d is %+v", i, got)
		}
	}
}
