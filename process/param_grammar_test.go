package process

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"foretell/internal/datafile"
	"foretell/internal/decimal/flags"

	"github.com/spf13/pflag"
	"pgregory.net/rapid"
)

// spellings write a number, exactly or in a way that must not be read.
var spellings = []func(x float64) string{
	func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) },
	func(x float64) string { return strconv.FormatFloat(x, 'e', -1, 64) },
	func(x float64) string { return strconv.FormatFloat(x, 'E', -1, 64) },
	func(x float64) string { return "+" + strconv.FormatFloat(math.Abs(x), 'f', -1, 64) },
	func(x float64) string { return strings.TrimPrefix(strconv.FormatFloat(x, 'f', 3, 64), "0") },
	func(x float64) string { return strconv.FormatFloat(math.Round(x), 'f', 0, 64) + "." },
	func(x float64) string { return "0" + strconv.FormatFloat(math.Abs(x), 'f', -1, 64) },
	func(x float64) string { return strconv.FormatFloat(x, 'x', -1, 64) },
	func(x float64) string { return fmt.Sprintf("%d_%03d", int(math.Abs(x)), 7) },
	func(x float64) string { return fmt.Sprintf("0o%o", int(math.Abs(x))) },
	func(x float64) string { return fmt.Sprintf("%de400", 1+int(math.Abs(x))) },
	func(x float64) string { return fmt.Sprintf("−%d", int(math.Abs(x))) },
	func(float64) string { return "١٢" },
	func(float64) string { return "1e" },
	func(float64) string { return ".inf" },
	func(float64) string { return "NaN" },
	func(float64) string { return "infinity" },
	func(float64) string { return "null" },
}

// byFlag reads a number as a flag does.
func byFlag(text string) (float64, error) {
	set := pflag.NewFlagSet("test", pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	x := set.Float64("x", 0, "")
	flags.Decimal(set)
	err := set.Parse([]string{"--x=" + text})
	return *x, err
}

// A flag, a CSV and YAML read the same text as the same number, or all refuse it.
func TestOneGrammarOfNumbers(under *testing.T) {
	under.Chdir(under.TempDir())
	list := Param{Name: "x", Default: []float64{}}
	rapid.Check(under, func(t *rapid.T) {
		text := rapid.SampledFrom(spellings).Draw(t, "spelling")(rapid.Float64Range(-1e6, 1e6).Draw(t, "x"))
		want, refused := byFlag(text)
		writeFile(under, "x.csv", "x\n"+text+"\n")
		table, err := datafile.Numbers("x.csv:x")
		if (err != nil) != (refused != nil) || err == nil && !reflect.DeepEqual(table, []float64{want}) {
			t.Fatalf("%q: a flag reads %v, %v; a table %v, %v", text, want, refused, table, err)
		}
		value, err := list.Parse("x", "["+text+"]")
		if refused != nil {
			if _, isList := value.([]float64); err == nil && isList {
				t.Fatalf("%q: a flag says %v; YAML reads %v", text, refused, value)
			}
			return
		}
		if err != nil || !reflect.DeepEqual(value, []float64{want}) {
			t.Fatalf("%q: a flag reads %v; YAML %v, %v", text, want, value, err)
		}
		writeFile(under, "x.json", "["+text+"]")
		if parsed, err := datafile.Numbers("x.json"); err == nil && parsed[0] != want {
			t.Fatalf("%q: a flag reads %v; JSON %v", text, want, parsed)
		}
	})
}

// A parameter's value can be a column of a file, and a missing file is named.
func TestParameterOfAColumn(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "tide.csv", "time,level\n0,1\n2,3\n")
	known := []Param{{Name: "signal", Default: []float64{}}}
	if got, err := ParseParams("given", known, []string{"signal=@tide.csv:level"}, "x=1"); err != nil ||
		!reflect.DeepEqual(got["signal"], []float64{1, 3}) {
		t.Errorf("%v, %v", got, err)
	}
	const missing = "given: open nowhere.csv: no such file or directory"
	_, err := ParseParams("given", known, []string{"signal=@nowhere.csv:level"}, "x=1")
	if fmt.Sprint(err) != strings.Replace(missing, "given", "given signal", 1) {
		t.Error(err)
	}
}
