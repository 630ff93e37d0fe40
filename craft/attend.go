package craft

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Peak is the score, in nats, of a source that should receive all attention: a million
// other sources together receive less than 1e-37 of it.
const Peak = 100.0

// Uniform attends to every source equally: position n has n sources, each with weight
// 1/n.
func Uniform() []Score { return nil }

// Weighted attends to each source in proportion to the weight given for the source's
// direction. A direction that is not listed has weight 1. Weights must be positive.
func Weighted(weights map[string]float64) []Score {
	var scores []Score
	for _, key := range slices.Sorted(maps.Keys(weights)) {
		scores = append(scores, Score{Always, key, math.Log(weights[key])})
	}
	return scores
}

// Offset attends to the source that is `back` positions earlier (0 is the position
// itself). The first `back` positions have no such source and attend uniformly. It panics
// unless 0 ≤ back < len(positions).
func Offset(positions []string, back int) []Score {
	if back < 0 || back >= len(positions) {
		panic(fmt.Sprintf("craft: an offset of %d is outside %d positions", back, len(positions)))
	}
	return Match(positions[back:], positions[:len(positions)-back])
}

// Match makes each position that has the direction queries[i] attend equally to all
// sources that have the direction keys[i]. A position without a match attends uniformly.
// It panics if the lengths differ.
func Match(queries, keys []string) []Score {
	if len(queries) != len(keys) {
		panic(fmt.Sprintf("craft: Match with %d queries and %d keys; want the same number of both", len(queries), len(keys)))
	}
	scores := make([]Score, len(queries))
	for i, q := range queries {
		scores[i] = Score{q, keys[i], Peak}
	}
	return scores
}

// Copy moves each direction from[i] to the direction to[i]. It panics if the lengths
// differ.
func Copy(from, to []string) []Move {
	if len(from) != len(to) {
		panic(fmt.Sprintf("craft: Copy from %d directions to %d; want the same number of both", len(from), len(to)))
	}
	moves := make([]Move, len(from))
	for i, f := range from {
		moves[i] = Move{f, to[i], 1}
	}
	return moves
}

// Numbered returns n names: "position 0", "position 1" and so on.
func Numbered(name string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s %d", name, i)
	}
	return names
}

// queries returns the directions that a head's queries read. Each such direction takes
// one dimension of the head's queries and keys.
func (h Head) queries() []string {
	return distinct(h.Attend, func(s Score) string { return s.Query })
}

// targets returns the directions that a head writes to. Each such direction takes one
// dimension of the head's values.
func (h Head) targets() []string {
	return distinct(h.Move, func(m Move) string { return m.To })
}

func distinct[T any](list []T, name func(T) string) []string {
	seen := map[string]bool{}
	var names []string
	for _, item := range list {
		if n := name(item); !seen[n] {
			seen[n] = true
			names = append(names, n)
		}
	}
	return names
}
