package lab

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/report"
)

// newReports returns an engine for a folder of reports.
func newReports(t *testing.T) (*Engine, string) {
	t.Helper()
	dir := t.TempDir()
	e, err := New(Folders{t.TempDir(), dir}, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e, dir
}

// Names that lead out of the folder of reports, unknown documents, profiles and claims
// are refused, and errors have nothing of a file's contents.
func TestHostileReports(t *testing.T) {
	e, dir := newReports(t)
	outside := filepath.Join(t.TempDir(), "outside")
	made := report.Report{Claims: []claim.Claim{{
		ID: "C1", Kind: claim.Identity, Statement: "s", Expected: "e", Obtained: "o", Verdict: claim.Holds, Data: []string{"data/link.csv"},
	}}}
	write := func(folder, name, text string) {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ledger, err := made.JSON("report.html")
	if err != nil {
		t.Fatal(err)
	}
	write(outside, "claims.json", string(ledger))
	write(outside, "secret.csv", "secret")
	write(filepath.Join(dir, "abc-quick"), "claims.json", string(ledger))
	if err := os.MkdirAll(filepath.Join(dir, "abc-quick", "data"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(dir, "coin-full"), "claims.json", `{"claims": "secret"}`)
	for link, to := range map[string]string{
		"coin-quick": outside, "abc-quick/data/link.csv": filepath.Join(outside, "secret.csv"),
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, q := range []struct{ name, fields string }{
		{"ledger", `{"document":"coin"}`},
		{"ledger", `{"document":".."}`},
		{"ledger", `{"document":"../outside"}`},
		{"ledger", `{"document":"abc","profile":"../x"}`},
		{"ledger", `{"document":"abc","profile":"deep"}`},
		{"ledger", `{"document":"abc","file":"data/link.csv"}`},
		{"ledger", `{"document":"abc","file":"../../outside/secret.csv"}`},
		{"ledger", `{"document":"abc","file":"claims.json"}`},
		{"ledger", `{"document":"abc","file":"/etc/passwd"}`},
		{"ledger", `{"file":"claims.json"}`},
		{"papers", `{"document":"nothing"}`},
		{"papers", `{"profile":"slow"}`},
	} {
		if _, a, err := e.Ask(context.Background(), q.name, []byte(q.fields)); err == nil || strings.Contains(err.Error(), "secret") && !strings.Contains(q.fields, "secret") {
			t.Errorf("%s %s answers %v, %v", q.name, q.fields, a.Value, err)
		}
	}
	_, a, err := e.Ask(context.Background(), "ledger", []byte(`{}`))
	if list, ok := a.Value.([]report.Listed); err != nil || !ok || len(list) != 2 {
		t.Errorf("the reports are %v, %v", a.Value, err)
	} else if list[0].Problem != "" || list[1].Problem == "" || strings.Contains(list[1].Problem, "secret") {
		t.Errorf("the problems are %q and %q", list[0].Problem, list[1].Problem)
	}
	for _, r := range []Reproduction{
		{Reported{"coin", ""}, "C1"}, // its folder is a link
		{Reported{"nothing", ""}, "C1"},
		{Reported{"abc", "deep"}, "A1"},
		{Reported{"abc", ""}, "C1"},
		{Reported{"abc", ""}, "--out"},
		{Reported{"abc", ""}, ""},
		{Reported{"abc", ""}, "A1,A2"},
		{Reported{"--help", ""}, "A1"},
	} {
		if w, err := e.Reproduce(r); err == nil {
			t.Errorf("%+v begins: %+v", r, w)
		}
	}
	for _, name := range []string{"", "..", "../x", "abc", "abc-slow", "abc-quick/.."} {
		if checkReport(name) == nil {
			t.Errorf("%q is followed", name)
		}
	}
}
