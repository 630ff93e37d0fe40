package claim

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"foretell/run"
)

// A claim has all that its rule found, and the measurement reaches each step.
func TestSteps(t *testing.T) {
	found := Finding{
		Verdict: Differs, Reason: Size, Obtained: "smaller", Effect: Exactly("decay", "", 0.5),
		Conditions: []Condition{{Name: "a", Verdict: Differs, Reason: Size, Obtained: "smaller", Converged: true}},
		Asked:      []Question{{Question: "by a half?", Answer: Yes, Obtained: "by a half"}},
	}
	steps := Steps[int]{
		Measure:  func(context.Context, *Study) (int, error) { return 7, nil },
		Judge:    func(int) Finding { return found },
		Tabulate: func(m int, c *Claim) { c.Notes = append(c.Notes, fmt.Sprint(m)) },
	}
	var c Claim
	if err := steps.Test(t.Context(), &Study{}, &c); err != nil {
		t.Fatal(err)
	}
	if got := (Finding{c.Verdict, c.Reason, c.Obtained, c.Effect, c.Conditions, c.Asked}); !reflect.DeepEqual(got, found) {
		t.Errorf("the claim has %+v, the rule found %+v", got, found)
	}
	if len(c.Notes) != 1 || c.Notes[0] != "7" {
		t.Errorf("notes %q", c.Notes)
	}
	failure := errors.New("no measurement")
	steps.Measure = func(context.Context, *Study) (int, error) { return 0, failure }
	if err := steps.Test(t.Context(), &Study{}, &c); !errors.Is(err, failure) {
		t.Errorf("%v, want %v", err, failure)
	}
}

// Of several errors the first is returned that no cancellation caused.
func TestFirstError(t *testing.T) {
	one, other := errors.New("one"), errors.New("other")
	cancelled, stop := context.WithCancel(t.Context())
	stop()
	for _, test := range []struct {
		ctx  context.Context
		errs []error
		want error
	}{
		{t.Context(), []error{one, other}, one},
		{t.Context(), []error{nil, one, context.Canceled}, one},
		{t.Context(), []error{context.Canceled, nil, other, one}, other},
		{t.Context(), []error{one, run.ErrInterrupted}, one},
		{cancelled, []error{run.ErrInterrupted, context.Canceled}, run.ErrInterrupted},
		{cancelled, []error{nil, nil}, context.Canceled},
		{t.Context(), []error{nil}, nil},
	} {
		if got := first(test.ctx, test.errs); got != test.want {
			t.Errorf("of %v: %v, want %v", test.errs, got, test.want)
		}
	}
}

// The median of an even number of values is in the middle between two.
func TestMiddle(t *testing.T) {
	for _, test := range []struct {
		sorted []float64
		want   float64
	}{
		{[]float64{3}, 3},
		{[]float64{1, 4}, 2.5},
		{[]float64{1, 2, 9}, 2},
		{[]float64{0, 1, 3, 9}, 2},
		{[]float64{0, 1, 2, 7, 9}, 2},
	} {
		if got := middle(test.sorted); got != test.want {
			t.Errorf("the median of %v is %g, want %g", test.sorted, got, test.want)
		}
	}
}

// Figures hold twelve panels at most, and none is empty.
func TestFiguresOfPanels(t *testing.T) {
	of := func(n int, name string) (panels []int) {
		l := &Losses{}
		for range n {
			l.curves = append(l.curves, lossCurve{name: name, models: 1, steps: []float64{0, 1}, median: []float64{2, 1}})
		}
		for _, f := range l.Figures() {
			count := 0
			for _, row := range f.Panels {
				count += len(row)
			}
			panels = append(panels, count)
		}
		return panels
	}
	for _, test := range []struct {
		n    int
		name string
		want []int
	}{{12, "a", []int{12}}, {13, "a", []int{12, 1}}, {24, "a", []int{12, 12}}} {
		if got := of(test.n, test.name); !slices.Equal(got, test.want) {
			t.Errorf("%d curves: %v, want %v", test.n, got, test.want)
		}
	}
}

// Panels are in rows of four at most, and of as many as their titles leave room for.
func TestColumnsOfPanels(t *testing.T) {
	long := func(n int) string { return string(make([]byte, n)) }
	for _, test := range []struct {
		names []string
		want  int
	}{
		{[]string{"a"}, 1},
		{[]string{"a", "b", "c", "d", "e"}, 4},
		{[]string{"a", long(26), "c", "d"}, 3},
		{[]string{"a", long(60), "c"}, 1},
		{[]string{"a", long(200)}, 1},
	} {
		if got := (&Losses{}).columns(test.names); got != test.want {
			t.Errorf("%q: %d in a row, want %d", test.names, got, test.want)
		}
	}
}
