package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"foretell/internal/random"
)

// autoregressed are n values of x[t] = 0.8 x[t−1] + noise.
func autoregressed(n int) []float64 {
	values, x, stream := make([]float64, n), 0.0, random.New(1, "test")
	for i := range values {
		x = 0.8*x + stream.Normal()
		values[i] = x
	}
	return values
}

// day is the date of value i.
func day(i int) string {
	return time.Date(2020, 1, 1+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// lines writes a heading, and a line for each number from begin to end.
func lines(heading string, begin, end int, line func(i int) string) string {
	var b strings.Builder
	b.WriteString(heading + "\n")
	for i := begin; i < end; i++ {
		b.WriteString(line(i) + "\n")
	}
	return b.String()
}

// writeSeries writes series and forecasts with one fault each.
func writeSeries(t *testing.T) {
	t.Helper()
	values := autoregressed(400)
	number := func(i int) string { return fmt.Sprint(values[i]) }
	but := func(at int, cell string) func(i int) string {
		return func(i int) string {
			if i == at {
				return cell
			}
			return number(i)
		}
	}
	dated := func(i int) string { return day(i) + "," + number(i) }
	for name, text := range map[string]string{
		"good.csv":    lines("value", 0, 400, number),
		"dated.csv":   lines("date,load", 0, 400, dated),
		"text.csv":    lines("value", 0, 400, but(7, "hello")),
		"inf.csv":     lines("value", 0, 400, but(7, "Inf")),
		"huge.csv":    lines("value", 0, 400, but(7, "1e308")),
		"list.json":   "[1, 2, 1e300]",
		"missing.csv": lines("value", 0, 50, func(int) string { return "NA" }),
		"late.csv":    lines("value", 0, 100, func(i int) string { return []string{"NA", number(i)}[i/75] }),
		"const.csv":   lines("value", 0, 100, func(i int) string { return fmt.Sprint(3 + i/99) }),
		"same.txt":    strings.Repeat("a", 100) + "\n",
		"abc.txt":     strings.Repeat("abcbcaacb", 100) + "\n",
		"m_hours":     lines("date,mean", 320, 400, func(i int) string { return day(i) + " 12:00,1" }),
		"m_cross":     lines("date,q10,q90", 320, 400, func(i int) string { return day(i) + ",1,0" }),
		"m_equal":     lines("date,q10,q90", 320, 400, func(i int) string { return day(i) + ",1,1" }),
		"m_one":       lines("date,q50", 320, 400, dated),
		"m_150":       lines("date,q50,q150", 320, 400, func(i int) string { return day(i) + ",1,2" }),
		"m_twice":     lines("date,mean,mean", 320, 400, func(i int) string { return day(i) + ",1,2" }),
		"m_same":      lines("date,q10,q10.0", 320, 400, func(i int) string { return day(i) + ",1,2" }),
		"m_few":       lines("date,mean", 395, 400, dated),
		"m_none":      "date,mean\n",
		"m_lacks":     lines("date,q10,q90", 320, 400, func(i int) string { return day(i) + ",1,NA" }),
		"m_notime":    lines("mean", 320, 400, number),
		"m_more":      lines("mean", 0, 401, func(int) string { return "1" }),
		"m_utf16":     "\xff\xfed\x00a\x00",
		"m_sound":     "RIFF    WAVE",
		"m_good":      lines("date,mean", 320, 400, dated),
	} {
		write(t, name, text)
	}
	for _, n := range []int{0, 1, 2, 5, 10, 19, 49} {
		write(t, fmt.Sprintf("n%d.csv", n), lines("value", 0, n, number))
	}
}

// What `series` cannot use, it refuses in one line, and writes nothing.
func TestSeriesErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	writeSeries(t)
	before, _ := os.ReadDir(".")
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"good.csv --column nope", 1, `good.csv has no column "nope"; it has 1 column: value`},
		{"text.csv", 1, `text.csv:9: "hello" is not a number; want one per line`},
		{"inf.csv", 1, `inf.csv:9: "Inf" is infinite; want a finite number`},
		{"huge.csv", 1, "huge.csv:9: 1e308 is too large; want numbers within ±1e+150"},
		{"list.json", 1, "list.json: value 3 is 1e+300; want numbers within ±1e+150"},
		{"missing.csv", 1, "missing.csv: column value has 50 values, all missing"},
		{"late.csv", 1, "late.csv: the first 60 of 100 values, from which " +
			"forecasters learn: cells: all values are missing"},
		{"const.csv", 1, "const.csv: the first 60 of 100 values, from which forecasters learn: " +
			"cells: every value is 3: want values that change"},
		{"same.txt --symbols", 1, "same.txt: the first 60 of 100 values, from which forecasters learn: " +
			"all symbols are the same; want at least two different ones"},
		{"abc.txt", 1, "abc.txt is one line of text, abcbcaacb"},
		{"n0.csv", 1, "n0.csv: column value has no values"},
		{"n1.csv", 1, "n1.csv: too few values, 1; want at least 50"},
		{"n2.csv", 1, "n2.csv: too few values, 2; want at least 50"},
		{"n5.csv", 1, "n5.csv: too few values, 5; want at least 50"},
		{"n10.csv", 1, "n10.csv: too few values, 10; want at least 50"},
		{"n19.csv", 1, "n19.csv: too few values, 19; want at least 50"},
		{"n49.csv", 1, "n49.csv: too few values, 49; want at least 50"},
		{"dated.csv --time nope", 1, `dated.csv has no column "nope"; it has 2 columns: date and load`},
		{"dated.csv --time load", 1, `dated.csv:2: column 2: "`},
		{"good.csv --channel 1", 1, "good.csv is not a sound, WAV or FLAC, so it has no channel 1"},
		{"good.csv --season -1", 2, "--season -1 is outside [1, 1048576]"},
		{"good.csv --season 201", 1, "good.csv: a season of 201 values; want 1 to 200, half of the length"},
		{"good.csv --horizon -1", 2, "--horizon -1 is outside [1, 10000]"},
		{"good.csv --horizon 1000000000", 2, "--horizon 1000000000 is outside [1, 10000]"},
		{"good.csv --horizon 72", 1, "good.csv: a horizon of 72 steps; want 1 to 71 for 80 " +
			"values to validate and 80 to test"},
		{"good.csv --levels 1", 2, "--levels 1 is outside [2, 256]"},
		{"good.csv --levels 257", 2, "--levels 257 is outside [2, 256]"},
		{"good.csv --depth -1", 2, "--depth -1 is outside [1, 255]"},
		{"good.csv --states 51", 2, "--states 51 is outside [1, 50]"},
		{"good.csv --out good.csv", 2, "--out: good.csv is a file; give a folder"},
		{"good.csv --out good.csv/x", 1, "--out: good.csv is not a folder"},
		{"dated.csv --mine m_hours", 1, "m_hours has no forecast of a value of dated.csv, which is " +
			"from 2020-01-01 to 2021-02-03"},
		{"dated.csv --mine m_cross", 1, "m_cross: the forecast of 2020-11-16 has q10 = 1 and q90 = " +
			"0; want quantiles that increase"},
		{"dated.csv --mine m_equal", 1, "m_equal: the forecast of 2020-11-16 has q10 = 1 and q90 = " +
			"1; want quantiles that increase"},
		{"dated.csv --mine m_one", 1, "m_one has one quantile, q50, and no mean; want at least " +
			"two quantiles, or a mean"},
		{"dated.csv --mine m_150", 1, "m_150: column q150 is not a quantile; want percentages above " +
			"0 and below 100, such as q10"},
		{"dated.csv --mine m_twice", 1, `m_twice has two columns "mean"; want one`},
		{"dated.csv --mine m_same", 1, "m_same has the columns q10 and q10.0 for the same quantile; want one"},
		{"dated.csv --mine m_few", 1, "m_few has forecasts of 5 of the last 80 values of " +
			"dated.csv, which are judged; want at least 10"},
		{"dated.csv --mine m_none", 1, "m_none has no forecasts, only one line"},
		{"dated.csv --mine m_lacks", 1, "m_lacks: the forecast of 2020-11-16 lacks q90"},
		{"dated.csv --mine m_notime", 1, "m_notime has no column of times, and dated.csv has one; " +
			"add it as the first column"},
		{"good.csv --mine m_more", 1, "m_more has 401 forecasts for 400 values of good.csv"},
		{"dated.csv --mine m_utf16", 1, "m_utf16 is UTF-16; save it as UTF-8"},
		{"dated.csv --mine m_sound", 1, "m_sound is not a table; want forecasts in the columns mean or q10 … q90"},
		{"dated.csv --mine m_good --horizon 3", 1, "horizon 3: the forecasts in m_good are of the next value; " +
			"want 1"},
		{"abc.txt --symbols --mine m_more", 1, "m_more: forecasts are scored of numbers, and abc.txt has symbols"},
	} {
		args := append([]string{"series"}, strings.Fields(c.args)...)
		if !strings.Contains(c.args, "--out") {
			args = append(args, "--out", "new")
		}
		status, stdout, stderr := call(t, args...)
		if status != c.status || stdout != "" || !strings.HasPrefix(stderr, "foretell: "+c.want) ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, stdout %q\ngot  %swant %s", c.args, status, stdout, stderr, c.want)
		}
	}
	if after, _ := os.ReadDir("."); len(after) != len(before) {
		t.Errorf("%d files, were %d", len(after), len(before))
	}
}

// An interruption leaves nothing.
func TestInterruptedSeries(t *testing.T) {
	t.Chdir(t.TempDir())
	writeSeries(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs strings.Builder
	status := execute(ctx, []string{"series", "good.csv", "--out", "new"}, &out, &errs)
	if _, err := os.Stat("new"); status != exitInterrupted || out.String() != "" || err == nil {
		t.Errorf("status %d, %q, %q, %v", status, out.String(), errs.String(), err)
	}
}
