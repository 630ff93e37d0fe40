package series_test

import (
	"context"
	"fmt"
	"log"

	"foretell/series"
)

// The facts of a recording: the monthly mean temperature in Nottingham.
func ExampleLook() {
	s, err := series.Read("testdata/nottem.csv", series.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	f, err := series.Look(context.Background(), s, series.LookOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %d values, one each %s, from %s to %s\n", s.Name, f.Length, f.Step, f.First, f.Last)
	fmt.Printf("season: %s, autocorrelation %.2f\n", f.Season.Name, f.Season.Correlation)
	fmt.Printf("second half minus first half: %.1f (%.1f to %.1f)\n", f.Level.Value, f.Level.Low, f.Level.High)
	// Output:
	// fahrenheit: 240 values, one each 1 month, from 1920-01 to 1939-12
	// season: 12 months, autocorrelation 0.88
	// second half minus first half: 0.7 (-0.1 to 1.6)
}

// A column of a table with missing values.
func ExampleRead() {
	s, err := series.Read("testdata/airquality.csv:ozone", series.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for i := 3; i < 6; i++ {
		fmt.Println(s.When(i), s.Values[i])
	}
	// Output:
	// 1973-05-04 18
	// 1973-05-05 NaN
	// 1973-05-06 28
}
