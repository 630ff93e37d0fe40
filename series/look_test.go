package series

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"foretell/internal/random"
)

// look reads and describes a recording of testdata.
func look(t *testing.T, path string) *Facts {
	t.Helper()
	s, err := Read("testdata/"+path, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return lookAt(t, s, LookOptions{})
}

func lookAt(t *testing.T, s *Series, o LookOptions) *Facts {
	t.Helper()
	f, err := Look(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(f); err != nil {
		t.Error(err) // NaN and infinities have no JSON
	}
	return f
}

// What is known of real recordings is found.
func TestLookAtRecordings(t *testing.T) {
	for path, want := range map[string]string{
		"sunspots.csv":               "about 11 years",
		"nottem.csv":                 "12 months",
		"airpassengers.csv":          "12 months",
		"nile.csv":                   "none",
		"airquality.csv:ozone":       "none",
		"airquality.csv:wind":        "none",
		"airquality.csv:temperature": "none",
	} {
		got := "none"
		if f := look(t, path); f.Season != nil {
			got = f.Season.Name
		}
		if got != want {
			t.Errorf("%s: season %s, want %s", path, got, want)
		}
	}
	nile := look(t, "nile.csv") // 1898 is the last year of the high level (Cobb 1978)
	if c := nile.Change; c == nil || c.When != "1899" || c.P > 1e-4 || math.Round(c.Before) != 1098 || math.Round(c.After) != 850 {
		t.Errorf("%+v", c)
	}
	air := look(t, "airpassengers.csv")
	if air.Trend.Low <= 0 || air.Trend.Value > 3 || air.Trend.Value < 2 || air.Spread.Low <= 1 || air.Level.Low <= 0 {
		t.Errorf("%+v, spread %+v, level %+v", air.Trend, air.Spread, air.Level)
	}
	ozone := look(t, "airquality.csv:ozone")
	if ozone.Missing != 37 || ozone.Gap == nil || *ozone.Gap != (Place{4, "1973-05-05"}) || ozone.Absent != 0 {
		t.Errorf("%+v", ozone)
	}
	sun := look(t, "sunspots.csv")
	if sun.Length != 2820 || sun.First != "1749-01" || sun.Last != "1983-12" || sun.Run.Value != 0 || sun.Run.Length != 21 ||
		sun.Run.When != "1809-10" || sun.Uneven != nil || sun.Season.Steady || sun.Min != 0 || sun.Max != 253.8 {
		t.Errorf("%+v", sun)
	}
	nottem := look(t, "nottem.csv")
	if !nottem.Season.Steady || nottem.Level.Low > 0 || nottem.Level.High < 0 || nottem.Change.P < 0.05 {
		t.Errorf("%+v, level %+v, change %+v", nottem.Season, nottem.Level, nottem.Change)
	}
}

// drawn returns n values of an autoregression with coefficient phi, in its stationary
// state up to phi^200.
func drawn(seed uint64, n int, phi float64) *Series {
	r := random.New(seed, "series/look_test")
	s, x := &Series{Values: make([]float64, n)}, 0.0
	for i := -200; i < n; i++ {
		x = phi*x + r.Normal()
		if i >= 0 {
			s.Values[i] = x
		}
	}
	return s
}

// White noise has a season, a trend or a change rarely, and neither has an autoregression
// whose memory is short. The bound is the 99.9 % quantile of the stated rate of 5 %; a
// season is found in at most 2 %.
func TestFalseAlarms(t *testing.T) {
	const seeds = 200
	for _, c := range []struct {
		n   int
		phi float64
	}{{60, 0}, {300, 0}, {1000, 0}, {300, 0.5}, {1000, 0.8}} {
		alarms := map[string]int{}
		for seed := range uint64(seeds) {
			f := lookAt(t, drawn(seed, c.n, c.phi), LookOptions{})
			for name, alarm := range map[string]bool{
				"season": f.Season != nil,
				"trend":  f.Trend.P < 0.05,
				"slope":  f.Trend.Low > 0 || f.Trend.High < 0,
				"level":  f.Level.Low > 0 || f.Level.High < 0,
				"spread": f.Spread.Low > 1 || f.Spread.High < 1,
				"change": f.Change.P < 0.05,
			} {
				if alarm {
					alarms[name]++
				}
			}
		}
		t.Logf("n %d, φ %v: %v of %d", c.n, c.phi, alarms, seeds)
		for name, n := range alarms {
			if n > 21 || name == "season" && n > 4 {
				t.Errorf("n %d, φ %v: %s in %d of %d", c.n, c.phi, name, n, seeds)
			}
		}
	}
}

// A season as strong as the noise is found at its period, with missing values, too.
func TestSeasonIsFound(t *testing.T) {
	found := 0
	for seed := range uint64(100) {
		s := drawn(seed, 400, 0)
		for i := range s.Values {
			s.Values[i] += math.Sqrt2*math.Sin(2*math.Pi*float64(i)/7) + 0.02*float64(i)
			if i%11 == 0 {
				s.Values[i] = math.NaN()
			}
		}
		if f := lookAt(t, s, LookOptions{}); f.Season != nil && f.Season.Period == 7 && f.Season.Name == "7 values" &&
			f.Season.Steady && f.Trend.P < 0.01 {
			found++
		}
	}
	if found < 95 {
		t.Errorf("found in %d of 100", found)
	}
}

// A series that is constant, a line, short or of symbols has the facts that can be said.
func TestLookAtLittle(t *testing.T) {
	constant := lookAt(t, &Series{Values: make([]float64, 50)}, LookOptions{})
	if constant.Run.Length != 50 || constant.Deviation != 0 || constant.Season != nil || constant.Level != nil {
		t.Errorf("%+v", constant)
	}
	line := &Series{Values: make([]float64, 50)}
	for i := range line.Values {
		line.Values[i] = 0.1 * float64(i)
	}
	if f := lookAt(t, line, LookOptions{}); f.Season != nil || math.Abs(f.Trend.Value-0.1) > 1e-12 {
		t.Errorf("%+v", f)
	}
	short := lookAt(t, &Series{Values: []float64{1, nan, 2}}, LookOptions{})
	if short.Missing != 1 || short.Mean != 1.5 || short.Trend != nil || short.Gap.When != "value 2" {
		t.Errorf("%+v", short)
	}
	lookAt(t, &Series{Values: []float64{nan, nan}}, LookOptions{})
	lookAt(t, &Series{}, LookOptions{})
	symbols := lookAt(t, &Series{Values: []float64{0, 1, 1, nan}, Symbols: []string{"a", "b"}}, LookOptions{})
	if fmt.Sprint(symbols.Counts) != "[1 2]" || symbols.Missing != 1 || symbols.Run.Index != 1 {
		t.Errorf("%+v", symbols)
	}
	for _, season := range []int{-1, 26} {
		_, err := Look(t.Context(), line, LookOptions{Season: season})
		if want := fmt.Sprintf("a season of %d values; want 1 to 25, half of the length", season); fmt.Sprint(err) != want {
			t.Error(err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Look(ended, drawn(1, 100, 0), LookOptions{}); err != context.Canceled {
		t.Error(err)
	}
}

// A given season takes the place of the one that is found.
func TestGivenSeason(t *testing.T) {
	s, err := Read("testdata/nottem.csv", ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f := lookAt(t, s, LookOptions{Season: 24})
	if f.Season.Period != 24 || !f.Season.Given || f.Season.Name != "24 months" {
		t.Errorf("%+v", f.Season)
	}
	if f = lookAt(t, s, LookOptions{Season: 1}); f.Season != nil {
		t.Errorf("%+v", f.Season)
	}
}

// Values that are not one step after the one before are named.
func TestUneven(t *testing.T) {
	s, err := read("x", "2020-01-01 00:00,1\n2020-01-01 01:00,1\n2020-01-01 02:00,2\n2020-01-01 02:30,3\n", ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if f := lookAt(t, s, LookOptions{}); f.Uneven == nil || *f.Uneven != (Place{3, "2020-01-01 02:30"}) || f.Step != (Step{"hour", 1}) {
		t.Errorf("%+v", f)
	}
}

// Periods are named in the largest unit that has a whole number of them.
func TestNamesOfPeriods(t *testing.T) {
	for _, c := range []struct {
		s     Series
		n     int
		about bool
		want  string
	}{
		{Series{Step: Step{"month", 1}}, 12, false, "12 months"},
		{Series{Step: Step{"month", 1}}, 133, true, "about 11 years"},
		{Series{Step: Step{"month", 1}}, 13, true, "about 13 months"},
		{Series{Step: Step{"quarter", 1}}, 4, false, "4 quarters"},
		{Series{Step: Step{"minute", 30}}, 48, false, "1 day"},
		{Series{Step: Step{"minute", 30}}, 7, false, "210 minutes"},
		{Series{Step: Step{"day", 1}}, 152, true, "about 150 days"},
		{Series{}, 7, false, "7 values"},
		{Series{}, 7, true, "about 7 values"},
		{Series{Rate: 44100, Step: Step{"sample", 1}}, 100, true, "100 samples (441 Hz)"},
	} {
		if got := c.s.named(c.n, c.about); got != c.want {
			t.Errorf("%v, %d: %s, want %s", c.s.Step, c.n, got, c.want)
		}
	}
}

// Autocorrelations by Fourier transforms are the sums of products, in one block or
// several.
func TestLaggedSums(t *testing.T) {
	x := drawn(3, 1000, 0.5).Values
	for _, most := range []int{512, 1 << 20} {
		got, err := lagged(t.Context(), x, 300, most)
		if err != nil || len(got) != 301 {
			t.Fatal(len(got), err)
		}
		for k, sum := range got {
			want := 0.0
			for i := range x[k:] {
				want += x[i] * x[i+k]
			}
			if math.Abs(sum-want) > 1e-9 {
				t.Fatalf("lag %d: %v, want %v", k, sum, want)
			}
		}
	}
}

// Kolmogorov's distribution has its published quantiles.
func TestKolmogorov(t *testing.T) {
	for x, want := range map[float64]float64{1.22385: 0.1, 1.3581: 0.05, 1.6276: 0.01, 0.2: 1} {
		if got := kolmogorov(x); math.Abs(got-want) > 5e-5 {
			t.Errorf("%v: %v, want %v", x, got, want)
		}
	}
}

// The grid of days without weekends counts from Friday to Monday as one step.
func TestWeekdays(t *testing.T) {
	friday := time.Date(1969, 12, 26, 0, 0, 0, 0, time.UTC)
	for days, want := range map[int]int64{0: 0, 3: 1, 4: 2, 7: 5, 10: 6} {
		if got := weekdays(friday.AddDate(0, 0, days)) - weekdays(friday); got != want {
			t.Errorf("%d days: %d, want %d", days, got, want)
		}
	}
}

// Facts have the fields in JSON that scripts read.
func TestFactsInJSON(t *testing.T) {
	data, err := json.Marshal(look(t, "nottem.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{`"n":240`, `"step":{"unit":"month","count":1}`, `"season":{"period":12,"name":"12 months"`, `"missing":0`} {
		if !strings.Contains(string(data), field) {
			t.Errorf("%s lacks %s", data, field)
		}
	}
}
