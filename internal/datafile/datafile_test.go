package datafile

import (
	"encoding/csv"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A column of a file is read, or the error says where what is wrong.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		column, text string
		want         []float64
	}{
		{"", "height\n1\n2.5\n-3e-1\n", []float64{1, 2.5, -0.3}},
		{"", "1\n2", []float64{1, 2}},
		{"", "1\r2\r\n3\r", []float64{1, 2, 3}},
		{"", "\ufeff\"height\"\r\n\"1\"\r\n2\r\n", []float64{1, 2}},
		{"", " [1,\n 2]\n", []float64{1, 2}},
		{"", "height, in metres\n1\n2\n", []float64{1, 2}},
		{"", "# 3 stations\n1\n", []float64{1}},
		{"2", "time,level\n0,1\n2,3\n", []float64{1, 3}},
		{"level", "time,level\n0,1\n2,3\n", []float64{1, 3}},
		{"2", "0,1\n2,3\n", []float64{1, 3}},
		{"1.5", "1,1.5\n0,1\n", []float64{1}}, // a name, so that its line is the heading
		{"2", "0;1\n2;3\n", []float64{1, 3}},
		{"level", "\"at, noon\"\tlevel\n0\t1\n2\t3\n", []float64{1, 3}},
		{"3", "  1  2  3\n 10 20 30\n", []float64{3, 30}},
		{"2", "\"two\nlines\",1\nx,2\n", []float64{1, 2}},
	} {
		if got, err := parse("tide.csv", c.column, []byte(c.text)); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q, column %q: %v, %v", c.text, c.column, got, err)
		}
	}
	for _, c := range []struct{ column, text, want string }{
		{"", "", "tide.csv holds no numbers; want one per line"},
		{"", "height\n", "tide.csv holds no numbers; want one per line"},
		{"", "height\n1\n\n2\n", "tide.csv:3: the line is empty; want a number in every line"},
		{"", "1\n2\n\n", "tide.csv:3: the line is empty; want a number in every line"},
		{"", "\n1\n2\n", "tide.csv:1: the line is empty; want a number in every line"},
		{"", "1\n  \n2\n", `tide.csv:2: "" is a missing value; want a number in every line`},
		{"", "\xff\xfe1\x00\n\x00", "tide.csv is UTF-16; save it as UTF-8"},
		{"", "1\x00\n\x002\x00", "tide.csv is UTF-16; save it as UTF-8"},
		{"", "PK\x03\x04\x00", "tide.csv is not text; want numbers in columns, or a JSON list"},
		{"", "1\n\ufffd\n\xf6\n", "tide.csv:3: byte 0xf6 is not UTF-8; save the file as UTF-8 (it may be Latin-1)"},
		{"", "1\nNaN\n2\n", `tide.csv:2: "NaN" is a missing value; want a number in every line`},
		{"", "N/A\n2\n", `tide.csv:1: "N/A" is a missing value; want a number in every line`},
		{"", "-Inf\n2\n", `tide.csv:1: "-Inf" is infinite; want a finite number`},
		{"", "\"null\"\n2\n", `tide.csv:1: "null" is a missing value; want a number in every line`},
		{"", "1.2.3\n2\n", `tide.csv:1: "1.2.3" is not a number; want one per line`},
		{"", "−3\n2\n", `tide.csv:1: "−3" is not a number; want one per line`},
		{"", "١٢\n2\n", `tide.csv:1: "١٢" is not a number; want one per line`},
		{"", "1e400\n2\n", `tide.csv:1: "1e400" is too large for a number`},
		{"", "1\n0x1p-2\n", `tide.csv:2: "0x1p-2" is not a number; want one per line`},
		{"", "1\n1_000\n", `tide.csv:2: "1_000" is not a number; want one per line`},
		{"", "1\n\"\"2\"\"\n", `tide.csv:2: extraneous or missing " in quoted-field`},
		{"", "12 m\n13 m\n", "tide.csv:1: the line has 2 columns: 12, m; choose one, such as @tide.csv:1"},
		{"", "12 3\n4 5\n", "tide.csv:1: the line has 2 columns: 12, 3; choose one, such as @tide.csv:2"},
		{"", "time,level\n0,1\n", "tide.csv:1: the line has 2 columns: time, level; choose one, such as @tide.csv:level"},
		{"x", "time,level\n0,1\n", "tide.csv:1: the line has 2 columns, and none is \"x\": time, level; choose one, such as @tide.csv:level"},
		{"3", "0,1\n0,1\n", "tide.csv:1: the line has 2 columns, and none is \"3\": 0, 1; choose one, such as @tide.csv:2"},
		{"level", "0,1\n2,3\n", "tide.csv:1: the line has 2 columns, and none is \"level\": 0, 1; choose one, such as @tide.csv:2"},
		{"0", "1\n", "tide.csv:1: the line has 1 column, and none is \"0\": 1; choose one, such as @tide.csv:1"},
		{"h", "h,h\n0,1\n", "tide.csv:1: two columns are named \"h\"; choose one by its number, such as @tide.csv:1"},
		{"2", "0,1\n0,1,2\n", "tide.csv:2: 3 columns, but 2 in line 1; want the same number in every line"},
		{"level", "time,level\n0,\n", `tide.csv:2: column 2: "" is a missing value; want a number in every line`},
		{"2", "t;h\n0;11,7\n", `tide.csv:2: column 2: "11,7" has a decimal comma; write 11.7`},
		{"2", "[1, 2]", `tide.csv is a JSON list, which has no column "2"`},
		{"", "[1, null, 3]", "tide.csv is not a JSON list of numbers, such as [1, 2]: [1] is null; a number is expected"},
		{"", `["1"]`, "tide.csv is not a JSON list of numbers, such as [1, 2]: json: cannot unmarshal string into Go value of type float64"},
	} {
		if _, err := parse("tide.csv", c.column, []byte(c.text)); fmt.Sprint(err) != c.want {
			t.Errorf("%q, column %q\ngot  %v\nwant %s", c.text, c.column, err, c.want)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A file whose name has a colon is the file, not a column of another.
func TestNumbersOfAColumn(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "tide.csv", "time,level\n0,1\n2,3\n")
	write(t, "tide.csv:1", "7\n")
	for path, want := range map[string][]float64{"tide.csv:level": {1, 3}, "tide.csv:2": {1, 3}, "tide.csv:1": {7}} {
		if got, err := Numbers(path); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
	if _, err := Numbers(":level"); fmt.Sprint(err) != "open :level: no such file or directory" {
		t.Errorf("%v, want the name of the file that begins with a colon", err)
	}
}

// A column of a file that is too large is refused as the file is.
func TestNumbersOfAHugeFile(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "tide.csv", "time,level\n0,1\n")
	if err := os.Truncate("tide.csv", MostBytes+1); err != nil {
		t.Fatal(err)
	}
	_, whole := Numbers("tide.csv")
	_, column := Numbers("tide.csv:level")
	const want = "tide.csv holds 16.8 MB; a list of numbers has at most 16.8 MB"
	if fmt.Sprint(whole) != want || fmt.Sprint(column) != want {
		t.Errorf("got  %v\nand  %v\nwant %s", whole, column, want)
	}
}

// A file of numbers is read whole, from whichever column, or refused if one is missing.
func TestNoNumberIsDropped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1, 12).Draw(t, "numbers")
		columns := rapid.IntRange(1, 3).Draw(t, "columns")
		at := rapid.IntRange(0, columns-1).Draw(t, "at")
		gap := rapid.IntRange(-1, len(numbers)-1).Draw(t, "gap") // -1: none
		hole := rapid.SampledFrom([]string{"", " ", "NA", "nan", "null", "-inf"}).Draw(t, "hole")
		heading := rapid.Bool().Draw(t, "heading")
		var text strings.Builder
		w := csv.NewWriter(&text)
		w.Comma = rapid.SampledFrom([]rune(",;\t")).Draw(t, "separator")
		w.UseCRLF = rapid.Bool().Draw(t, "CRLF")
		if heading {
			_ = w.Write([]string{"a", "b", "c"}[:columns])
		}
		items := make([]string, len(numbers))
		for i, x := range numbers {
			row := []string{"7", "8", "9"}[:columns:columns]
			items[i] = strconv.FormatFloat(x, 'g', -1, 64)
			row[at] = items[i]
			if i == gap {
				row[at], items[i] = hole, "null"
			}
			_ = w.Write(row)
		}
		w.Flush()
		choice := strconv.Itoa(at + 1)
		if heading && rapid.Bool().Draw(t, "by name") {
			choice = "abc"[at : at+1]
		}
		for column, text := range map[string]string{choice: text.String(), "": "[" + strings.Join(items, ",") + "]"} {
			got, err := parse("x", column, []byte(text))
			if gap >= 0 && err == nil {
				t.Fatalf("%q: %v with a gap at %d", text, got, gap)
			}
			if gap < 0 && (err != nil || !reflect.DeepEqual(got, numbers)) {
				t.Fatalf("%q: %v, %v, want %v", text, got, err, numbers)
			}
		}
	})
}

// A column's name is an example of a choice where a shell takes each of its characters as
// it is: letters and digits of ASCII, underscores and hyphens.
func TestPlainCharacters(t *testing.T) {
	plain := regexp.MustCompile(`^[A-Za-z0-9_-]$`)
	for r := range rune(0x400) {
		if got, want := isNotPlain(r), !plain.MatchString(string(r)); got != want {
			t.Errorf("%q is not plain: %v, want %v", r, got, want)
		}
	}
}
