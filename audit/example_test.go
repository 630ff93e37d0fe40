package audit_test

import (
	"fmt"
	"math"

	"foretell/audit"
	"foretell/internal/random"
)

// A year of daily forecasts by quantiles. The errors repeat after a week, and they are
// larger than the quantiles allow.
func Example() {
	levels := []float64{0.1, 0.25, 0.5, 0.75, 0.9}
	forecast := []float64{-1.28, -0.67, 0, 0.67, 1.28}
	stream := random.New(1, "audit/example")
	errors, rows := make([]float64, 365), make([][]float64, 365)
	for t := range errors {
		errors[t] = 1.4 * stream.Normal()
		if t >= 7 {
			errors[t] = 0.5*errors[t-7] + math.Sqrt(0.75)*errors[t]
		}
		rows[t] = forecast
	}
	ranks, err := audit.FromQuantiles(levels, rows, errors)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := ranks.Audit(audit.Options{Season: 7})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Sentence("day"))
	fmt.Println(result.Ranks.Counts)
	// Output:
	// Your forecasts leave at least 0.16 nats a value on the table (evidence over 1,000,000 : 1): their errors repeat after 7 days, and they are too narrow.
	// [49 40 68 69 49 90]
}
