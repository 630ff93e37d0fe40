package runtable

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"foretell/internal/decimal"
	"foretell/internal/text"
)

// Condition is a condition on runs:
//
//	kl < 0.01 and model.d_model >= 32
//	not complete or (process = mess3 and "norm of W_U" > 2)
//
// A comparison has a name on its left, of a setting, a result or a fact, and a number, a
// text, true or false on its right. The operators are = (or ==), !=, <, <=, > and >=;
// texts have only = and !=. A name of a fact that is true or false is a condition by
// itself. Names and texts with spaces, and texts that look like numbers, are in quotes.
// not binds more closely than and, and more closely than or. A comparison with a value
// that a run does not have is false.
type Condition struct {
	root node
}

// String returns the condition with all its parentheses.
func (c *Condition) String() string { return c.root.String() }

// node is a part of a condition.
type node interface {
	fmt.Stringer
	// eval returns for each run of a table whether the part is true.
	eval(t *Table) ([]bool, error)
}

type (
	binary struct {
		word        string // and, or
		left, right node
	}
	negation   struct{ of node }
	comparison struct {
		name     lexeme
		operator string // empty for a name by itself
		value    lexeme
	}
)

func (b binary) String() string   { return fmt.Sprintf("(%s %s %s)", b.left, b.word, b.right) }
func (n negation) String() string { return fmt.Sprintf("(not %s)", n.of) }
func (c comparison) String() string {
	if c.operator == "" {
		return c.name.quoted()
	}
	return fmt.Sprintf("%s %s %s", c.name.quoted(), c.operator, c.value.quoted())
}

// lexeme is a word, a quoted text, an operator or a parenthesis of a condition.
type lexeme struct {
	kind lexemeKind
	text string
	at   int // position of its first character, from 1
}

type lexemeKind int

const (
	ends lexemeKind = iota
	word
	quotedText
	symbol // an operator or a parenthesis
)

// quoted returns a lexeme as it can be read again.
func (l lexeme) quoted() string {
	if l.kind == word {
		return l.text
	}
	if strings.Contains(l.text, `"`) {
		return "'" + l.text + "'"
	}
	return `"` + l.text + `"`
}

func (l lexeme) describe() string {
	if l.kind == ends {
		return "the end"
	}
	return text.Cut(l.text, 40)
}

// is reports whether the lexeme is a word of the language, in any case.
func (l lexeme) is(keyword string) bool { return l.kind == word && strings.EqualFold(l.text, keyword) }

// failed returns an error at a lexeme.
func (l lexeme) failed(format string, arguments ...any) error {
	return fmt.Errorf("at column %d: %s", l.at, fmt.Sprintf(format, arguments...))
}

// operators are the operators of comparisons; the longer ones come first.
var operators = []string{"==", "!=", "<=", ">=", "=", "<", ">"}

// split returns the lexemes of a condition.
func split(text string) (list []lexeme, err error) {
	at := 1
	for text != "" {
		l := lexeme{at: at}
		first, size := utf8.DecodeRuneInString(text)
		if first == utf8.RuneError && size == 1 {
			return nil, l.failed("not UTF-8")
		}
		operator := slices.IndexFunc(operators, func(o string) bool { return strings.HasPrefix(text, o) })
		length := size
		switch {
		case unicode.IsSpace(first):
			text, at = text[size:], at+1
			continue
		case operator >= 0:
			length = len(operators[operator])
			l.kind, l.text = symbol, operators[operator]
			if l.text == "==" {
				l.text = "="
			}
		case first == '(' || first == ')':
			l.kind, l.text = symbol, text[:size]
		case first == '"' || first == '\'':
			end := strings.IndexRune(text[size:], first)
			if end < 0 {
				return nil, l.failed("the text that begins here has no closing %c", first)
			}
			length = end + 2
			l.kind, l.text = quotedText, text[1:length-1]
		default:
			if length = strings.IndexFunc(text, endsWord); length < 0 {
				length = len(text)
			}
			if length == 0 {
				return nil, l.failed("%c is not part of a condition; its operators are =, !=, <, <=, > and >=, "+
					"joined by and, or, not", first)
			}
			l.kind, l.text = word, text[:length]
		}
		if !utf8.ValidString(text[:length]) {
			return nil, l.failed("not UTF-8")
		}
		list = append(list, l)
		at += utf8.RuneCountInString(text[:length])
		text = text[length:]
	}
	return append(list, lexeme{at: at}), nil
}

// endsWord reports whether a character cannot be part of a word.
func endsWord(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`()"'=!<>&|`, r) }

// parser reads a condition from its lexemes.
type parser struct {
	list  []lexeme
	depth int
}

// mostNested is the largest number of parentheses and nots inside each other.
const mostNested = 1000

func (p *parser) take() lexeme {
	l := p.list[0]
	if l.kind != ends {
		p.list = p.list[1:]
	}
	return l
}

// ParseCondition reads a condition. Errors give the column.
func ParseCondition(text string) (*Condition, error) {
	list, err := split(text)
	if err != nil {
		return nil, err
	}
	p := &parser{list: list}
	root, err := p.joined("or", func() (node, error) { return p.joined("and", p.unary) })
	if err != nil {
		return nil, err
	}
	if rest := p.take(); rest.kind != ends {
		return nil, rest.failed("%s does not belong here; conditions are joined by and, or", rest.describe())
	}
	return &Condition{root}, nil
}

// joined reads parts that are joined by a word.
func (p *parser) joined(by string, part func() (node, error)) (node, error) {
	left, err := part()
	for err == nil && p.list[0].is(by) {
		p.take()
		var right node
		right, err = part()
		left = binary{by, left, right}
	}
	return left, err
}

// unary reads a comparison, a negation, or a condition in parentheses.
func (p *parser) unary() (node, error) {
	l := p.take()
	if p.depth++; p.depth > mostNested {
		return nil, l.failed("more than %d conditions are inside each other", mostNested)
	}
	defer func() { p.depth-- }()
	switch {
	case l.is("not"):
		of, err := p.unary()
		return negation{of}, err
	case l.kind == symbol && l.text == "(":
		inside, err := p.joined("or", func() (node, error) { return p.joined("and", p.unary) })
		if err != nil {
			return nil, err
		}
		if end := p.take(); end.kind != symbol || end.text != ")" {
			return nil, end.failed("want a closing parenthesis for the one at column %d, not %s", l.at, end.describe())
		}
		return inside, nil
	}
	return p.comparison(l)
}

func (p *parser) comparison(name lexeme) (node, error) {
	if name.kind != word && name.kind != quotedText || name.is("and") || name.is("or") {
		return nil, name.failed("want a name, such as kl or train.lr, not %s", name.describe())
	}
	if name.kind == word && decimal.IsNumber(name.text) {
		return nil, name.failed("%s is a number; a comparison begins with a name, as in kl < 0.01", name.describe())
	}
	if p.list[0].kind != symbol || !slices.Contains(operators, p.list[0].text) {
		return comparison{name: name}, nil
	}
	operator, value := p.take(), p.take()
	if value.kind != word && value.kind != quotedText || value.is("and") || value.is("or") || value.is("not") {
		return nil, value.failed("want a number or a text after %s, not %s", operator.text, value.describe())
	}
	return comparison{name, operator.text, value}, nil
}

// eval returns for each run of a table whether the condition is true.
func (c *Condition) eval(t *Table) ([]bool, error) { return c.root.eval(t) }

func (b binary) eval(t *Table) ([]bool, error) {
	left, err := b.left.eval(t)
	if err != nil {
		return nil, err
	}
	right, err := b.right.eval(t)
	if err != nil {
		return nil, err
	}
	for i := range left {
		if b.word == "and" {
			left[i] = left[i] && right[i]
		} else {
			left[i] = left[i] || right[i]
		}
	}
	return left, nil
}

func (n negation) eval(t *Table) ([]bool, error) {
	list, err := n.of.eval(t)
	for i := range list {
		list[i] = !list[i]
	}
	return list, err
}

func (c comparison) eval(t *Table) ([]bool, error) {
	column, err := t.find(c.name.text)
	if err != nil {
		return nil, c.name.failed("%v", err)
	}
	values := t.values(column)
	operator := c.operator
	want, err := c.wanted(column.name, values)
	if err != nil {
		return nil, err
	}
	if operator == "" {
		operator = "="
	}
	list := make([]bool, len(values))
	for i, value := range values {
		list[i] = value != nil && want != nil && compares(operator, compareValues(value, want))
	}
	return list, nil
}

// wanted returns the value with which a column is compared, of the column's type. It is
// nil if no run has a value there.
func (c comparison) wanted(name string, values []any) (any, error) {
	i := slices.IndexFunc(values, func(value any) bool { return value != nil })
	if i < 0 {
		return nil, nil
	}
	given := c.value.text
	ordered := c.operator != "" && c.operator != "=" && c.operator != "!="
	switch values[i].(type) {
	case bool:
		is := c.value.kind == ends || c.value.is("true")
		if ordered || !is && !c.value.is("false") {
			return nil, c.at().failed("%s is true or false; write %s, not %s, or %s = true", name, name, name, name)
		}
		return is, nil
	case int64, float64:
		x, err := decimal.Parse(given, 64)
		if c.operator == "" {
			return nil, c.name.failed("%s is a number; compare it, as in %s < 0.01", name, name)
		}
		if err != nil || c.value.kind == quotedText {
			return nil, c.value.failed("%s is a number, and %s is a text", name, c.value.quoted())
		}
		return x, nil
	}
	switch {
	case c.operator == "":
		return nil, c.name.failed(`%s is a text; compare it, as in %s = %s`, name, name, example(values[i].(string)))
	case ordered:
		return nil, c.name.failed("%s is a text, which is compared with = or !=, not %s", name, c.operator)
	case c.value.kind == word && decimal.IsNumber(given):
		return nil, c.value.failed(`%s is a text, and %s is a number; a text that looks like one is in quotes`,
			name, given)
	}
	return given, nil
}

// at returns the value of a comparison, or its name if it has no value.
func (c comparison) at() lexeme {
	if c.value.kind == ends {
		return c.name
	}
	return c.value
}

// example returns a text as it is written in a condition.
func example(value string) string {
	value = text.Excerpt(value, 20)
	if value == "" || strings.ContainsFunc(value, endsWord) || decimal.IsNumber(value) {
		return strconv.Quote(value)
	}
	return value
}

// compares reports whether an operator holds for the order of two values.
func compares(operator string, order int) bool {
	switch operator {
	case "=":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// compareValues orders two values of one type: numbers by size, false before true, texts
// by their characters, where those that are numbers come first.
func compareValues(a, b any) int {
	if x, ok := float(a); ok {
		if y, ok := float(b); ok {
			return cmp.Compare(x, y)
		}
	}
	switch a := a.(type) {
	case bool:
		if b, ok := b.(bool); ok && a == b {
			return 0
		} else if a {
			return 1
		}
		return -1
	case string:
		if b, ok := b.(string); ok {
			return strings.Compare(a, b)
		}
	}
	return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
}

func float(value any) (float64, bool) {
	switch value := value.(type) {
	case int64:
		return float64(value), true
	case float64:
		return value, true
	}
	return 0, false
}
