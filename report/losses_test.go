package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/model"
	"foretell/process"
	"foretell/train"
)

// The report of rows that trained shows how their models learned, in all its forms, also
// where another command adds a row.
func TestLosses(t *testing.T) {
	var trainings []claim.Training
	for seed := range uint64(2) {
		trainings = append(trainings, claim.Training{
			Name: fmt.Sprintf("tiny-seed%d", seed), Label: "tiny",
			Config: train.Config{
				Process: process.Spec{Name: "periodic", Params: process.Params{"pattern": "AB"}},
				Model:   model.Config{DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: 3},
				Train:   train.Options{Seed: seed, BatchSize: 4, NumSteps: 4, LR: 0.01, EvaluateEvery: 2},
			},
		})
	}
	dir := t.TempDir()
	r := theirs("first")
	r.Trainings = trainings
	for i, rows := range [][]claim.Row{sayRows("one", "M1", "M2"), sayRows("two", "M2")} {
		rows[0].Trainings = trainings[i:]
		if _, _, err := Reproduce(t.Context(), &claim.Study{Out: dir}, rows, r); err != nil {
			t.Fatal(err)
		}
		html := read(t, filepath.Join(dir, HTMLFile))
		parse(t, html)
		for file, want := range map[string]string{
			HTMLFile:      `<h2 id="learning">How the models learned</h2>`,
			MarkdownFile:  "![How the models learned](figures/loss.svg)",
			lossFigure(0): "<title id=",
			lossData:      "group,models,step,loss,loss_lowest,loss_highest,floor,chance\n0,2,",
			dataGuide:     "### loss.csv",
		} {
			if !strings.Contains(read(t, filepath.Join(dir, filepath.FromSlash(file))), want) {
				t.Errorf("%s lacks %q", file, want)
			}
		}
		if strings.Contains(read(t, filepath.Join(dir, JSONFile)), "loss.svg") {
			t.Error("the ledger has a figure that is no claim's")
		}
	}
	checkDropped(t, dir, r)
	if page, err := r.HTML(dir); err != nil || strings.Contains(string(page), lossTitle) {
		t.Errorf("a report without runs shows losses (%v)", err)
	}
}

// checkDropped checks that a report that is written anew removes the files of losses that
// its page has shown and shows no longer, and no others.
func checkDropped(t *testing.T, dir string, r Report) {
	t.Helper()
	write := func(file, text string) {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(file)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(lossFigure(1), "of the report")
	write(lossFigure(2), "a user's own")
	write(HTMLFile, read(t, filepath.Join(dir, HTMLFile))+`<a href="`+lossFigure(1)+`">`)
	for _, files := range []string{
		lossFigure(0) + " " + lossFigure(2) + " " + lossData,
		lossFigure(2),
	} {
		if _, err := Write(dir, r); err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, file := range []string{lossFigure(0), lossFigure(1), lossFigure(2), lossData} {
			if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(file))); err == nil {
				left = append(left, file)
			}
		}
		if got := strings.Join(left, " "); got != files {
			t.Errorf("the folder has %s, want %s", got, files)
		}
		if err := os.RemoveAll(filepath.Join(dir, "runs")); err != nil {
			t.Fatal(err)
		}
	}
}
