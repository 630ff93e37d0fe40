package process

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// inRange finds the ends of a range of numbers in the text of a parameter's range, and
// whether they belong to it.
var inRange = regexp.MustCompile(`([\[(])(\S+), ([^\])]+)([\])])`)

// rangeEnds returns the ends of a parameter's range and the numbers just beyond them. 1 −
// p is computed from p's default. ok is false if the range is not an interval.
func rangeEnds(e Entry, p Param) (within, beyond []float64, ok bool) {
	found := inRange.FindStringSubmatch(p.Range)
	if found == nil {
		return nil, nil, false
	}
	end := func(text string) float64 {
		if rest, minus := strings.CutPrefix(text, "1 − "); minus {
			i := slices.IndexFunc(e.Params, func(p Param) bool { return p.Name == rest })
			return 1 - e.Params[i].Default.(float64)
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			x = math.NaN()
		}
		return x
	}
	low, high := end(found[2]), end(found[3])
	if math.IsNaN(low) || math.IsNaN(high) {
		return nil, nil, false
	}
	beyond = []float64{low - 1, math.Nextafter(low, -1e300), math.Nextafter(high, 1e300), high + 1}
	if strings.HasPrefix(found[3], "1 − ") {
		beyond[2] = high + 1e-9 // rounding
	}
	if found[1] == "[" {
		within = append(within, low)
	} else {
		beyond = append(beyond, low)
	}
	if found[4] == "]" {
		within = append(within, high)
	} else {
		beyond = append(beyond, high)
	}
	return within, beyond, true
}

// Each parameter of the zoo takes the ends of the range that the catalogue states, if
// they belong to it, and nothing beyond them.
func TestCatalogueRanges(t *testing.T) {
	intervals := 0
	for _, e := range Catalogue() {
		defaults := Params{}
		for _, p := range e.Params {
			defaults[p.Name] = p.Default
		}
		for _, p := range e.Params {
			within, beyond, ok := rangeEnds(e, p)
			if !ok {
				continue
			}
			intervals++
			build := func(x float64) error {
				with := maps.Clone(defaults)
				with[p.Name] = x
				if list, ok := p.Default.([]float64); ok {
					list = slices.Clone(list)
					list[len(list)/2] = x
					with[p.Name] = list
				}
				_, err := BuildSampler(e.Name, with)
				return err
			}
			for _, x := range within {
				if testing.Short() && x > 1e6 {
					continue // a recording of a million points takes seconds
				}
				if err := build(x); err != nil && strings.Contains(err.Error(), p.Name+" = ") {
					t.Errorf("%s = %v belongs to %s: %v", p.Name, x, p.Range, err)
				}
			}
			for _, x := range beyond {
				if err := build(x); err == nil {
					t.Errorf("%s: %s = %v does not belong to %s, and is taken", e.Name, p.Name, x, p.Range)
				}
			}
		}
	}
	if intervals < 40 {
		t.Errorf("only %d parameters have an interval", intervals)
	}
}
