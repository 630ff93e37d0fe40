package series

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"
)

// recording returns a column of a file in testdata; NA is a missing value.
func recording(t testing.TB, name string, column int) []float64 {
	t.Helper()
	file, err := os.Open("testdata/" + name + ".csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var values []float64
	for _, row := range rows[1:] {
		v, err := strconv.ParseFloat(row[column], 64)
		if row[column] == "NA" {
			v, err = math.NaN(), nil
		}
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, v)
	}
	return values
}

func TestReference(t *testing.T) {
	for _, row := range []struct {
		name string
		m, h int
		want []float64
	}{
		{"airpassengers", 12, 24, []float64{4.03, 2.49, 2.21, 2.21, 4.71}},
		{"nottem", 12, 24, []float64{4.58, 0.70, 0.60, 0.601, 0.72}},
		{"sunspots", 12, 24, []float64{2.62, 2.36, 2.57, 2.59, 0.802}},
		{"nile", 1, 14, []float64{1.07, 0, 0.745, 0.768, 0.827}},
	} {
		values := recording(t, row.name, 1)
		past, future := values[:len(values)-row.h], values[len(values)-row.h:]
		scale, n := 0.0, 0.0
		for i := row.m; i < len(past); i++ {
			scale += math.Abs(past[i] - past[i-row.m])
			n++
		}
		scale /= n
		for i, f := range []Forecaster{LastValue{}, SeasonalNaive{}, Theta{}, ETS{}, AR{}} {
			m, err := f.Fit(t.Context(), Past{Values: past, Season: row.m})
			if err != nil {
				t.Log(err)
				continue
			}
			mae := 0.0
			for k, d := range m.Forecast(row.h) {
				mae += math.Abs(d.Mean()-future[k]) / float64(row.h)
			}
			t.Logf("%s %s: MASE %.4f, R %g: %+.1f%%", row.name, m.Name(), mae/scale, row.want[i], 100*(mae/scale/row.want[i]-1))
		}
	}
}
