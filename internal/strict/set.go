package strict

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Set applies an assignment from a command line: path=value, such as train.lr=1e-3,
// model.n_heads=[1, 3] or train.betas[1]=0.99. The value is YAML, except that @FILE,
// which YAML reserves, is text. The value replaces the old one; missing mappings on the
// path are created. [Document.Decode] checks later whether the keys exist and the types
// fit; its errors then give the assignment instead of a line.
func (d *Document) Set(assignment string) error {
	at := Position{Name: nameOf(assignment)}
	path, text, ok := strings.Cut(assignment, "=")
	if !ok {
		return &locatedError{at: at, message: `no "="; write key=value`}
	}
	steps, err := splitPath(strings.TrimSpace(path))
	if err == nil && len(steps) > maxDepth {
		err = fmt.Errorf("the path has %d parts, want at most %d", len(steps), maxDepth)
	}
	if err == nil && len(text) > MaxBytes {
		err = fmt.Errorf("the value has %d bytes, want at most %d in a configuration", len(text), MaxBytes)
	}
	if err != nil {
		return &locatedError{at: at, message: err.Error()}
	}
	if strings.HasPrefix(text, "@") {
		text = strconv.Quote(text)
	}
	value, err := builder{name: at.Name, depth: len(steps)}.parse(text)
	if err != nil {
		return err
	}
	if value == nil {
		value = &node{kind: null, at: at}
	}
	if err := replace(d.root, steps, value); err != nil {
		return &locatedError{at: at, message: err.Error()}
	}
	return nil
}

// Blame returns an error that begins with the assignment instead of the position that
// [Document.Explain] has added. It does so for a [FieldError] if the assignment set a
// part of the field, or if the document does not contain the field. It returns other
// errors unchanged.
func (d *Document) Blame(assignment string, err error) error {
	var field *FieldError
	if !errors.As(err, &field) || d.gives(field.Path) && !strings.HasPrefix(assignment, field.Path+".") {
		return err
	}
	return &locatedError{at: Position{Name: nameOf(assignment)}, message: field.Error(), cause: field}
}

// gives reports whether the document has a value at path.
func (d *Document) gives(path string) bool {
	_, ends := d.find(path)
	return ends
}

// nameOf returns the name of an assignment in errors: its beginning, on one line.
func nameOf(assignment string) string {
	const most = 100
	return shorten(strings.Join(strings.Fields(shorten(assignment, 2*most)), " "), most)
}

// replace stores value where the steps lead, starting at n. It creates missing mappings.
func replace(n *node, steps []step, value *node) error {
	var path *trail
	for i, s := range steps {
		if s.index < 0 && n.kind == null {
			n.kind = mapping // "train:" with nothing below it
		}
		if err := s.check(n, path); err != nil {
			return err
		}
		if i == len(steps)-1 {
			s.put(n, value)
			return nil
		}
		next := s.in(n)
		if next == nil {
			next = &node{kind: mapping, at: value.at}
			s.put(n, next)
		}
		n, path = next, path.to(s)
	}
	return errors.New("an empty path")
}

// check returns an error if the step cannot be taken from n, which is at path.
func (s step) check(n *node, above *trail) error {
	path := "the document"
	if above != nil {
		path = above.String()
	}
	switch {
	case s.index < 0 && n.kind != mapping:
		return fmt.Errorf("%s is %s, not a mapping with keys", path, n.describe())
	case s.index >= 0 && n.kind != sequence:
		return fmt.Errorf("%s is %s, not a list", path, n.describe())
	case s.index >= len(n.items) && s.index >= 0:
		return fmt.Errorf("%s has %d values; there is no [%d]", path, len(n.items), s.index)
	default:
		return nil
	}
}

// put sets, or adds, the child of n to which the step leads.
func (s step) put(n, value *node) {
	if s.index >= 0 {
		n.items[s.index] = value
		return
	}
	for i := range n.entries {
		if n.entries[i].key == s.key {
			n.entries[i].value = value
			return
		}
	}
	n.entries = append(n.entries, entry{s.key, value})
}
