package report

import (
	"bytes"
	"io"
	"path/filepath"
	"testing"

	"foretell/claim"
	"foretell/internal/golden"
)

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
		golden.Compare(t, filepath.Join("testdata", "golden", name), got)
	}
}
