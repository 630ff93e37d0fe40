package inspect

import (
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"foretell/document/documenttest"
)

// The points of a page have the coordinates that probe writes, by the name of the word:
// what is read from each stage and, along principal components, the activations.
func TestPlacesAreThoseOfThePortrait(t *testing.T) {
	portrait := trainedOn(t)
	portrait.AddComponents()
	text, err := documenttest.Written(portrait.Forms(""), ".csv")
	if err != nil {
		t.Fatal(err)
	}
	table, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	m, err := Open("runs/first", nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.PlaceComponents(t.Context(), nil, 0, mostPortrayed)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for _, row := range table[1:] {
		rows[row[0]] = row
	}
	if len(c.Rows) != len(rows) {
		t.Fatalf("%d points of %d words", len(c.Rows), len(rows))
	}
	for k, layer := range c.Layers[1:] {
		if !near(layer.Shares, portrait.Stages[k].Shares) {
			t.Errorf("%s: shares %v, and probe has %v", layer.Stage, layer.Shares, portrait.Stages[k].Shares)
		}
		first := slices.Index(table[0], layer.Stage+" PC 1")
		for i, row := range c.Rows {
			word := m.Names().Format(c.Words.Tokens(row), ",")
			var want []float64
			for _, cell := range rows[word][first:][:3] {
				x, err := strconv.ParseFloat(cell, 64)
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, x)
			}
			if !near(layer.At.Row(i), want) {
				t.Fatalf("%s of %s: %v, and probe has %v", layer.Stage, word, layer.At.Row(i), want)
			}
		}
	}
}

// near reports whether numbers agree up to the rounding of sums in another order.
func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-6*(1+math.Abs(y)) })
}

// The shares of the components are those of the variance of the points, and the points
// are at the distances of the activations in as many dimensions.
func TestComponentsHaveTheirShares(t *testing.T) {
	trainedOn(t)
	m, err := Open("runs/first", nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.PlaceComponents(t.Context(), nil, 0, mostPortrayed)
	if err != nil {
		t.Fatal(err)
	}
	for _, layer := range c.Layers[1:] {
		var variance [3]float64
		total := 0.0
		for i, row := range c.Rows {
			p := c.Words.Prob[row] / float64(c.Words.Length)
			total += p
			for k, x := range layer.At.Row(i) {
				variance[k] += p * x * x
			}
		}
		if math.Abs(total-1) > 1e-9 {
			t.Fatalf("the words have probability %g", total)
		}
		for k := 1; k < 3; k++ {
			got, want := variance[k]/variance[0], layer.Shares[k]/layer.Shares[0]
			if math.Abs(got-want) > 1e-6 {
				t.Errorf("%s: component %d has %g of the variance of the first, and its share says %g", layer.Stage, k+1, got, want)
			}
		}
	}
	if _, err := m.PlaceComponents(t.Context(), []string{"nothing"}, 0, 100); err == nil {
		t.Error("a stage that does not exist has a place")
	}
}
