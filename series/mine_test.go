package series

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// mine reads forecasts, a line for each value from begin to the end.
func mine(t *testing.T, s *Series, heading string, begin int, line func(i int) string) *Mine {
	t.Helper()
	var b strings.Builder
	b.WriteString(heading + "\n")
	for i := begin; i < len(s.Values); i++ {
		b.WriteString(line(i) + "\n")
	}
	path := filepath.Join(t.TempDir(), "mine.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := ReadMine(path, s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Forecasts are of the values with their times, or of the last values; a mean that is
// missing is the middle quantile.
func TestReadMine(t *testing.T) {
	s, err := ReadFrom(strings.NewReader(datedText(60)), "s.csv", ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	plain := &Series{Values: s.Values}
	rows := func(s *Series, heading, format string) *Mine {
		return mine(t, s, heading, 45, func(i int) string {
			line := fmt.Sprintf(format, i, i+1, i+2)
			if s.Times != nil {
				line = s.When(i) + "," + line
			}
			return line
		})
	}
	for _, c := range []struct {
		name   string
		m      *Mine
		levels string
		want   []float64 // of value 50
	}{
		{"mean by time", rows(s, "date,mean", "%[1]d"), "[]", []float64{50}},
		{"mean by row", rows(plain, "mean", "%[1]d"), "[]", []float64{50}},
		{"quantiles by time", rows(s, "date,q10,q50,q90", "%d,%d,%d"), "[0.1 0.5 0.9]", []float64{51, 50, 51, 52}},
		{"both by row", rows(plain, "q90,q10,mean", "%[3]d,%[1]d,%[2]d"), "[0.1 0.9]", []float64{51, 50, 52}},
	} {
		if got := c.m.forecasts[50]; fmt.Sprint(got) != fmt.Sprint(c.want) || fmt.Sprint(c.m.levels) != c.levels ||
			c.m.Rows != 15 || c.m.Beyond != 0 || len(c.m.order) != 15 || c.m.order[0] != 45 {
			t.Errorf("%s: %v, levels %v, %+v", c.name, got, c.m.levels, c.m)
		}
	}
}

// datedText is a table of n days.
func datedText(n int) string {
	var b strings.Builder
	b.WriteString("date,load\n")
	for i := range n {
		fmt.Fprintf(&b, "%s,%d\n", time.Date(2020, 1, 1+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly), i*i%17)
	}
	return b.String()
}

// row returns the scores of the forecaster whose name begins like this, one step ahead.
func row(t *testing.T, r *Report, name string) Row {
	t.Helper()
	for _, row := range r.Forecasters {
		if row.Horizon == 1 && strings.HasPrefix(row.Name, name) {
			return row
		}
	}
	t.Fatalf("no row of %s", name)
	return Row{}
}

// autoregressed returns x[t] = 0.8 x[t−1] + noise.
func autoregressed(seed uint64, n int) *Series {
	values := noise(seed, n)
	for i := 1; i < n; i++ {
		values[i] += 0.8 * values[i-1]
	}
	return &Series{Source: "s.csv", Values: values}
}

// The scores of forecasts that are too low by 0.5 and by 1 in turn are what one computes
// by hand, and so are the nats of quantiles that give two cells the probability 1/2.
func TestScoresOfMine(t *testing.T) {
	s := autoregressed(1, 400)
	m := mine(t, s, "mean", 200, func(i int) string { return fmt.Sprint(s.Values[i] - 0.5 - 0.5*float64(i%2)) })
	r := examined(t, s, Request{Seed: 1, Mine: m, Season: 1})
	yours := row(t, r, mineName)
	if math.Abs(yours.MAE-0.75) > 1e-9 || math.Abs(yours.RMSE-math.Sqrt(0.625)) > 1e-9 || yours.Scored != 80 {
		t.Errorf("MAE %g, RMSE %g on %d; want 0.75, %g on 80", yours.MAE, yours.RMSE, yours.Scored, math.Sqrt(0.625))
	}

	// Two cells, split at a threshold; the forecast is uniform on half of its mass from 1
	// below the threshold to 1 above it, so each cell has the probability 1/2.
	cells, err := FitCells(s.Values[:320], 2)
	if err != nil {
		t.Fatal(err)
	}
	middle := cells.Thresholds()[0]
	m = mine(t, s, "q25,q75", 200, func(int) string { return fmt.Sprintf("%v,%v", middle-1, middle+1) })
	r = examined(t, s, Request{Seed: 1, Mine: m, Season: 1, Levels: 2})
	if yours = row(t, r, mineName); math.Abs(yours.Nats-math.Ln2) > 1e-9 {
		t.Errorf("%g nats, want ln 2", yours.Nats)
	}
}

// Forecasts by an autoregression, written to a file, have nearly its scores.
func TestMineLikeAR(t *testing.T) {
	s := autoregressed(2, 2000)
	m := mine(t, s, "mean", 1, func(i int) string { return fmt.Sprint(0.8 * s.Values[i-1]) })
	r := examined(t, s, Request{Seed: 1, Mine: m, Season: 1})
	yours, ar := row(t, r, mineName), row(t, r, "AR")
	if math.Abs(yours.MAE/ar.MAE-1) > 0.02 || math.Abs(yours.Nats-ar.Nats) > 0.02 ||
		math.Abs(yours.CRPS/ar.CRPS-1) > 0.02 {
		t.Errorf("yours %+v, AR %+v", yours, ar)
	}
}

// The audit of right quantiles finds nothing; that of quantiles 30 % too narrow finds it
// within 300 values, and says so. Of right points it says what points cannot show.
func TestAuditOfMine(t *testing.T) {
	s := autoregressed(3, 400)
	quantiles := func(width float64) func(i int) string {
		return func(i int) string {
			var cells []string
			for k := 1; k < 10; k++ {
				cells = append(cells, fmt.Sprint(Normal{0.8 * s.Values[i-1], width}.Quantile(float64(k)/10)))
			}
			return strings.Join(cells, ",")
		}
	}
	const heading = "q10,q20,q30,q40,q50,q60,q70,q80,q90"
	for _, c := range []struct {
		name, heading string
		line          func(i int) string
		found         bool
		want          string
	}{
		{"right", heading, quantiles(1), false, "Nothing found to improve."},
		{"narrow", heading, quantiles(0.7), true, "they are too narrow"},
		{
			"points", "mean", func(i int) string { return fmt.Sprint(0.8 * s.Values[i-1]) }, false,
			"Nothing found to improve; point forecasts alone cannot show an error that is always the same.",
		},
	} {
		r, err := mine(t, s, c.heading, 100, c.line).Audit(s, 0)
		if err != nil {
			t.Fatal(err)
		}
		if said := r.Sentence("day"); (r.EValue > 20) != c.found || !strings.Contains(said, c.want) || r.N > 300 {
			t.Errorf("%s: e-value %g of %d values: %s", c.name, r.EValue, r.N, said)
		}
	}
}
