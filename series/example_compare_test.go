package series_test

import (
	"context"
	"fmt"
	"math"

	"foretell/series"
)

// Forecasters of a noisy wave with a period of twelve months are compared. Which wins is
// decided on the part before the one that the verdict is about.
func ExampleCompare() {
	months := &series.Series{Name: "wave"}
	noise := uint64(1)
	for t := range 360 {
		noise = noise*6364136223846793005 + 1442695040888963407
		uniform := float64(noise>>11) / (1 << 53)
		months.Values = append(months.Values, 10*math.Sin(2*math.Pi*float64(t)/12)+8*uniform)
	}
	c, err := series.Compare(context.Background(), months, series.Options{
		Season:      12,
		Horizons:    []int{1},
		Step:        "month",
		Forecasters: []series.Forecaster{series.LastValue{}, series.SeasonalNaive{}, series.AR{}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range c.Forecasters {
		fmt.Printf("%-20s MAE %.1f, %.2f nats\n", f.Name, f.MAE, f.Nats)
	}
	fmt.Println(c.Verdict)
	// Output:
	// unconditional        MAE 6.4, 2.77 nats
	// unconditional normal MAE 6.4, 2.79 nats
	// last value           MAE 4.3, 2.40 nats
	// seasonal naive       MAE 2.4, 1.90 nats
	// AR(13)               MAE 2.2, 1.75 nats
	// At least 31 % of the uncertainty about the next month can be foreseen: AR(13) foresees 37 % (95 %: 31 to 41).
}
