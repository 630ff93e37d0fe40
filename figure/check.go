package figure

import (
	"fmt"
	"math"
)

// Absolute values beyond these limits would overflow or underflow in axis arithmetic.
// Smaller ones count as 0; larger ones are errors.
const (
	smallest = 1e-290
	largest  = 1e290
)

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// checkValues returns an error for the first value that cannot be drawn. The error gives
// the list's name and the index.
func checkValues(name string, values []float64, positive bool) error {
	for i, v := range values {
		if !finite(v) {
			return fmt.Errorf("%s[%d] is %v, want a finite number", name, i, v)
		}
		if math.Abs(v) > largest {
			return fmt.Errorf("%s[%d] = %v is beyond %g, the largest magnitude that can be drawn", name, i, v, largest)
		}
		if positive && v < smallest {
			return fmt.Errorf("%s[%d] = %v cannot be shown on a logarithmic axis", name, i, v)
		}
	}
	return nil
}

// checkLength returns an error unless two lists are equally long. Their names and lengths
// are name and got, other and want.
func checkLength(name string, got, want int, other string) error {
	if got != want {
		return fmt.Errorf("%s has %d values, %s has %d; want equal numbers", name, got, other, want)
	}
	return nil
}

// checkInterval returns an error for an interval that does not contain its value. On a
// logarithmic axis the lower end may be any number: one that is not positive is drawn at
// the edge.
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

// checkGroups returns an error unless values has one drawable value for each group,
// inside the interval from lo to hi if these are given.
func checkGroups(name string, groups int, values, lo, hi []float64, log bool) error {
	if err := checkLength(name, len(values), groups, "groups"); err != nil {
		return err
	}
	if err := checkValues(name, values, log); err != nil {
		return err
	}
	return checkInterval(name, values, lo, hi, log)
}

// checkClass returns an error for a negative colour class. 0 selects a colour
// automatically.
func checkClass(k int) error {
	if k < 0 {
		return fmt.Errorf("color = %d is negative, want a class counted from 1, or 0", k)
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

// panelName returns the name of a panel in an error.
func panelName(kind, title string) string {
	if title == "" {
		return kind
	}
	return fmt.Sprintf("%s %q", kind, title)
}

// seriesName returns the name of a series in an error.
func seriesName(i int, name string) string {
	if name == "" {
		return fmt.Sprintf("series %d", i)
	}
	return fmt.Sprintf("series %q", name)
}
