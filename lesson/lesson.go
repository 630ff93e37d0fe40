package lesson

import (
	"fmt"
	"io/fs"
	"path"
	"sync"

	"foretell"
)

// Lesson is a lesson.
type Lesson struct {
	Number int    `json:"lesson"` // from 1
	Title  string `json:"title"`
	About  string `json:"about"` // what it is about, in a line
	Steps  []Step `json:"steps"`

	markdown string
}

// Markdown returns the lesson as it is written.
func (l Lesson) Markdown() string { return l.markdown }

// Step is a section of a lesson. The first has the lesson's title.
type Step struct {
	Title  string  `json:"title"`
	Blocks []Block `json:"blocks"`
}

// Kind is the kind of a block.
type Kind string

// The kinds of blocks.
const (
	Paragraph Kind = "paragraph" // Text
	Bullets   Kind = "bullets"   // Items
	Numbers   Kind = "numbers"   // Items, numbered from 1
	Table     Kind = "table"     // Columns and Rows
	File      Kind = "file"      // Name and Code
	Console   Kind = "console"   // Commands
	Figure    Kind = "figure"    // Name, for [Picture], and Caption
	Answer    Kind = "answer"    // Caption and Blocks, which a reader unfolds
)

// Block is a part of a step. Its kind says which fields it has.
type Block struct {
	Kind     Kind       `json:"kind"`
	Text     []Span     `json:"text,omitempty"`
	Items    [][]Block  `json:"items,omitempty"`
	Columns  []string   `json:"columns,omitempty"`
	Rows     [][]string `json:"rows,omitempty"`
	Name     string     `json:"name,omitempty"` // of a file
	Code     string     `json:"code,omitempty"` // the contents of a file
	Commands []Command  `json:"commands,omitempty"`
	Caption  string     `json:"caption,omitempty"`
	Blocks   []Block    `json:"blocks,omitempty"`
}

// Command is a command line that a reader types, and what it prints. A line … stands for
// lines that are left out.
type Command struct {
	Line   string `json:"command"`
	Output string `json:"output"`
}

// Style is the style of a span.
type Style string

// The styles.
const (
	Plain    Style = ""
	Emphasis Style = "emphasis"
	Strong   Style = "strong"
	Code     Style = "code"
	Break    Style = "break" // the end of a line
)

// Span is a piece of a text.
type Span struct {
	Text   string `json:"span"`
	Style  Style  `json:"style,omitempty"`
	Lesson int    `json:"to,omitempty"` // the lesson that a link leads to
}

const folder = "docs/lessons"

// read reads all lessons.
var read = sync.OnceValues(func() (lessons []Lesson, err error) {
	files, err := fs.Glob(foretell.Lessons, folder+"/[0-9]*.md")
	if err != nil {
		return nil, err
	}
	abouts, err := contents()
	if err == nil && len(abouts) != len(files) {
		err = fmt.Errorf("README.md lists %d lessons, and there are %d", len(abouts), len(files))
	}
	if err != nil {
		return nil, err
	}
	for i, file := range files {
		markdown, err := foretell.Lessons.ReadFile(file)
		if err != nil {
			return nil, err
		}
		steps, err := Parse(markdown)
		if want := fmt.Sprintf("%d. %s", i+1, abouts[i].title); err == nil && steps[0].Title != want {
			err = fmt.Errorf("1: the title is %q here and %q in README.md", steps[0].Title, want)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%w", path.Base(file), err)
		}
		lessons = append(lessons, Lesson{i + 1, abouts[i].title, abouts[i].about, steps, string(markdown)})
	}
	return lessons, nil
})

// List returns the lessons with the given numbers, or all in their order.
func List(numbers ...int) ([]Lesson, error) {
	all, err := read()
	if err != nil || len(numbers) == 0 {
		return all, err
	}
	var list []Lesson
	for _, n := range numbers {
		if n < 1 || n > len(all) {
			return nil, fmt.Errorf("there is no lesson %d; give a number from 1 to %d", n, len(all))
		}
		list = append(list, all[n-1])
	}
	return list, nil
}

// Picture returns a figure of a lesson as SVG, by the name of a block of kind [Figure].
func Picture(name string) ([]byte, error) {
	for _, dir := range []string{folder, path.Dir(folder)} {
		svg, err := foretell.Lessons.ReadFile(path.Join(dir, name))
		if err == nil && path.Base(name) == name && path.Ext(name) == ".svg" {
			return svg, nil
		}
	}
	return nil, fmt.Errorf("no lesson has a figure %.100q", name)
}
