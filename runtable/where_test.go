package runtable

import (
	"fmt"
	"strings"
	"testing"

	"foretell/run"
	"foretell/settings"
)

// madeUp is a table of three runs whose numbers are written here.
func madeUp() *Table {
	t := &Table{}
	for i, kl := range []float64{0.3, 0.001, 0.02} {
		t.Rows = append(t.Rows, Row{
			Info:     run.Info{Dir: fmt.Sprint("r", i), Process: "mess3", Step: 10 * i, Steps: 20, Complete: i == 2},
			Results:  map[string]float64{"kl": kl},
			Settings: settings.Of([2]string{"train.lr", fmt.Sprint(0.1 * float64(i+1))}),
		})
	}
	return t
}

func shown(t *Table) string {
	var names []string
	for _, r := range t.Rows {
		names = append(names, r.Dir)
	}
	return strings.Join(names, " ")
}

func TestWhere(t *testing.T) {
	for condition, want := range map[string]string{
		"kl < 0.1": "r1 r2", "not complete": "r0 r1", "complete or kl > 0.1": "r0 r2", "lr <= 0.1": "r0",
		"not (kl < 0.1 and complete) and process = mess3": "r0 r1",
	} {
		table := madeUp()
		if err := table.Where(condition); err != nil || shown(table) != want {
			t.Errorf("%s: %s, %v; want %s", condition, shown(table), err, want)
		}
	}
	for _, condition := range []string{"", "kl <", "(kl < 1", "kl < 1 complete", "nothing = 1", "kl = text", "kl", "3 < kl", "process < a", "a = 'b"} {
		if err := madeUp().Where(condition); err == nil || !strings.HasPrefix(err.Error(), "at column ") {
			t.Errorf("%q: %v", condition, err)
		}
	}
}

func TestSort(t *testing.T) {
	table := madeUp()
	if err := table.Sort(false, "kl"); err != nil || shown(table) != "r1 r2 r0" {
		t.Errorf("%s, %v", shown(table), err)
	}
	if err := table.Sort(true, "kl"); err != nil || shown(table) != "r0 r2 r1" {
		t.Errorf("%s, %v", shown(table), err)
	}
}
