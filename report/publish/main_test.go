package main

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/paper"
	"foretell/report"
)

const (
	root       = "../.."
	mostFigure = 60 << 10 // bytes
	mostAll    = 6 << 20
)

// The published results are in step with the rows of the program: the pages have every
// row, with its statement, and mark the results whose rule or models have changed. So has
// the table in README.md.
func TestPublishedResults(t *testing.T) {
	results, err := report.OpenResults(filepath.Join(root, folder), paper.Papers)
	if err != nil {
		t.Fatal(err)
	}
	want, err := pages(root, results)
	if err != nil {
		t.Fatal(err)
	}
	if len(want) == 1 {
		t.Log("docs/results has not been rendered yet")
	}
	for path, page := range want {
		got, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Error(err)
		} else if line, differs := difference(got, page); differs {
			t.Errorf("%s differs from what the rows say in line %q; write it again: make render-results", path, line)
		}
	}
	if len(want) > 1 {
		checkRows(t)
		checkFiles(t, want)
	}
}

// difference returns the first line of a text that another text does not have.
func difference(got, want []byte) (line string, differs bool) {
	if bytes.Equal(got, want) {
		return "", false
	}
	lines := strings.Split(string(got), "\n")
	for i, line := range strings.Split(string(want), "\n") {
		if i >= len(lines) || lines[i] != line {
			return line, true
		}
	}
	return lines[len(lines)-1], true
}

// checkRows checks the ids of the pages by another way than the pages were made.
func checkRows(t *testing.T) {
	t.Helper()
	heading := regexp.MustCompile(`(?m)^## (\w+)$`)
	profile := regexp.MustCompile(`(?m)^\*\*(Full|Quick) profile`)
	for _, p := range paper.Papers {
		page, err := os.ReadFile(filepath.Join(root, folder, p.Name+".md"))
		if err != nil {
			continue
		}
		var got, want []string
		for _, match := range heading.FindAllSubmatch(page, -1) {
			got = append(got, string(match[1]))
		}
		of := claim.Full
		if match := profile.FindSubmatch(page); match == nil {
			t.Errorf("%s: the page names no profile", p.Name)
		} else if string(match[1]) == "Quick" {
			of = claim.Quick
		}
		for _, row := range p.Rows(of) {
			want = append(want, row.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the page has the rows %q, want %q", p.Name, got, want)
		}
	}
}

// checkFiles checks the size of the folder, and that a page shows each figure in it.
func checkFiles(t *testing.T, want map[string][]byte) {
	t.Helper()
	shown := maps.Clone(want)
	delete(shown, readme)
	all := string(bytes.Join(slices.Collect(maps.Values(shown)), nil))
	for _, match := range regexp.MustCompile(`\]\(([^)]*\.svg)\)`).FindAllStringSubmatch(all, -1) {
		svg, err := os.ReadFile(filepath.Join(root, folder, filepath.FromSlash(match[1])))
		if err != nil || bytes.Contains(svg, []byte("<script")) || bytes.Contains(svg, []byte(`href="http`)) {
			t.Errorf("%s is missing (%v), or loads something", match[1], err)
		}
	}
	total := int64(0)
	err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		total += info.Size()
		name, _ := filepath.Rel(filepath.Join(root, folder), path)
		name = filepath.ToSlash(name)
		switch filepath.Ext(name) {
		case ".svg":
			if info.Size() > mostFigure || !strings.Contains(all, "]("+name+")") {
				t.Errorf("%s has %d bytes, or no page shows it", name, info.Size())
			}
		case ".json":
			_, err = paper.Named(strings.TrimSuffix(name, ".json"))
		case ".md":
			if want[folder+"/"+name] == nil {
				t.Errorf("%s is not one of the pages", name)
			}
		default:
			t.Errorf("%s is not one of the files", name)
		}
		return err
	})
	if err != nil || total > mostAll {
		t.Errorf("%d bytes in all, want at most %d (%v)", total, mostAll, err)
	}
}

// reported writes a report on abc in which every row holds, without figures or models.
func reported(t *testing.T) (dir string) {
	t.Helper()
	p, err := paper.Named("abc")
	if err != nil {
		t.Fatal(err)
	}
	rows := p.Rows(claim.Quick)
	r := report.New(p, claim.Quick, rows, 1, "foretell reproduce abc")
	for _, row := range rows {
		r.Claims = append(r.Claims, claim.Claim{
			ID: row.ID, Kind: row.Kind, Source: row.Source, Statement: row.Statement, Expected: row.Expected,
			RuleCommit: row.RuleCommit, Verdict: claim.Holds, Obtained: "as stated",
		})
	}
	dir = t.TempDir()
	if _, err := report.Write(dir, r); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Publishing a report writes the pages and the table in README.md, and keeps the rest of
// README.md. Doing so again changes nothing.
func TestPublish(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, readme)
	if err := os.WriteFile(file, []byte("before\n"+begin+"old\n"+end+"after\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := publish(dir, "", nil); err != nil {
		t.Fatal(err)
	}
	want := "before\n" + begin + "\nNo results have been published yet; `make results` computes them.\n\n" + end + "after\n"
	if got := read(t, file); got != want {
		t.Errorf("without results, README.md is %q, want %q", got, want)
	}
	if err := publish(dir, "abc1234", []string{reported(t)}); err != nil {
		t.Fatal(err)
	}
	first := read(t, file)
	for _, want := range []string{
		"before\n" + begin + "\n| document | claims |", "| [`abc`](docs/results/abc.md) | 3 | 1 | 0 |",
		"**Stale** in `abc`, so not counted: A1 and A4.", "[Every claim, with its number and its figure](docs/results/README.md)\n",
		"\n" + end + "after\n",
	} {
		if !strings.Contains(first, want) {
			t.Errorf("README.md lacks %q:\n%s", want, first)
		}
	}
	page := read(t, filepath.Join(dir, folder, "abc.md"))
	if strings.Count(page, "**stale**: its training runs have changed.") != 2 || !strings.Contains(page, "commit abc1234") {
		t.Errorf("want two stale rows, whose models are not there:\n%s", page)
	}
	if err := publish(dir, "", nil); err != nil {
		t.Fatal(err)
	}
	if again := read(t, file); again != first || read(t, filepath.Join(dir, folder, "abc.md")) != page {
		t.Errorf("the second time, README.md is\n%s", again)
	}
}

// A README without the marks is left as it is.
func TestReplaceNeedsMarks(t *testing.T) {
	for _, page := range []string{"", "text\n" + begin, "text\n" + end, end + begin} {
		if got, err := replace([]byte(page), "new"); err == nil {
			t.Errorf("%q became %q", page, got)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
