package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What --out writes is told on stderr and nowhere else, has the form of its ending, and
// as JSON is what --json prints.
func TestProcessOut(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		args    string
		endings []string
	}{
		{"process show mess3", []string{".svg", ".html", ".dot", ".csv", ".json"}},
		{"process show coin", []string{".svg", ".html", ".csv", ".json"}},
		{"process show even --graph beliefs", []string{".svg", ".dot"}},
		{"process floor coin", []string{".svg", ".csv", ".json"}},
		{"process floor random_chains --positions 9", []string{".svg", ".csv", ".json"}},
		{"process sample mess3 -n 3 --length 7", []string{".svg", ".csv", ".json"}},
		{"process sample sine --length 20", []string{".svg"}},
		{"process beliefs mess3 --tokens 0,1,2", []string{".svg", ".csv", ".json"}},
		{"process beliefs bloch_walk --tokens 0,1,2", []string{".svg", ".csv"}},
	} {
		args := strings.Fields(c.args)
		for _, ending := range c.endings {
			path := "new" + ending
			status, stdout, stderr := call(t, append(args, "--out", path)...)
			if status != exitDone || stdout != "" || stderr != "wrote "+path+"\n" {
				t.Errorf("%s %s: status %d, %q, %q", c.args, ending, status, stdout, stderr)
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if ending == ".json" && string(text) != mustCall(t, append(args, "--json")...) {
				t.Errorf("%s: not what --json prints", c.args)
			}
			checkForm(t, c.args, path, string(text))
		}
	}
}

// checkForm looks into a file for what its ending promises.
func checkForm(t *testing.T, args, path, text string) {
	t.Helper()
	ok, figures, rowsBefore := false, 1, 3
	switch {
	case strings.HasPrefix(args, "process"):
		figures = 2
	case strings.HasPrefix(args, "bench"):
		rowsBefore = 1 // the head alone
	}
	switch filepath.Ext(path) {
	case ".svg":
		ok = strings.HasPrefix(text, "<svg") && !noNumber.MatchString(text)
	case ".html":
		ok = strings.HasPrefix(text, "<!DOCTYPE html>") && strings.Count(text, "<figure") >= figures
	case ".dot":
		ok = strings.HasPrefix(text, "digraph ")
	case ".json":
		ok = json.Valid([]byte(text))
	case ".csv":
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		ok = err == nil && len(rows) > rowsBefore && len(rows[0]) > 2
	}
	if !ok {
		t.Errorf("%s --out %s: %.200q", args, path, text)
	}
}

// --graph alone draws to stdout; an SVG without it is what --out writes.
func TestProcessShowDrawsToStdout(t *testing.T) {
	t.Chdir(t.TempDir())
	if got, want := mustCall(t, "process", "show", "even", "--graph", "beliefs"),
		mustCall(t, "process", "show", "even", "--graph", "beliefs", "--format", "svg"); got != want {
		t.Errorf("%.100q, want %.100q", got, want)
	}
	mustCall(t, "process", "show", "sine", "--out", "sine.svg")
	if want, err := os.ReadFile("sine.svg"); err != nil || mustCall(t, "process", "show", "sine", "--format", "svg") != string(want) {
		t.Errorf("not the picture of --out, %v", err)
	}
}

// The floor goes past its budget by an estimate, which JSON tells by where it begins and
// how good it is.
func TestProcessFloorGoesOnByAnEstimate(t *testing.T) {
	var f struct {
		Floor      []float64
		FloorError []float64 `json:"floor_error"`
		FloorExact bool      `json:"floor_exact"`
	}
	_, stdout, stderr := call(t, "process", "floor", "random_chains", "--json")
	if stderr != "" {
		t.Errorf("%q", stderr)
	}
	decode(t, stdout, &f)
	if len(f.Floor) != 11 || len(f.FloorError) != 11 || f.FloorExact || f.FloorError[8] != 0 || f.FloorError[10] <= 0 {
		t.Errorf("%+v", f)
	}
}
