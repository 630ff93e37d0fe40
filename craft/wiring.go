package craft

import (
	"fmt"
	"slices"
	"strings"
)

// Wiring records which parts of the forward pass read and write which directions. This is
// the block structure of a design's matrices. It does not depend on the vectors of the
// directions.
type Wiring struct {
	Parts  []string // names of the parts, in the order of the forward pass: "embedding", "head 0.1", "MLP 0", …
	Groups []string // groups of directions whose names differ only in the number, such as "counted"
	// Uses[part][group] is +1 if the part writes to directions of the group, −1 if it reads
	// them, otherwise 0.
	Uses [][]float64
}

// groupOf returns the name of a direction without the number at its end.
func groupOf(direction string) string {
	if group := strings.TrimSpace(strings.TrimRight(direction, "0123456789")); group != "" {
		return group
	}
	return "number"
}

// Wiring returns the wiring of a design.
func (d Design) Wiring() Wiring {
	var w Wiring
	w.add("embedding", 1, d.Tokens)
	switch {
	case d.Positions != nil:
		w.add("positions", 1, d.Positions)
	case d.Waves.Kind == Sinusoidal:
		w.add("positions", 1, []string{Sine(0), Cosine(0)})
	}
	low := d.lowered()
	for i, b := range low.Blocks {
		for j, h := range b.Heads {
			part := fmt.Sprintf("head %d.%d", i, j)
			for _, s := range h.Attend {
				w.add(part, -1, []string{s.Query, s.Key})
			}
			for _, m := range h.Move {
				w.add(part, -1, []string{m.From})
				w.add(part, 1, []string{m.To})
			}
		}
		for _, n := range b.neurons() {
			part := fmt.Sprintf("MLP %d", i)
			w.add(part, -1, slices.Concat(n.reads, n.unless))
			w.add(part, 1, []string{n.to})
		}
	}
	for _, l := range d.Logits {
		w.add("unembedding", -1, []string{l.From})
	}
	for i, row := range w.Uses { // earlier parts have no entries for groups that were added later
		w.Uses[i] = append(row, make([]float64, len(w.Groups)-len(row))...)
	}
	return w
}

// add records that a part writes to directions (use is 1) or reads them (use is −1).
func (w *Wiring) add(part string, use float64, directions []string) {
	row := slices.Index(w.Parts, part)
	if row < 0 {
		row = len(w.Parts)
		w.Parts = append(w.Parts, part)
		w.Uses = append(w.Uses, nil)
	}
	for _, direction := range directions {
		if direction == Always {
			continue
		}
		column := slices.Index(w.Groups, groupOf(direction))
		if column < 0 {
			column = len(w.Groups)
			w.Groups = append(w.Groups, groupOf(direction))
		}
		for len(w.Uses[row]) <= column {
			w.Uses[row] = append(w.Uses[row], 0)
		}
		w.Uses[row][column] = use
	}
}
