package lesson

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"foretell"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown reads CommonMark with tables.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()

// Parse returns the steps of a lesson in Markdown: one for its title and one for each
// heading below. An error begins with its line. It also says where a construct is that
// a lesson cannot have.
func Parse(source []byte) (steps []Step, err error) {
	if !utf8.Valid(source) {
		return nil, errors.New("1: the lesson is not UTF-8")
	}
	r := reader{source: source}
	for n := markdown.Parse(text.NewReader(source)).FirstChild(); n != nil; n = n.NextSibling() {
		if err := r.add(n); err != nil {
			return nil, err
		}
	}
	switch {
	case r.steps == nil:
		err = errors.New("1: the lesson is empty")
	case r.answer != nil:
		err = errors.New("1: an answer has no end, a line </details>")
	}
	return r.steps, err
}

// reader reads the nodes of a source in their order.
type reader struct {
	source []byte
	steps  []Step
	answer *Block // the one that is not closed yet
}

// add adds a node of the document.
func (r *reader) add(n ast.Node) error {
	heading, ok := n.(*ast.Heading)
	if ok {
		return r.begin(heading)
	}
	if r.steps == nil {
		return r.wrong(n, "want a title first")
	}
	to := &r.steps[len(r.steps)-1].Blocks
	if html, ok := n.(*ast.HTMLBlock); ok {
		return r.fold(html, to)
	}
	if r.answer != nil {
		to = &r.answer.Blocks
	}
	block, err := r.block(n)
	*to = append(*to, block)
	return err
}

// begin begins a step.
func (r *reader) begin(n *ast.Heading) error {
	if level := min(len(r.steps), 1) + 1; n.Level != level || r.answer != nil {
		return r.wrong(n, "want a title, then headings of the second level, none in an answer")
	}
	title, err := r.plain(n)
	r.steps = append(r.steps, Step{Title: title})
	return err
}

// wrong returns an error about a node, with its line.
func (r *reader) wrong(n ast.Node, format string, args ...any) error {
	at := n
	for at.Pos() < 0 && at.Parent() != nil {
		at = at.Parent()
	}
	line := 1 + bytes.Count(r.source[:max(0, min(at.Pos(), len(r.source)))], []byte("\n"))
	return fmt.Errorf("%d: %s: %s", line, n.Kind(), fmt.Sprintf(format, args...))
}

// lines returns the lines of a node without its marks.
func (r *reader) lines(n ast.Node) string { return string(n.Lines().Value(r.source)) }

var summary = regexp.MustCompile(`^<details>\n<summary>([^<&]+)</summary>$`)

// fold begins an answer or ends the open one.
func (r *reader) fold(n *ast.HTMLBlock, in *[]Block) error {
	html := strings.TrimSuffix(r.lines(n), "\n")
	begins := summary.FindStringSubmatch(html)
	switch {
	case n.HasClosure():
	case r.answer == nil && begins != nil:
		*in = append(*in, Block{Kind: Answer, Caption: begins[1]})
		r.answer = &(*in)[len(*in)-1]
		return nil
	case r.answer != nil && html == "</details>":
		r.answer = nil
		return nil
	}
	return r.wrong(n, "want <details> with a line <summary>, empty lines, and </details>")
}

// block reads a block. The text of a list's item may be without a paragraph.
func (r *reader) block(n ast.Node) (b Block, err error) {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		if image, ok := n.FirstChild().(*ast.Image); ok && n.ChildCount() == 1 {
			return r.figure(image)
		}
		spans, err := r.spans(n)
		return Block{Kind: Paragraph, Text: spans}, err
	case *ast.List:
		return r.list(n)
	case *ast.FencedCodeBlock:
		return r.fence(n)
	case *tables.Table:
		return r.table(n)
	}
	return b, r.wrong(n, "a lesson has no such block")
}

func (r *reader) list(n *ast.List) (b Block, err error) {
	b.Kind = Bullets
	if n.IsOrdered() {
		b.Kind = Numbers
		if n.Start != 1 {
			return b, r.wrong(n, "want a list that begins with 1")
		}
	}
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		var blocks []Block
		for child := item.FirstChild(); child != nil; child = child.NextSibling() {
			block, err := r.block(child)
			if err != nil {
				return b, err
			}
			blocks = append(blocks, block)
		}
		b.Items = append(b.Items, blocks)
	}
	return b, nil
}

var fileName = regexp.MustCompile(`^# ([a-z0-9-]+\.yaml)\n`)

// fence reads a file or a console.
func (r *reader) fence(n *ast.FencedCodeBlock) (b Block, err error) {
	var info string
	if n.Info != nil {
		info = string(n.Info.Value(r.source))
	}
	code := r.lines(n)
	switch name := fileName.FindStringSubmatch(code); {
	case info == "yaml" && name != nil:
		return Block{Kind: File, Name: name[1], Code: code}, nil
	case info == "yaml":
		return b, r.wrong(n, "want the name of the file in its first line, such as # dealer.yaml")
	case info != "console" || !strings.HasPrefix(code, prompt):
		return b, r.wrong(n, "want yaml, or console with a line that begins with $")
	}
	b.Kind = Console
	for _, part := range strings.Split("\n"+code, "\n"+prompt)[1:] {
		line, output, _ := strings.Cut(part, "\n")
		b.Commands = append(b.Commands, Command{line, strings.TrimSuffix(output, "\n")})
	}
	return b, nil
}

// prompt begins a line that a reader types.
const prompt = "$ "

func (r *reader) table(n *tables.Table) (b Block, err error) {
	b.Kind = Table
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			text, err := r.plain(cell)
			if err != nil {
				return b, err
			}
			cells = append(cells, text)
		}
		if row.Kind() == tables.KindTableHeader {
			b.Columns = cells
		} else {
			b.Rows = append(b.Rows, cells)
		}
	}
	return b, nil
}

// figure reads an image, which is a file of docs or docs/lessons.
func (r *reader) figure(n *ast.Image) (b Block, err error) {
	caption, err := r.plain(n)
	if err != nil {
		return b, err
	}
	name := path.Base(string(n.Destination))
	if _, err := Picture(name); err != nil || len(n.Title) > 0 {
		return b, r.wrong(n, "want a figure of the folder, without a title, not %.100q", n.Destination)
	}
	return Block{Kind: Figure, Name: name, Caption: caption}, nil
}

// plain reads a text without style.
func (r *reader) plain(n ast.Node) (string, error) {
	spans, err := r.spans(n)
	if err != nil || len(spans) == 0 {
		return "", err
	}
	if len(spans) > 1 || spans[0] != (Span{Text: spans[0].Text}) {
		return "", r.wrong(n, "want a text without emphasis, code and links")
	}
	return spans[0].Text, nil
}

// spans reads the text of a node.
func (r *reader) spans(parent ast.Node) (spans []Span, err error) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		words, ok := n.(*ast.Text)
		if !ok {
			span, err := r.span(n)
			if err != nil {
				return nil, err
			}
			spans = append(spans, span)
			continue
		}
		text := words.Value(r.source)
		if !bytes.Equal(util.ResolveEntityNames(util.ResolveNumericReferences(text)), text) {
			return nil, r.wrong(n, "want the character itself in place of an entity")
		}
		spans = join(spans, string(util.UnescapePunctuations(text)))
		if words.HardLineBreak() {
			spans = append(spans, Span{Text: "\n", Style: Break})
		} else if words.SoftLineBreak() {
			spans = join(spans, " ")
		}
	}
	return spans, nil
}

// span reads code, an emphasis or a link.
func (r *reader) span(n ast.Node) (s Span, err error) {
	switch n := n.(type) {
	case *ast.CodeSpan:
		return Span{Text: string(r.raw(n)), Style: Code}, nil
	case *ast.Emphasis:
		s.Style = []Style{Emphasis, Strong}[n.Level-1]
	case *ast.Link:
		if s.Lesson, err = linked(n); err != nil {
			return s, r.wrong(n, "%v", err)
		}
	default:
		return s, r.wrong(n, "a lesson has no such text")
	}
	s.Text, err = r.plain(n)
	return s, err
}

// linked returns the lesson that a link leads to.
func linked(n *ast.Link) (int, error) {
	number := toLesson.FindSubmatch(n.Destination)
	if number == nil || len(n.Title) > 0 {
		return 0, fmt.Errorf("want a link to another lesson, such as 3-attention.md, not %.100q", n.Destination)
	}
	return strconv.Atoi(string(number[1]))
}

var toLesson = regexp.MustCompile(`^([1-9])-[a-z]+\.md$`)

// raw returns the text of code.
func (r *reader) raw(n ast.Node) (code []byte) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			code = append(code, t.Value(r.source)...)
		}
	}
	return code
}

// join adds plain text, to the last span if it is plain.
func join(spans []Span, text string) []Span {
	if last := len(spans) - 1; last >= 0 && spans[last].Style == Plain && spans[last].Lesson == 0 {
		spans[last].Text += text
		return spans
	}
	return append(spans, Span{Text: text})
}

// content is a lesson in the list of README.md.
type content struct{ title, about string }

// contents reads the list of README.md.
func contents() (list []content, err error) {
	source, err := foretell.Lessons.ReadFile(folder + "/README.md")
	if err != nil {
		return nil, err
	}
	steps, err := Parse(source)
	if err != nil {
		return nil, fmt.Errorf("README.md:%w", err)
	}
	for _, block := range steps[0].Blocks {
		for i, item := range block.Items {
			spans := item[0].Text
			if len(spans) != 2 || spans[0].Lesson != i+1 || !strings.HasPrefix(spans[1].Text, ": ") {
				const want = "its title as a link, a colon, and what it is about"
				return nil, fmt.Errorf("README.md: lesson %d: want %s", i+1, want)
			}
			list = append(list, content{spans[0].Text, strings.TrimPrefix(spans[1].Text, ": ")})
		}
	}
	return list, nil
}
