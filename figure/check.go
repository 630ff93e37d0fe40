package figure

import (
	"fmt"
	"math"
)

// Numbers beyond these have no room left for arithmetic on their axis: smaller ones
// count as 0, larger ones are refused.
const (
	smallest = 1e-290
	largest  = 1e290
)

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// checkValues refuses what cannot be drawn, naming the list and the index.
func checkValues(name string, values []float64, positive bool) error {
	for i, v := range values {
		if !finite(v) {
			return fmt.Errorf("%s[%d] is %v", name, i, v)
		}
		if math.Abs(v) > largest {
			return fmt.Errorf("%s[%d] = %v is beyond %g", name, i, v, largest)
		}
		if positive && v < smallest {
			return fmt.Errorf("%s[%d] = %v has no place on a logarithmic axis", name, i, v)
		}
	}
	return nil
}

// checkLength refuses lists that do not go together. An optional list may be nil.
func checkLength(name string, got, want int, of string) error {
	if got != want {
		return fmt.Errorf("%s has %d values for %d of %s", name, got, want, of)
	}
	return nil
}

// checkInterval refuses intervals that do not contain their values. On a
// logarithmic axis the lower end may be anything: it is drawn to the edge.
func checkInterval(name string, y, lo, hi []float64, log bool) error {
	if lo == nil && hi == nil {
		return nil
	}
	if err := checkLength("lo", len(lo), len(y), name); err != nil {
		return err
	}
	if err := checkLength("hi", len(hi), len(y), name); err != nil {
		return err
	}
	if err := checkValues("lo", lo, false); err != nil {
		return err
	}
	if err := checkValues("hi", hi, log); err != nil {
		return err
	}
	for i := range y {
		if lo[i] > y[i] || y[i] > hi[i] {
			return fmt.Errorf("%s[%d] = %v is outside its interval [%v, %v]", name, i, y[i], lo[i], hi[i])
		}
	}
	return nil
}

// checkGroups refuses what cannot be drawn as a value a group with its interval.
func checkGroups(name string, groups int, values, lo, hi []float64, log bool) error {
	if err := checkLength(name, len(values), groups, "groups"); err != nil {
		return err
	}
	if err := checkValues(name, values, log); err != nil {
		return err
	}
	return checkInterval(name, values, lo, hi, log)
}

// checkClass refuses a class colour below 0, which is the automatic one.
func checkClass(k int) error {
	if k < 0 {
		return fmt.Errorf("color = %d is not a class: they count from 1", k)
	}
	return nil
}

func checkAxes(in string, x, y Axis) error {
	if err := x.check("x"); err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	if err := y.check("y"); err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	return nil
}

// panelName is what an error calls a panel.
func panelName(kind, title string) string {
	if title == "" {
		return kind
	}
	return fmt.Sprintf("%s %q", kind, title)
}

// seriesName is what an error calls a series.
func seriesName(i int, name string) string {
	if name == "" {
		return fmt.Sprintf("series %d", i)
	}
	return fmt.Sprintf("series %q", name)
}
