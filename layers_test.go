package foretell_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// goList runs go list with a format over packages, and returns its lines.
func goList(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

// dependsOn fails where a package depends on one of a path, by whatever way.
func dependsOn(t *testing.T, pkg string, forbidden func(path string) bool) {
	t.Helper()
	for _, dep := range goList(t, "-deps", pkg) {
		if dep != pkg && forbidden(dep) {
			t.Errorf("%s depends on %s", pkg, dep)
		}
	}
}

// below says whether a path is that of a package or of one below it.
func below(root string) func(path string) bool {
	return func(path string) bool { return path == root || strings.HasPrefix(path, root+"/") }
}

// The way of the data goes one way: what is about claims knows no document, a document
// no other, and the ledger is written without knowing whose claims they are.
func TestLayers(t *testing.T) {
	dependsOn(t, "foretell/claim", below("foretell/paper"))
	dependsOn(t, "foretell/report", below("foretell/paper"))
	for _, imported := range goList(t, "-f", `{{join .Imports "\n"}}`, "foretell/claim") {
		if imported == "foretell/process" || imported == "foretell/model" {
			t.Errorf("claim imports %s: it knows no process and no model", imported)
		}
	}
	documents := slices.DeleteFunc(goList(t, "foretell/paper/..."), func(path string) bool {
		return path == "foretell/paper" || below("foretell/paper/internal")(path)
	})
	if len(documents) < 4 {
		t.Fatalf("only %q are documents", documents)
	}
	for _, document := range documents {
		dependsOn(t, document, func(dep string) bool { return slices.Contains(documents, dep) || dep == "foretell/paper" })
	}
	for _, pkg := range goList(t, "foretell/...") {
		if !below("foretell/cmd")(pkg) && !below("foretell/internal")(pkg) {
			dependsOn(t, pkg, below("foretell/cmd"))
		}
	}
}

// An internal package is the ground on which the others stand: it imports none of them.
func TestInternalPackagesAreTheGround(t *testing.T) {
	for _, pkg := range goList(t, "foretell/internal/...") {
		dependsOn(t, pkg, func(dep string) bool {
			return below("foretell")(dep) && !below("foretell/internal")(dep)
		})
	}
}

// CSV has one door, so that all commands write cells by the same rule. Reading it is
// another matter.
func TestOneDoorForCSV(t *testing.T) {
	const each = `{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}`
	for _, file := range goList(t, "-f", each, "./...") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		known := strings.HasSuffix(filepath.ToSlash(filepath.Dir(file)), "internal/csvtable")
		if strings.Contains(string(text), "csv.NewWriter(") && !known {
			t.Errorf("%s writes CSV by itself: want internal/csvtable", file)
		}
	}
}

// tableRow is a row of the table of packages in docs/architecture.md: a package, its
// topic and what it may import; quoted is a name in it.
var (
	tableRow = regexp.MustCompile("(?m)^\\| `([a-z]+)` \\| .* \\| (.*) \\|$")
	quoted   = regexp.MustCompile("`([a-z]+)`")
)

// The architecture's table of packages says what each may import, in one row, and none
// imports more.
func TestImportsAreThoseOfTheTable(t *testing.T) {
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := tableRow.FindAllStringSubmatch(string(text), -1)
	if len(rows) < 12 {
		t.Fatalf("only %d packages are in the table", len(rows))
	}
	once := map[string]bool{}
	for _, row := range rows {
		pkg, allowed := row[1], map[string]bool{}
		if once[pkg] {
			t.Errorf("docs/architecture.md has two rows for %s", pkg)
		}
		once[pkg] = true
		for _, name := range quoted.FindAllStringSubmatch(row[2], -1) {
			allowed["foretell/"+name[1]] = true
		}
		for _, imported := range goList(t, "-f", `{{join .Imports "\n"}}`, "foretell/"+pkg) {
			ours := strings.HasPrefix(imported, "foretell/") && !below("foretell/internal")(imported)
			if ours && !allowed[imported] && !below("foretell/"+pkg)(imported) {
				t.Errorf("%s imports %s, which docs/architecture.md does not have", pkg, imported)
			}
		}
	}
}

// linesPerCommand bounds what stands in package main beside its tests, flags, printing,
// progress and exit status, by the number of its commands.
const linesPerCommand = 125

// Nothing in the command computes: it imports nothing that computes by itself, and it
// is short.
func TestCommandIsThin(t *testing.T) {
	for _, imported := range goList(t, "-f", `{{join .Imports "\n"}}`, "foretell/cmd/foretell") {
		for _, kind := range []string{"gonum.org", "foretell/internal/linalg", "foretell/internal/portable", "foretell/internal/random", "math"} {
			if below(kind)(imported) {
				t.Errorf("the command imports %s", imported)
			}
		}
	}
	files, err := filepath.Glob("cmd/foretell/*.go")
	if err != nil {
		t.Fatal(err)
	}
	lines, commands := 0, 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(text, []byte("\n"))
		commands += bytes.Count(text, []byte("&cobra.Command{"))
	}
	if most := linesPerCommand * commands; lines > most {
		t.Errorf("%d lines in cmd/foretell beside tests, want at most %d for %d commands", lines, most, commands)
	}
}
