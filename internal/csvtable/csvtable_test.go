package csvtable_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"foretell/internal/csvtable"

	"pgregory.net/rapid"
)

// A cell reads back as it was given, whatever it begins with.
func TestCellsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		begin := rapid.SampledFrom([]string{"", "=", "+", "-", "@", "\t", "'", `"`, " "})
		columns := rapid.IntRange(2, 4).Draw(t, "columns")
		var table [][]string
		for range rapid.IntRange(1, 5).Draw(t, "rows") {
			row := make([]string, columns)
			for i := range row {
				row[i] = begin.Draw(t, "begin") + strings.ReplaceAll(rapid.String().Draw(t, "text"), "\r", "")
			}
			table = append(table, row)
		}
		var out bytes.Buffer
		if err := csvtable.NewWriter(&out).WriteAll(table); err != nil {
			t.Fatal(err)
		}
		got, err := csv.NewReader(&out).ReadAll()
		if err != nil || !slices.EqualFunc(got, table, slices.Equal) {
			t.Fatalf("%q is read as %q, %v", table, got, err)
		}
	})
}

func ExampleNewWriter() {
	w := csvtable.NewWriter(os.Stdout)
	fmt.Print(w.WriteAll([][]string{{"token", "log_probability"}, {"=1+1", "-0.5"}}))
	// Output:
	// token,log_probability
	// =1+1,-0.5
	// <nil>
}
