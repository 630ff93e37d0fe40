package report

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"foretell/claim"
)

func TestCheck(t *testing.T) {
	for want, spoil := range map[string]func(r *Report){
		"report: claim number 2 has no id":                                   func(r *Report) { r.Claims[1].ID = "" },
		"report: claim M1 occurs twice":                                      func(r *Report) { r.Claims[1].ID = "M1" },
		"report: claim M1 is both finished and pending":                      func(r *Report) { r.Pending = []string{"M1"} },
		`report: claim M2: verdict "maybe" is not one of ["holds"`:           func(r *Report) { r.Claims[1].Verdict = "maybe" },
		`report: claim M1: effect "slope of log attention": estimate is NaN`: func(r *Report) { r.Claims[0].Effect.Estimate = math.NaN() },
	} {
		r := made()
		spoil(&r)
		_, page := r.HTML(run)
		_, text := r.Markdown()
		_, ledger := r.JSON("")
		for _, err := range []error{page, text, ledger} {
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		}
	}
}

func TestMissingData(t *testing.T) {
	r := made()
	r.Claims[2].Data = []string{"data/none.csv"}
	_, err := r.HTML(run)
	if err == nil || !strings.HasPrefix(err.Error(), "report: claim M3: data/none.csv: ") {
		t.Errorf("error %v, want claim and file", err)
	}
	r.Claims[2].Data = []string{"data"}
	_, err = r.HTML(run)
	if err == nil || err.Error() != "report: claim M3: data: is a folder" {
		t.Errorf("error %v for a folder", err)
	}
}

func TestJSON(t *testing.T) {
	data, err := made().JSON("out/report.html")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), `": null`) { // a cell that is no number is null among values
		t.Error("a list is null")
	}
	var got struct {
		Claims []claim.Claim
		Report string
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got.Report != "out/report.html" {
		t.Errorf("report is %q", got.Report)
	}
	want := made().Claims
	for i := range want { // nil and empty lists are one
		want[i].Figures, want[i].Data, want[i].Captions = list(want[i].Figures), list(want[i].Data), list(want[i].Captions)
	}
	if !reflect.DeepEqual(got.Claims, want) {
		t.Errorf("claims come back as %+v", got.Claims)
	}
	r := made()
	r.Claims[0].Seconds = math.NaN()
	if _, err := r.JSON(""); err == nil {
		t.Error("no error for a time that is not a number")
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(run)); err != nil {
		t.Fatal(err)
	}
	early := made()
	early.Claims, early.Pending = early.Claims[:1], []string{"M2"}
	for _, r := range []Report{early, made()} { // the second replaces the first
		path, err := Write(dir, r)
		if err != nil {
			t.Fatal(err)
		}
		if path != filepath.Join(dir, "report.html") {
			t.Errorf("path %q", path)
		}
		ledger, _ := r.JSON("report.html")
		for name, want := range map[string]string{"report.html": htmlOf(t, r), "report.md": markdownOf(t, r), "claims.json": string(ledger)} {
			if read(t, filepath.Join(dir, name)) != want {
				t.Errorf("%s is not that of the report", name)
			}
		}
	}
	before := read(t, filepath.Join(dir, "claims.json"))
	bad := early
	bad.Pending = []string{"M1"}
	if _, err := Write(dir, bad); err == nil {
		t.Fatal("no error")
	}
	if read(t, filepath.Join(dir, "claims.json")) != before {
		t.Error("a report that cannot be made has replaced a file")
	}
}

func TestWriteMakesFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	if _, err := Write(dir, Report{Title: "first", Pending: []string{"M1"}}); err != nil {
		t.Fatal(err)
	}
}

// TestWordings checks that each verdict has its words, and its own shape.
func TestWordings(t *testing.T) {
	shapes := map[string]claim.Verdict{}
	for _, v := range claim.Verdicts {
		w := wordings[v]
		if w.one != string(v) || w.many == "" || w.meaning == "" || sgr[v] == "" {
			t.Errorf("%s: %+v, colour %q", v, w, sgr[v])
		}
		if other, taken := shapes[string(w.icon)]; taken {
			t.Errorf("%s looks like %s", v, other)
		}
		shapes[string(w.icon)] = v
	}
	if len(wordings) != len(claim.Verdicts) {
		t.Error("words for a verdict that does not exist")
	}
}
