// Command publish writes docs/results, the published results of all documents, from
// reports of foretell reproduce:
//
//	foretell reproduce coin --profile full --out FOLDER
//	go run ./report/publish FOLDER …
//
// Each report replaces the results that its document has so far. Without folders the
// pages are written again, from the results in docs/results/*.json and the rows of the
// program. Then results whose rules have changed are marked as stale, rows without a
// result as not run, and removed rows disappear. The table of results in README.md is
// written, too. It runs in the root of the repository.
//
//	foretell reproduce $(go run ./report/publish -needed coin -profile full FOLDER)
//
// With -needed it writes no file. It prints the arguments of the command that tests the
// rows for which the report in the folder has no result, or a stale one; nothing if there
// is no such row.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"foretell/claim"
	"foretell/internal/durable"
	"foretell/internal/limit"
	"foretell/paper"
	"foretell/report"
)

const (
	folder  = "docs/results" // relative to the root
	readme  = "README.md"
	begin   = "<!-- results: written by make results -->\n"
	end     = "<!-- end of results -->\n"
	mostOne = 1 << 24 // largest size of README.md in bytes
)

func main() {
	commit := flag.String("commit", "", "the `commit` of the program that wrote the reports, if they do not record it")
	document := flag.String("needed", "", "print what to run for this `document`")
	profile := flag.String("profile", string(claim.Full), "the profile for -needed")
	flag.Parse()
	var err error
	if *document != "" {
		err = needed(os.Stdout, *document, claim.Profile(*profile), flag.Arg(0))
	} else {
		err = publish(".", *commit, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "publish:", err)
		os.Exit(1)
	}
}

// needed prints the arguments with which foretell reproduce completes the report in a
// folder.
func needed(out io.Writer, document string, profile claim.Profile, dir string) error {
	results, err := report.OpenResults(folder, paper.Papers)
	if err != nil {
		return err
	}
	if _, err := claim.ParseProfile(string(profile)); err != nil {
		return fmt.Errorf("-profile: %w", err)
	}
	ids, err := results.Needed(dir, document, profile)
	if err != nil || len(ids) == 0 {
		return err
	}
	p, err := paper.Named(document)
	if err != nil {
		return err
	}
	only := ""
	if len(ids) < len(p.Rows(profile)) {
		only = " --only " + strings.Join(ids, ",")
	}
	fmt.Fprintf(out, "%s%s --profile %s --out %s\n", document, only, profile, dir)
	return nil
}

// publish adds reports to the results below root and writes all pages.
func publish(root, commit string, reports []string) error {
	results, err := report.OpenResults(filepath.Join(root, folder), paper.Papers)
	if err != nil {
		return err
	}
	for _, dir := range reports {
		if err := results.Add(dir, commit); err != nil {
			return err
		}
	}
	files, err := pages(root, results)
	if err != nil {
		return err
	}
	for path, data := range files {
		if err := durable.WriteFile(filepath.Join(root, path), data); err != nil {
			return err
		}
	}
	return nil
}

// pages returns the pages that belong to results, by their paths below root. They are
// README.md alone if there are no results.
func pages(root string, results *report.Results) (map[string][]byte, error) {
	files := map[string][]byte{}
	if _, err := os.Stat(filepath.Join(root, folder)); err == nil {
		of, err := results.Pages()
		if err != nil {
			return nil, err
		}
		for name, data := range of {
			files[folder+"/"+name] = data
		}
	}
	text, err := limit.ReadFile(filepath.Join(root, readme), "a page", mostOne)
	if err != nil {
		return nil, err
	}
	table, err := results.Summary(folder + "/")
	if err != nil {
		return nil, err
	}
	if len(files) > 0 {
		table += "\n[Every claim, with its number and its figure](" + folder + "/README.md)\n"
	}
	files[readme], err = replace(text, table)
	return files, err
}

// replace returns a page with another text between the marks of the generated block.
func replace(page []byte, text string) ([]byte, error) {
	before, rest, ok := bytes.Cut(page, []byte(begin))
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		return nil, errors.New(readme + " lacks the line " + begin[:len(begin)-1] + " or " + end[:len(end)-1])
	}
	return bytes.Join([][]byte{before, []byte(begin), []byte("\n" + text + "\n"), []byte(end), after}, nil), nil
}
