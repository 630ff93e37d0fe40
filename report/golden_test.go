package report

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"foretell/claim"
)

var update = flag.Bool("update", false, "write the golden files of testdata anew")

func TestGolden(t *testing.T) {
	ledger, err := made().JSON(HTMLFile)
	if err != nil {
		t.Fatal(err)
	}
	text := func(write func(io.Writer, []claim.Claim, int, bool) error, width int, colour bool) string {
		var b bytes.Buffer
		if err := write(&b, made().Claims, width, colour); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for name, got := range map[string]string{
		"report.html":     htmlOf(t, made()),
		"report.md":       markdownOf(t, made()),
		"claims.json":     string(ledger),
		"table80.txt":     text(Table, 80, false),
		"table120.colour": text(Table, 120, true),
		"details80.txt":   text(Details, 80, false),
	} {
		path := filepath.Join("testdata", "golden", name)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if want := read(t, path); got != want {
			t.Errorf("%s differs; look at the new one, and run with -update if it is right:\n%s", path, got)
		}
	}
}
