package strict

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// step is one part of a path: a key or an index.
type step struct {
	key   string
	index int // −1 for a key
}

// in returns the child of n to which the step leads, or nil.
func (s step) in(n *node) *node {
	switch {
	case s.index < 0:
		return n.child(s.key)
	case s.index < len(n.items):
		return n.items[s.index]
	default:
		return nil
	}
}

// splitPath parses a path such as a.b[1].c.
func splitPath(path string) ([]step, error) {
	invalid := fmt.Errorf("%s is not a path such as train.lr or train.betas[1]", quote(path))
	var steps []step
	for part := range strings.SplitSeq(path, ".") {
		key, indices, indexed := strings.Cut(part, "[")
		if key == "" {
			return nil, invalid
		}
		steps = append(steps, step{key: key, index: -1})
		if !indexed {
			continue
		}
		indices, closed := strings.CutSuffix(indices, "]")
		if !closed {
			return nil, invalid
		}
		for digits := range strings.SplitSeq(indices, "][") {
			index, err := strconv.ParseUint(digits, 10, 31)
			if err != nil {
				return nil, invalid
			}
			steps = append(steps, step{index: int(index)})
		}
	}
	return steps, nil
}

// trail is the path to a value, as a linked list. It is formatted only for an error:
// formatting it at every value would take quadratic time for a long key above many
// values. The document's own trail is nil.
type trail struct {
	above *trail
	step
	depth int // number of steps
}

// to extends the trail by a step.
func (t *trail) to(s step) *trail {
	if t == nil {
		return &trail{nil, s, 1}
	}
	return &trail{t, s, t.depth + 1}
}

func (t *trail) key(key string) *trail { return t.to(step{key: key, index: -1}) }

func (t *trail) item(index int) *trail { return t.to(step{index: index}) }

// String returns the path, shortened in the middle if it is long.
func (t *trail) String() string {
	const longest, begin, end = 160, 60, 90
	var steps []step
	for ; t != nil; t = t.above {
		steps = append(steps, t.step)
	}
	path := ""
	for _, s := range slices.Backward(steps) {
		path = s.join(path)
	}
	if runes := []rune(path); len(runes) > longest {
		path = string(runes[:begin]) + "…" + string(runes[len(runes)-end:])
	}
	return path
}

// join appends the step to a path.
func (s step) join(path string) string {
	if s.index >= 0 {
		return fmt.Sprintf("%s[%d]", path, s.index)
	}
	if path == "" {
		return showKey(s.key)
	}
	return path + "." + showKey(s.key)
}

// showKey returns a key for use in a path, quoted if necessary.
func showKey(key string) string {
	special := func(r rune) bool { return !strconv.IsPrint(r) || strings.ContainsRune(".[] \"", r) }
	if key = shorten(key, 60); key == "" || !utf8.ValidString(key) || strings.ContainsFunc(key, special) {
		return strconv.Quote(key)
	}
	return key
}
