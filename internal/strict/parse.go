package strict

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// MaxBytes is the largest length of a configuration.
const MaxBytes = 1 << 20

// maxDepth is the largest nesting depth of mappings and lists.
const maxDepth = 64

// Messages about text that is not supported.
const (
	noAnchors = "anchors and aliases (& and *) are not supported; write the value out, or quote it when it is text"
	noTags    = "tags (!) are not supported; write the value alone, or quote it when it is text"
)

var tooDeep = fmt.Sprintf("nested more than %d levels deep", maxDepth)

// Parse parses a YAML document. Errors and [Position]s begin with name, the file's name.
// An empty document is an empty mapping.
func Parse(name string, data []byte) (*Document, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%s: %d bytes; a configuration has at most %d", name, len(data), MaxBytes)
	}
	root, err := builder{name: name, inFile: true}.parse(string(data))
	if err != nil {
		return nil, err
	}
	if root == nil {
		root = &node{kind: mapping, at: Position{Name: name, Line: 1, Column: 1}}
	}
	return &Document{root: root}, nil
}

// builder converts the nodes of the library to nodes of this package.
type builder struct {
	name   string   // name of the file, or the assignment
	inFile bool     // whether positions have a line and a column
	depth  int      // depth at which the value will be inserted in another document, else 0
	lines  [][]rune // lines of the text
}

// position returns the position of a line and a column, both from 1.
func (b builder) position(line, column int) Position {
	if !b.inFile {
		return Position{Name: b.name}
	}
	return Position{Name: b.name, Line: max(line, 1), Column: max(column, 1)}
}

// errorf returns an error at a position. It puts the message on one line.
func (b builder) errorf(line, column int, format string, arguments ...any) error {
	message := strings.Join(strings.Fields(fmt.Sprintf(format, arguments...)), " ")
	return &locatedError{at: b.position(line, column), message: message}
}

// parse returns the tree of the only document in text, or nil if it is empty.
func (b builder) parse(text string) (*node, error) {
	text = lineBreaks.Replace(strings.TrimPrefix(text, "\ufeff"))
	for line := range strings.SplitSeq(text, "\n") {
		if err := b.checkLine(line); err != nil {
			return nil, err
		}
		b.lines = append(b.lines, []rune(line))
	}
	body, err := b.load(text)
	var load *yaml.LoadError
	switch {
	case errors.As(err, &load):
		return nil, b.syntax(load)
	case body == nil:
		return nil, err
	}
	root, err := b.build(body, b.position(body.Line, body.Column), nil, b.depth)
	if err == nil && isEmpty(body) {
		return nil, nil
	}
	return root, err
}

// load returns the only document in text as the library reads it, or nil if text is
// empty.
func (b builder) load(text string) (*yaml.Node, error) {
	if after, found := strings.CutPrefix(text, "%YAML 1.2"); found {
		text = "%YAML 1.1" + after // the library refuses the number 1.2
	}
	limits := loaderlimits.New(loaderlimits.DepthFunc(b.checkDepth))
	loader, err := yaml.NewLoader(strings.NewReader(text), yaml.WithPlugin(limits))
	if err != nil {
		return nil, err
	}
	var first, second yaml.Node
	if err := loader.Load(&first); err == io.EOF {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	switch err := loader.Load(&second); err {
	case io.EOF:
		return first.Content[0], nil
	case nil:
		return nil, b.errorf(second.Line, second.Column, "a second document begins here; only one is allowed")
	default:
		return nil, err
	}
}

// lineBreaks normalises line breaks to line feeds, as YAML does.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// checkLine returns an error for the line after b.lines if it contains a character that
// YAML does not allow, or that the library takes for a line break, as YAML 1.1 does. It
// refuses %TAG, too: for many such lines, the library would need quadratic time.
func (b builder) checkLine(line string) error {
	number := len(b.lines) + 1
	switch {
	case !utf8.ValidString(line):
		return b.errorf(number, 1, "not UTF-8 text")
	case strings.HasPrefix(line, "%TAG"):
		return b.errorf(number, 1, noTags)
	}
	column := 0
	for _, c := range line {
		column++
		switch {
		case c < ' ' && c != '\t', c == 0x85, c == 0x2028, c == 0x2029, c == 0xfffe, c == 0xffff:
			return b.errorf(number, column, `the character %U in a text; write \u%04x in double quotes`, c, c)
		}
	}
	return nil
}

// checkDepth returns an error for text that is nested too deeply. The library calls it
// with the number of open brackets, or of open mappings and lists by indentation.
func (b builder) checkDepth(depth int, by *yaml.DepthContext) error {
	if by.Kind == yaml.DepthKindBlock {
		depth-- // the outermost one is the document
	}
	if depth+b.depth > maxDepth {
		return errors.New(tooDeep)
	}
	return nil
}
