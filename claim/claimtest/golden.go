package claimtest

import (
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/internal/golden"
)

// longestTable is the largest number of lines of a CSV file that a golden file contains.
// Of longer files it has the checksum.
const longestTable = 50

// Golden runs rows in a new study and compares their claims, with the contents of their
// CSV files, with the file of that name in testdata. The test's flag -update writes the
// file. Numbers are rounded to six digits, and numbers smaller than 1e-12 are zero.
func Golden(t *testing.T, name string, rows []claim.Row) {
	t.Helper()
	s := &claim.Study{Out: t.TempDir(), Workers: 2}
	claims, err := s.Reproduce(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i, c := range claims {
		Claim(t, s.Out, rows[i], c)
		b.WriteString(Timeless(t, []claim.Claim{c}) + "\n")
		for _, path := range c.Data {
			if filepath.Ext(path) != ".csv" {
				continue
			}
			text, err := os.ReadFile(filepath.Join(s.Out, path))
			if err != nil {
				t.Fatal(err)
			}
			rounded := roundNumbers(string(text))
			if n := strings.Count(rounded, "\n"); n > longestTable {
				rounded = fmt.Sprintf("%d lines with SHA-256 %x\n", n, sha256.Sum256([]byte(rounded)))
			}
			fmt.Fprintf(&b, "%s\n%s", path, rounded)
		}
	}
	golden.Compare(t, filepath.Join("testdata", name), roundNumbers(b.String()))
}

// fraction finds the numbers that are not whole.
var fraction = regexp.MustCompile(`\d+(?:\.\d+(?:e[-+]\d+)?|e[-+]\d+)`)

// roundNumbers rounds the numbers in a text to six digits, and to zero below 1e-12.
func roundNumbers(text string) string {
	return fraction.ReplaceAllStringFunc(text, func(number string) string {
		x, err := strconv.ParseFloat(number, 64)
		switch {
		case err != nil:
			return number
		case math.Abs(x) < 1e-12:
			return "0"
		}
		return strconv.FormatFloat(x, 'g', 6, 64)
	})
}
