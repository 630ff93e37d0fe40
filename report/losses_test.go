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
	if err := os.RemoveAll(filepath.Join(dir, "runs")); err != nil {
		t.Fatal(err)
	}
	if page, err := r.HTML(dir); err != nil || strings.Contains(string(page), lossTitle) {
		t.Errorf("a report without runs shows losses (%v)", err)
	}
}
