package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files of testdata anew")

func TestGolden(t *testing.T) {
	ledger, err := made().JSON(HTMLFile)
	if err != nil {
		t.Fatal(err)
	}
	table := func(width int, colour bool) string {
		var b bytes.Buffer
		if err := Table(&b, made().Claims, width, colour); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for name, got := range map[string]string{
		"report.html":     htmlOf(t, made()),
		"report.md":       markdownOf(t, made()),
		"claims.json":     string(ledger),
		"table80.txt":     table(80, false),
		"table120.colour": table(120, true),
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
