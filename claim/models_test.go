package claim_test

import (
	"errors"
	"io/fs"
	"testing"

	"foretell/claim"
	"foretell/train"
)

// The models that a study has trained are those that its row plans, and no others: a
// change of a configuration, of a name or of the list is another value.
func TestFinishedModelsAreThePlannedOnes(t *testing.T) {
	row := lossRow("T1", tiny(1), tiny(2), tiny(1))
	study := &claim.Study{Out: t.TempDir(), Workers: 2}
	if _, err := study.Reproduce(t.Context(), []claim.Row{row}); err != nil {
		t.Fatal(err)
	}
	planned, err := row.Planned()
	if err != nil || planned.Count != 2 || planned.Engine != train.BitsVersion {
		t.Fatalf("%+v, %v", planned, err)
	}
	finished, spans, err := row.Finished(study.Out)
	if err != nil || finished != planned || len(spans) != 2 || spans[0].Sessions != 1 {
		t.Errorf("%+v, %v, %v, want %+v", finished, spans, err, planned)
	}
	renamed, longer := tiny(2), tiny(2)
	renamed.Name = "tiny-other"
	longer.Config.Train.NumSteps++
	for _, other := range [][]claim.Training{{tiny(1)}, {tiny(1), renamed}, {tiny(1), longer}, {tiny(1), tiny(2), tiny(3)}} {
		if got, err := lossRow("T1", other...).Planned(); err != nil || got.Hash == planned.Hash {
			t.Errorf("%v: %+v, %v, want another hash", other, got, err)
		}
	}
	if got, err := lossRow("T1", tiny(2), tiny(1), tiny(1), tiny(2)).Planned(); err != nil || got != planned {
		t.Errorf("in another order, each twice: %+v, %v, want %+v", got, err, planned)
	}
	if _, _, err := lossRow("T1", renamed).Finished(study.Out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("models that were not trained: %v", err)
	}
}
