package token

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// The package comment lists the table, with all parameters and their defaults.
func TestPackageCommentListsTheTable(t *testing.T) {
	file, err := os.Open("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var listed []string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "//\t") && !strings.Contains(lines.Text(), ":=") {
			listed = append(listed, strings.TrimPrefix(lines.Text(), "//\t"))
		}
	}
	var want []string
	for _, kind := range Tokenizers() {
		var params []string
		for _, p := range kind.Params {
			params = append(params, fmt.Sprintf("%s=%g", p.Name, p.Default))
		}
		want = append(want, strings.TrimRight(fmt.Sprintf("%-12s%s", kind.Name, strings.Join(params, " ")), " "))
	}
	if !slices.Equal(listed, want) {
		t.Errorf("doc.go lists\n%s\nwant\n//\t%s", strings.Join(listed, "\n"), strings.Join(want, "\n//\t"))
	}
}
