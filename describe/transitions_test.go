package describe

import (
	"encoding/csv"
	"math"
	"strconv"
	"strings"
	"testing"

	"foretell/process"
)

// readTransitions reads what WriteCSV writes of a process.
func readTransitions(t *testing.T, s Subject) [][]string {
	t.Helper()
	var text strings.Builder
	if err := s.Forms(t.Context(), "").Write(&text, ".csv"); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 2 || strings.Join(rows[0], ",") != "state,token,next_state,probability" {
		t.Fatalf("%.100q", text.String())
	}
	return rows[1:]
}

// The transitions of every process have probabilities, which sum to 1 from each state;
// those of hidden states lead to such.
func TestTransitionsOfTheCatalogue(t *testing.T) {
	for _, entry := range process.Catalogue() {
		s := mustNamed(t, entry.Name, nil)
		if _, err := s.Optimum(); err != nil {
			continue // a recording, whose probabilities nobody knows
		}
		tokens, sums := map[string]bool{}, map[string]float64{}
		for _, name := range s.Process.Tokens() {
			tokens[name] = true
		}
		rows := readTransitions(t, s)
		for _, row := range rows {
			p, err := strconv.ParseFloat(row[3], 64)
			if err != nil || !(p > 0 && p <= 1+1e-9) || !tokens[row[1]] {
				t.Fatalf("%s: %q", entry.Name, row)
			}
			sums[row[0]] += p
		}
		for state, sum := range sums {
			if math.Abs(sum-1) > 1e-9 {
				t.Errorf("%s: from %q the probabilities sum to %v", entry.Name, state, sum)
			}
		}
		m, ok := s.Process.(process.Machine)
		if !ok || m.Generalised() {
			if sums["(start)"] == 0 {
				t.Errorf("%s: no word begins", entry.Name)
			}
			continue
		}
		if len(sums) != len(m.States()) {
			t.Errorf("%s: transitions from %d states of %d", entry.Name, len(sums), len(m.States()))
		}
		for _, row := range rows {
			if sums[row[2]] == 0 {
				t.Errorf("%s: a transition to %q, which is no state", entry.Name, row[2])
			}
		}
	}
}

// Words are all that can occur up to a length, however many tokens there are, and tokens
// have their names in them, too.
func TestTransitionsOfWords(t *testing.T) {
	rows := readTransitions(t, mustNamed(t, "routing", nil))
	lengths := map[int]int{}
	for _, row := range rows {
		if !strings.HasSuffix(" "+row[2], " "+row[1]) {
			t.Fatalf("%q", row)
		}
		lengths[len(strings.Fields(row[2]))]++
	}
	if lengths[1] != 1 || lengths[2] != 4 || lengths[3] != 128 || len(rows) > mostRows {
		t.Errorf("%v words by length", lengths)
	}
}

// Transitions are named and in the order of state, token and next state; words go by
// their length.
func TestTransitionsAsRows(t *testing.T) {
	for name, want := range map[string]string{
		"even": "A 0 A 0.5|A 1 B 0.5|B 1 A 1",
		"coin": "(start) tails tails 0.5|(start) heads heads 0.5|tails tails tails tails 0.6666666666666666|",
	} {
		var got []string
		for _, row := range readTransitions(t, mustNamed(t, name, nil)) {
			got = append(got, strings.Join(row, " "))
		}
		if all := strings.Join(got, "|"); !strings.HasPrefix(all, want) {
			t.Errorf("%s: %.200s, want %s", name, all, want)
		}
	}
}
