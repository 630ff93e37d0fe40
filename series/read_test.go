package series

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// read reads a file's contents.
func read(name, contents string, o ReadOptions) (*Series, error) {
	return parse(name, []byte(contents), o)
}

// nan stands for a missing value in the tables.
var nan = math.NaN()

// equal compares lists in which NaN equals NaN.
func equal(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })
}

// A column is read from every form of table.
func TestTables(t *testing.T) {
	for _, c := range []struct {
		contents string
		o        ReadOptions
		name     string
		want     []float64
		step     Step
	}{
		{"1\n2\n3\n", ReadOptions{}, "", []float64{1, 2, 3}, Step{}},
		{"level\r\n1\r\n2", ReadOptions{}, "level", []float64{1, 2}, Step{}},
		{"1\nNA\n\nnan\nnull\n2\n\n\n", ReadOptions{}, "", []float64{1, nan, nan, nan, nan, 2}, Step{}},
		{"[1, 2]", ReadOptions{}, "", []float64{1, 2}, Step{}},
		{"time,level\n2020-01,5\n2020-02,6\n", ReadOptions{}, "level", []float64{5, 6}, Step{"month", 1}},
		{"2020-01,5\n2020-02,6\n", ReadOptions{}, "", []float64{5, 6}, Step{"month", 1}},
		{"day\tlevel\n2020-02-29\t5\n2020-03-01\t6\n", ReadOptions{}, "level", []float64{5, 6}, Step{"day", 1}},
		{"year;a;b\n1871;1;2\n1872;3;4\n", ReadOptions{Column: "b"}, "b", []float64{2, 4}, Step{"year", 1}},
		{"year;a;b\n1871;1;2\n1872;3;4\n", ReadOptions{Column: "2"}, "a", []float64{1, 3}, Step{"year", 1}},
		{"1949.000 1\n1949.083 2\n1949.167 3\n", ReadOptions{}, "", []float64{1, 2, 3}, Step{"month", 1}},
		{"1949 1\n1949.25 2\n1949.5 3\n", ReadOptions{}, "", []float64{1, 2, 3}, Step{"quarter", 1}},
		{"q,x\n1949Q4,1\n1950Q1,2\n", ReadOptions{}, "x", []float64{1, 2}, Step{"quarter", 1}},
		{"a,t\n1,2020-01-01T10:00Z\n2,2020-01-01T10:30Z\n", ReadOptions{Time: "t"}, "a", []float64{1, 2}, Step{"minute", 30}},
		{"t,a\n2020-01-01 10:00:00,1\n2020-01-01 10:00:00.1,2\n", ReadOptions{}, "a", []float64{1, 2}, Step{"millisecond", 100}},
		{"day,level\nMon,1\nTue,3\n", ReadOptions{}, "level", []float64{1, 3}, Step{}},
		{"time,level\n0,1\n2,3\n", ReadOptions{}, "level", []float64{1, 3}, Step{}},
		{"\"\",\"x\"\n\"1\",5\n\"2\",6\n", ReadOptions{}, "x", []float64{5, 6}, Step{}},
		{"day,place,x\n2020-01-31,a,1\n2020-02-29,b,2\n2020-03-31,c,4\n", ReadOptions{}, "x", []float64{1, 2, 4}, Step{"month", 1}},
		{"time,x\n2020-01,1\n2020-02,\n2020-05,3\n2020-06,4\n", ReadOptions{}, "x", []float64{1, nan, nan, nan, 3, 4}, Step{"month", 1}},
		{"2020-01-01,1\n2020-01-02,2\n2020-01-04,3\n2020-01-08,4\n", ReadOptions{}, "", []float64{1, 2, nan, 3, nan, nan, nan, 4}, Step{"day", 1}},
		{"2020-01-01,1\n2020-01-02,2\n2020-01-12,3\n", ReadOptions{}, "", []float64{1, 2, 3}, Step{"day", 1}},
	} {
		s, err := read("x.csv", c.contents, c.o)
		if err != nil || s.Name != c.name || !equal(s.Values, c.want) || s.Step != c.step {
			t.Errorf("%q: %+v, %v", c.contents, s, err)
			continue
		}
		if s.Times != nil && len(s.Times) != len(s.Values) {
			t.Errorf("%q: %d times of %d values", c.contents, len(s.Times), len(s.Values))
		}
	}
}

// Times that the file lacks are marked, and have their time; weekends are not gaps.
func TestGaps(t *testing.T) {
	s, err := read("x", "2020-01-31,1\n2020-02-29,1\n2020-04-30,2\n2020-05-31,3\n", ReadOptions{})
	if err != nil || !reflect.DeepEqual(s.Absent, []int{2}) || s.When(2) != "2020-03" {
		t.Errorf("%+v, %v", s, err)
	}
	var table strings.Builder
	for day := time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC); day.Month() < 5; day = day.AddDate(0, 0, 1) {
		if w := day.Weekday(); w != time.Saturday && w != time.Sunday && day.Day() != 29 {
			fmt.Fprintf(&table, "%s,1\n", day.Format(time.DateOnly))
		}
	}
	s, err = read("x", table.String(), ReadOptions{})
	if err != nil || s.Step != (Step{"weekday", 1}) || len(s.Absent) != 2 || s.When(s.Absent[0]) != "2024-03-29" ||
		s.When(s.Absent[1]) != "2024-04-29" {
		t.Errorf("%+v, %v", s, err)
	}
}

// What is wrong with a file is one line: what, where, and what would be right.
func TestBadTables(t *testing.T) {
	for _, c := range []struct {
		contents string
		o        ReadOptions
		want     string
	}{
		{"", ReadOptions{}, "x.csv has no values"},
		{"level\n", ReadOptions{}, "x.csv: column level has no values"},
		{"level\nNA\n\n", ReadOptions{}, "x.csv: column level has 1 value, all missing"},
		{"level\n1\n2\n", ReadOptions{Least: 16}, "x.csv: column level has 2 values; want at least 16"},
		{"time,a,b\n2020,1,2\n2021,1,2\n", ReadOptions{}, "x.csv has 2 columns of numbers: a and b; choose one, such as x.csv:a"},
		{"1,2\n1,2\n", ReadOptions{}, "x.csv has 2 columns of numbers: 1 and 2; choose one, such as x.csv:1"},
		{"a,b\nu,v\n", ReadOptions{}, "x.csv has no column of numbers; it has 2 columns without names"},
		{"time,a,b\n2020,1,2\n", ReadOptions{Column: "c"}, `x.csv has no column "c"; it has 3 columns: time, a and b`},
		{"time,a,b\n2020,1,2\n", ReadOptions{Column: "4"}, `x.csv has no column "4"; it has 3 columns: time, a and b`},
		{"time,a,a\n2020,1,2\n", ReadOptions{Column: "a"}, `x.csv has two columns "a"; choose one by its number, such as 2`},
		{"1,2\n", ReadOptions{Time: "x"}, `x.csv has no column "x"; it has 2 columns: 1 and 2`},
		{"level\n1\nx\n", ReadOptions{}, `x.csv:3: "x" is not a number; want one per line`},
		{"time,a\n2020,1\n2021,Inf\n", ReadOptions{}, `x.csv:3: column 2: "Inf" is infinite; want a finite number`},
		{"1\n1e999\n", ReadOptions{}, `x.csv:2: "1e999" is too large for a number`},
		{"t;a\n2020;1,5\n", ReadOptions{}, `x.csv:2: column 2: "1,5" has a decimal comma; write 1.5`},
		{"time,a\n2020-01,1\n2020-03,1\n2020-02,1\n", ReadOptions{}, "x.csv:4: column 1: the time 2020-02 comes after 2020-03; want lines in the order of time"},
		{"time,a\n2020-01,1\n2020-01,1\n", ReadOptions{}, "x.csv:3: column 1: the time 2020-01 occurs twice; want one value for each time"},
		{"2020-01,1\n2020-02,1\n2020-3,1\n", ReadOptions{}, `x.csv:3: column 1: "2020-3" is not a time like the first, 2020-01`},
		{"Date,a\nJan 2020,1\nFeb 2020,1\n", ReadOptions{}, `x.csv:2: column 1: "Jan 2020" is not a time; write it as 2024, 2024.083, 2024-01, 2024Q1, 2024-01-31 or 2024-01-31 12:00`},
		{"time,a\nMonday,1\n2020-01,1\n", ReadOptions{Time: "time"}, `x.csv:2: column 1: "Monday" is not a time; write it as 2024, 2024.083, 2024-01, 2024Q1, 2024-01-31 or 2024-01-31 12:00`},
		{"time,a\n2020-01,1\nx,1\n", ReadOptions{Time: "time"}, `x.csv:3: column 1: "x" is not a time like the first, 2020-01`},
		{"a,b\n1,2\n\n3,4\n", ReadOptions{Column: "b"}, "x.csv:3: the line is empty; want a value in every line"},
		{"a,b\n1,2\n3\n", ReadOptions{Column: "b"}, "x.csv:3: 1 columns, but 2 in line 1; want the same number in every line"},
		{"\xff\xfe1\x00\n\x00", ReadOptions{}, "x.csv is UTF-16; save it as UTF-8"},
		{"H\xf6he\n1\n", ReadOptions{}, "x.csv:1: byte 0xf6 is not UTF-8; save the file as UTF-8 (it may be Latin-1)"},
		{"[1, 2", ReadOptions{}, "x.csv is not a JSON list of numbers, such as [1, 2]: unexpected end of JSON input"},
		{"[1]", ReadOptions{Column: "a"}, "x.csv is a JSON list of numbers, which has neither columns nor symbols"},
		{"1\n", ReadOptions{Channel: 1}, "x.csv is not a sound, WAV or FLAC, so it has no channel 1"},
		{strings.Repeat("\n", MostValues+3), ReadOptions{}, "x.csv has 10000004 lines; a series has at most 10000000 values, so give a part of it"},
	} {
		if s, err := read("x.csv", c.contents, c.o); fmt.Sprint(err) != c.want || s != nil {
			t.Errorf("%.40q, %+v\ngot  %v\nwant %s", c.contents, c.o, err, c.want)
		}
	}
}

// The files of real recordings are read as their source describes them.
func TestRecordings(t *testing.T) {
	for _, c := range []struct {
		path         string
		n            int
		first, last  string
		sum, missing float64
		step         Step
	}{
		{"sunspots.csv", 2820, "1749-01", "1983-12", 144570, 0, Step{"month", 1}},
		{"nottem.csv", 240, "1920-01", "1939-12", 11769.5, 0, Step{"month", 1}},
		{"airpassengers.csv", 144, "1949-01", "1960-12", 40363, 0, Step{"month", 1}},
		{"nile.csv", 100, "1871", "1970", 91935, 0, Step{"year", 1}},
		{"airquality.csv:ozone", 153, "1973-05-01", "1973-09-30", 4887, 37, Step{"day", 1}},
	} {
		s, err := Read(filepath.Join("testdata", c.path), ReadOptions{})
		if err != nil {
			t.Error(err)
			continue
		}
		sum, missing := 0.0, 0.0
		for _, x := range s.Values {
			if math.IsNaN(x) {
				missing++
				continue
			}
			sum += x
		}
		last := len(s.Values) - 1
		if len(s.Values) != c.n || s.Step != c.step || s.When(0) != c.first || s.When(last) != c.last ||
			math.Abs(sum-c.sum) > 1 || missing != c.missing {
			t.Errorf("%s: %d values, step %v, from %s to %s, sum %v, %v missing", c.path, len(s.Values), s.Step,
				s.When(0), s.When(last), sum, missing)
		}
	}
	if _, err := Read("testdata/airquality.csv", ReadOptions{}); fmt.Sprint(err) !=
		"testdata/airquality.csv has 3 columns of numbers: ozone, wind and temperature; choose one, such as testdata/airquality.csv:ozone" {
		t.Error(err)
	}
	if _, err := Read("testdata/nile.csv:flow", ReadOptions{Column: "time"}); fmt.Sprint(err) !=
		`testdata/nile.csv names column "flow", and the option "time"; want one of them` {
		t.Error(err)
	}
}

// Symbols are characters of a text or categories of a column, in the order of their
// names.
func TestSymbols(t *testing.T) {
	for _, c := range []struct {
		name, contents string
		o              ReadOptions
		symbols        []string
		want           []float64
	}{
		{"x", "0 1\n2 1\n", ReadOptions{}, []string{"0", "1", "2"}, []float64{0, 1, 2, 1}},
		{"x", "TACG\n", ReadOptions{}, []string{"A", "C", "G", "T"}, []float64{3, 0, 1, 2}},
		{"x", "état", ReadOptions{}, []string{"a", "t", "é"}, []float64{2, 1, 0, 1}},
		{"x", "time,sky\n2020,sun\n2021,rain\n2022,NA\n2023,sun\n", ReadOptions{}, []string{"rain", "sun"}, []float64{1, 0, nan, 1}},
		{"x.csv", "sky\nsun\nrain\nsun\n", ReadOptions{}, []string{"rain", "sun"}, []float64{1, 0, 1}},
		{"x.csv", "sun\nrain\nsun\n", ReadOptions{}, []string{"rain", "sun"}, []float64{1, 0, 1}},
		{"x", "10\n9\n10\n", ReadOptions{Column: "1"}, []string{"9", "10"}, []float64{1, 0, 1}},
	} {
		c.o.Symbols = true
		s, err := read(c.name, c.contents, c.o)
		if err != nil || !slices.Equal(s.Symbols, c.symbols) || !equal(s.Values, c.want) {
			t.Errorf("%q: %+v, %v", c.contents, s, err)
		}
	}
	s, err := Read("testdata/pewee.txt", ReadOptions{Symbols: true})
	if err != nil || len(s.Values) != 1327 || !slices.Equal(s.Symbols, []string{"0", "1", "2"}) {
		t.Errorf("%v, %v", s, err)
	}
	var many strings.Builder
	for i := range MostSymbols + 1 {
		many.WriteRune(rune(0x4e00 + i))
	}
	for contents, want := range map[string]string{
		many.String(): "x has more than 256 different symbols, such as \"\u4f00\"; are they numbers?",
		" \n":         "x has no values",
		"a,b\nu,v\n":  "x has 2 columns of symbols: a and b; choose one, such as x:a",
		"[1]":         "x is a JSON list of numbers, which has neither columns nor symbols",
	} {
		if _, err := read("x", contents, ReadOptions{Symbols: true}); fmt.Sprint(err) != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// Standard input is read like a file.
func TestReadFrom(t *testing.T) {
	s, err := ReadFrom(strings.NewReader("1\n2\n"), "standard input", ReadOptions{})
	if err != nil || s.Source != "standard input" || !equal(s.Values, []float64{1, 2}) {
		t.Errorf("%+v, %v", s, err)
	}
	_, err = ReadFrom(strings.NewReader("a,b\n1,2\n"), "standard input", ReadOptions{})
	if fmt.Sprint(err) != "standard input has 2 columns of numbers: a and b; choose one, such as a" {
		t.Error(err)
	}
	_, err = ReadFrom(strings.NewReader("1\nx\n"), "standard input", ReadOptions{})
	if fmt.Sprint(err) != `standard input:2: "x" is not a number; want one per line` {
		t.Error(err)
	}
}

// A file that is too large is refused by its size.
func TestReadHugeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, MostBytes+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path, ReadOptions{}); err == nil || !strings.Contains(err.Error(), "a series has at most") {
		t.Error(err)
	}
}

// Any text is a series with values, or an error in one line.
func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"time,level\n2020-01,5\n2020-02,6\n2020-04,7\n", "1949 1\n1949.25 2\n1949.5 3\n", "1\n\nNA\n2", "q,x\n1949Q4,1\n",
		"\"a\nb\";1\n2;3", "[1, 2]", "\r\r\n1\r", "a\tb\n\t1\n", "0001-01-01,1\n9999-12-31,2\n", "H\xf6he", "sun\nrain",
		"2020-01-01T10:00:00.000000001Z,1\n2020-01-01T10:00:00.000000002+01:00,2", "2024-03-01,1\n2024-03-04,2\n",
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, symbols bool) {
		s, err := parse("x.csv", slices.Clone(data), ReadOptions{Symbols: symbols})
		checkRead(t, s, err)
	})
}

// checkRead fails where neither a consistent series nor an error in one line was read.
func checkRead(t *testing.T, s *Series, err error) {
	t.Helper()
	if err != nil {
		return
	}
	if len(s.Values) == 0 || s.Times != nil && len(s.Times) != len(s.Values) {
		t.Fatalf("%d values, %d times", len(s.Values), len(s.Times))
	}
	for i, x := range s.Values {
		if math.IsInf(x, 0) || s.Symbols != nil && x >= float64(len(s.Symbols)) {
			t.Fatalf("value %d is %v", i, x)
		}
	}
	for i := 1; i < len(s.Times); i++ {
		if !s.Times[i].After(s.Times[i-1]) {
			t.Fatalf("time %d: %v after %v", i, s.Times[i], s.Times[i-1])
		}
	}
	for _, i := range s.Absent {
		if !math.IsNaN(s.Values[i]) {
			t.Fatalf("value %d is absent and %v", i, s.Values[i])
		}
	}
}
