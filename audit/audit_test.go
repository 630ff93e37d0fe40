package audit

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

// Wrong input is an error of one line that names the row.
func TestWrongInput(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	two := []float64{0.1, 0.9}
	for want, give := range map[string]func() (*Ranks, error){
		"audit: rank 1.5 in row 2: want 0 to 1":     func() (*Ranks, error) { return FromDistributions([]float64{0, 1.5}) },
		"audit: rank -Inf in row 1: want 0 to 1":    func() (*Ranks, error) { return FromDistributions([]float64{-inf}) },
		"audit: 1 quantiles: want at least 2":       func() (*Ranks, error) { return FromQuantiles([]float64{0.5}, nil, nil) },
		"audit: 0 quantiles: want at least 2":       func() (*Ranks, error) { return FromQuantiles(nil, nil, nil) },
		"audit: 0 rows of forecasts for 1 outcomes": func() (*Ranks, error) { return FromQuantiles(two, nil, []float64{1}) },
		"audit: quantile levels [0.1 0.1]: want increasing ones between 0 and 1": func() (*Ranks, error) {
			return FromQuantiles([]float64{0.1, 0.1}, nil, nil)
		},
		"audit: quantile levels [0.5 1]: want increasing ones between 0 and 1": func() (*Ranks, error) {
			return FromQuantiles([]float64{0.5, 1}, nil, nil)
		},
		"audit: quantile levels [0 0.5]: want increasing ones between 0 and 1": func() (*Ranks, error) {
			return FromQuantiles([]float64{0, 0.5}, nil, nil)
		},
		"audit: quantile levels [0.5 NaN]: want increasing ones between 0 and 1": func() (*Ranks, error) {
			return FromQuantiles([]float64{0.5, nan}, nil, nil)
		},
		"audit: row 2 has 1 quantiles: want 2": func() (*Ranks, error) {
			return FromQuantiles(two, [][]float64{{1, 2}, {1}}, []float64{0, 0})
		},
		"audit: row 2: q10 is 3 and q90 is 2: quantiles must increase": func() (*Ranks, error) {
			return FromQuantiles(two, [][]float64{{1, 2}, {3, 2}}, []float64{0, 0})
		},
		"audit: row 1: q10 is 2 and q90 is 2: quantiles must increase": func() (*Ranks, error) {
			return FromQuantiles(two, [][]float64{{2, 2}}, []float64{0})
		},
		"audit: row 1: q90 is NaN: want a number": func() (*Ranks, error) {
			return FromQuantiles(two, [][]float64{{2, nan}}, []float64{0})
		},
		"audit: row 1: the outcome is +Inf: want a number, or NaN if it is missing": func() (*Ranks, error) {
			return FromQuantiles(two, [][]float64{{2, 3}}, []float64{inf})
		},
		"audit: 1 forecasts for 2 outcomes": func() (*Ranks, error) { return FromPoints([]float64{1}, []float64{1, 2}, 1) },
		"audit: row 1: the forecast is NaN: want a number": func() (*Ranks, error) {
			return FromPoints([]float64{nan}, []float64{1}, 1)
		},
		"audit: row 2: the outcome is -Inf: want a number, or NaN if it is missing": func() (*Ranks, error) {
			return FromPoints([]float64{1, 1}, []float64{1, -inf}, 1)
		},
	} {
		if _, err := give(); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestWrongOptions(t *testing.T) {
	some, _ := FromDistributions([]float64{0.5, math.NaN()})
	none, _ := FromDistributions([]float64{math.NaN(), math.NaN()})
	for _, test := range []struct {
		ranks   *Ranks
		options Options
		want    string
	}{
		{none, Options{}, "audit: no outcome among 2 rows"},
		{some, Options{Lags: -1}, "audit: season 0, lags -1, horizon 1: want at most 100000, 1000 and 1000, not negative"},
		{some, Options{Season: 100001}, "audit: season 100001, lags 12, horizon 1: want at most 100000, 1000 and 1000, not negative"},
		{some, Options{Lags: 1001}, "audit: season 0, lags 1001, horizon 1: want at most 100000, 1000 and 1000, not negative"},
		{some, Options{Horizon: 1001}, "audit: season 0, lags 12, horizon 1001: want at most 100000, 1000 and 1000, not negative"},
		{some, Options{Horizon: -2}, "audit: season 0, lags 12, horizon -2: want at most 100000, 1000 and 1000, not negative"},
	} {
		if _, err := test.ranks.Audit(test.options); err == nil || err.Error() != test.want {
			t.Errorf("error %v, want %s", err, test.want)
		}
	}
}

// An outcome is in the interval between its quantiles; one that equals a quantile is in
// the interval below it.
func TestQuantileCells(t *testing.T) {
	forecast := []float64{1, 2, 3}
	outcomes := []float64{0, 1, 1.5, 2, 3, 4, math.NaN()}
	rows := make([][]float64, len(outcomes))
	for i := range rows {
		rows[i] = forecast
	}
	r, err := FromQuantiles([]float64{0.25, 0.5, 0.75}, rows, outcomes)
	if err != nil {
		t.Fatal(err)
	}
	want := []int{0, 0, 1, 1, 2, 3, -1}
	for i, cell := range r.cells {
		if cell != want[i] {
			t.Errorf("outcome %g is in cell %d, want %d", outcomes[i], cell, want[i])
		}
	}
	if h := r.histogram; h.Counts[0] != 2 || h.Expected[0] != 1.5 {
		t.Errorf("histogram %+v", h)
	}
}

// The cells of full distributions are symmetric, and sum to 1 exactly.
func TestFineCells(t *testing.T) {
	levels := fine("").levels
	last := len(levels) - 1
	if last != 42 || levels[0] != 0 || levels[1] != 1./1024 || levels[last] != 1 {
		t.Errorf("levels %v", levels)
	}
	for i := range levels {
		if levels[i] != 1-levels[last-i] || i > 0 && levels[i] <= levels[i-1] {
			t.Errorf("level %d is %g", i, levels[i])
		}
	}
}

func TestSentence(t *testing.T) {
	narrow := Finding{Fault: TooNarrow}
	for _, test := range []struct {
		result Result
		step   string
		want   string
	}{
		{Result{EValue: 19.9, Nats: 0.1}, "day", "Nothing found to improve."},
		{
			Result{EValue: 3, Points: true},
			"day",
			"Nothing found to improve; point forecasts alone cannot show an error that is always the same.",
		},
		{
			Result{EValue: 3472, Nats: 0.1193, Found: []Finding{narrow, {Fault: Repeats, Lag: 7}}},
			"day",
			"Your forecasts leave at least 0.11 nats a value on the table (evidence 3,400 : 1): " +
				"they are too narrow, and their errors repeat after 7 days.",
		},
		{
			Result{EValue: 2e6, Nats: 1.39, Found: []Finding{{Fault: Repeats, Lag: 7}, narrow, {Fault: Repeats, Lag: 1}, {Fault: Drifts}}},
			"",
			"Your forecasts leave at least 1.3 nats a value on the table (evidence over 1,000,000 : 1): " +
				"their errors repeat after 1 and 7 steps, they are too narrow, and their errors drift.",
		},
		{
			Result{EValue: 36.7, Nats: 0.00123},
			"day",
			"Your forecasts leave at least 0.0012 nats a value on the table (evidence 36 : 1); " +
				"no single fault has enough evidence to be named.",
		},
		{
			Result{EValue: 120, Nats: -0.01, Found: []Finding{{Fault: Sizes, Lag: 1}}},
			"hour",
			"Your forecasts are not right (evidence 120 : 1): the size of their errors repeats after 1 hour.",
		},
		{
			Result{EValue: 999999, Nats: 12.7, Points: true, Found: []Finding{{Fault: TooNarrow}}},
			"hour",
			"Your forecasts leave at least 12 nats a value on the table (evidence 990,000 : 1): their errors have grown.",
		},
	} {
		if got := test.result.Sentence(test.step); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

// Every fault has words of both kinds, with a place for the lag exactly where it has one.
func TestFaultsHaveWords(t *testing.T) {
	lagged := map[Fault]bool{Repeats: true, Reverses: true, Sizes: true, Depends: true}
	for _, fault := range append(marginFaults, Repeats, Reverses, Sizes, Depends, Drifts, Pattern) {
		for _, points := range []bool{false, true} {
			if words := wordsOf(fault, points); words == "" || strings.Contains(words, "%s") != lagged[fault] {
				t.Errorf("%s: %q", fault, words)
			}
		}
		if (wordsOf(fault, false) != wordsOf(fault, true)) != slices.Contains(marginFaults, fault) {
			t.Errorf("%s has the words %q and %q", fault, wordsOf(fault, false), wordsOf(fault, true))
		}
	}
}

// The fields that others read have their names, and numbers are numbers.
func TestJSON(t *testing.T) {
	r := audited(t, ranksOf(scaled(repeated(normals(1, 300), 7, 0.6), 0, 1.5)), Options{})
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var fields struct {
		EValue float64 `json:"e_value"`
		Nats   float64 `json:"nats"`
		Found  []struct {
			Fault  string  `json:"fault"`
			Lag    int     `json:"lag"`
			EValue float64 `json:"e_value"`
		} `json:"found"`
		LogWealth []float64 `json:"log_wealth"`
	}
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	if fields.EValue != r.EValue || fields.Nats != r.Nats || len(fields.Found) != 2 || len(fields.LogWealth) != 300 {
		t.Errorf("%+v", fields)
	}
	nothing, err := json.Marshal(audited(t, []float64{0.4}, Options{}))
	if err != nil || !strings.Contains(string(nothing), `"found":[]`) {
		t.Errorf("%s, %v", nothing, err)
	}
}

// Whatever the ranks and options, the result is finite and the answer one line.
func FuzzAudit(f *testing.F) {
	f.Add([]byte{0, 255, 128, 1, 2, 3}, 1, 0, 3)
	f.Add([]byte{254, 254, 254, 254}, 2, 4, 1)
	f.Fuzz(func(t *testing.T, data []byte, horizon, season, lags int) {
		if len(data) > 60 || horizon > 20 || lags > 20 {
			return
		}
		u := make([]float64, len(data))
		for i, b := range data {
			if u[i] = float64(b) / 254; b == 255 {
				u[i] = math.NaN()
			}
		}
		ranks, err := FromDistributions(u)
		if err != nil {
			t.Fatal(err)
		}
		r, err := ranks.Audit(Options{Horizon: horizon, Season: season, Lags: lags})
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q", err)
			}
			return
		}
		for _, x := range append(r.LogWealth, r.EValue, r.LogEValue, r.Nats) {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("number %g in %+v", x, r)
			}
		}
		if s := r.Sentence("day"); strings.ContainsAny(s, "\n%") {
			t.Errorf("sentence %q", s)
		}
	})
}
