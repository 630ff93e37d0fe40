package figure_test

import (
	"fmt"
	"math"
	"strings"

	"foretell/figure"
)

// A loss beside what it could be at best, as a file for a paper.
func Example() {
	loss := figure.Series{
		Name: "two heads",
		X:    []float64{0, 1000, 2000, 3000},
		Y:    []float64{1.12, 1.094, 1.0901, 1.0893},
	}
	chart := figure.Chart{
		X:      figure.Axis{Label: "step"},
		Y:      figure.Axis{Label: "loss (nats a token)"},
		Series: []figure.Series{loss},
		Refs:   []figure.Ref{{Label: "floor", Value: 1.0889}, {Label: "chance", Value: math.Log(3)}},
	}
	fig := figure.Single("Training on Mess3(0.15, 0.6)", "The loss falls to the floor.", chart)
	doc, err := fig.SVG()
	fmt.Println(strings.HasPrefix(string(doc), "<svg"), err)

	loss.Y[2] = math.NaN()
	_, err = fig.SVG()
	fmt.Println(err)
	// Output:
	// true <nil>
	// figure "Training on Mess3(0.15, 0.6)": row 0, column 0: chart: series "two heads": y[2] is NaN, want a finite number
}

// Beliefs in their triangle, each coloured by itself.
func ExampleSimplex() {
	panel := figure.Simplex{
		P:        [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.4, 0.3, 0.3}},
		Vertices: [3]string{"A", "B", "C"},
	}
	doc, err := figure.Single("Beliefs", "Three corners and a point near the centre.", panel).SVG()
	fmt.Println(strings.Count(string(doc), "<circle"), err)
	// Output: 4 <nil>
}
