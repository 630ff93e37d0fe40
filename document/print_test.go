package document

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"foretell/internal/needs"
)

// pdfPage begins a page of a PDF as Chromium writes it.
var pdfPage = regexp.MustCompile(`/Type /Page\b`)

// printed returns how many pages a document has on paper.
func printed(t *testing.T, p Document) int {
	t.Helper()
	browser := needs.Program(t, "chromium", "chromium")
	made, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source, paper := filepath.Join(dir, "page.html"), filepath.Join(dir, "page.pdf")
	if err := os.WriteFile(source, made, 0o644); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(),
		"--no-pdf-header-footer", "--print-to-pdf="+paper, "file://"+source)
	cmd.Stderr = &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	pdf, err := os.ReadFile(paper)
	if err != nil {
		t.Fatal(err)
	}
	return len(pdfPage.FindAll(pdf, -1))
}

// On paper a figure that is higher than a page is made smaller, so that it is on one with
// its heading; a table that would be cut goes to the next page.
func TestPrint(t *testing.T) {
	high := drawn()
	for range 8 {
		high.Panels = append(high.Panels, drawn().Panels...)
	}
	long := Table{Title: "Numbers", Columns: []string{"x"}}
	for i := range 30 {
		long.Rows = append(long.Rows, []string{fmt.Sprint(i)})
	}
	for _, test := range []struct {
		what  string
		page  Document
		pages int
	}{
		{"a high figure", Document{Title: "A", Sections: []Section{{Title: "B", Figure: high, Caption: "It is high."}}}, 1},
		{"two low ones", Document{Title: "A", Sections: []Section{{Figure: drawn()}, {Figure: drawn()}}}, 1},
		{"numbers that are folded", Document{Title: "A", Sections: []Section{{Tables: []Table{long, long, long}}}}, 1},
		{"two high ones", Document{Title: "A", Sections: []Section{{Figure: high}, {Figure: high}}}, 2},
	} {
		if got := printed(t, test.page); got != test.pages {
			t.Errorf("%s: %d pages, want %d", test.what, got, test.pages)
		}
	}
}
