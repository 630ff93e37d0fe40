package claim

import (
	"encoding/json"
	"testing"
)

// The numbers of a table stand beside its texts as numbers.
func TestTableValues(t *testing.T) {
	table := Table{Title: "t", Columns: []string{"a", "b"}, Rows: [][]string{
		{"x < 1", "0.0205 ± 0.0013"}, {"seed 2", "−1.5"}, {"12,000", "4.3 %"}, {"2.0e-08", "0.38 (0.77)"}, {"3.9 % ± 0.2 %", ""},
	}}
	const want = `{"title":"t","columns":["a","b"],` +
		`"rows":[["x < 1","0.0205 ± 0.0013"],["seed 2","−1.5"],["12,000","4.3 %"],["2.0e-08","0.38 (0.77)"],["3.9 % ± 0.2 %",""]],` +
		`"values":[[null,0.0205],[null,-1.5],[12000,0.043],[2e-8,null],[0.039,null]],` +
		`"errors":[[null,0.0013],[null,null],[null,null],[null,null],[0.002,null]]}` + "\n"
	got, err := table.MarshalJSON()
	if err != nil || string(got) != want {
		t.Errorf("%v\ngot  %swant %s", err, got, want)
	}
	var again Table
	if err := json.Unmarshal(got, &again); err != nil || again.Rows[0][1] != table.Rows[0][1] {
		t.Errorf("%v: %+v", err, again)
	}
	for _, text := range []string{"0 1 2 3", "3–9", "1,23", "1e5 t", "[1 2]", "(0.2, 0.4)", "-", ".", "9 of 9"} {
		if x := numberIn(text); x != nil {
			t.Errorf("%s is taken for %v", text, *x)
		}
	}
}
