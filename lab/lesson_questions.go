package lab

import (
	"context"
	"io"
	"strconv"

	"foretell/document"
	"foretell/lesson"
)

// Lessons asks for a lesson by its number, or for all. File is a figure in one of them,
// for its form .svg.
type Lessons struct {
	Lesson int    `json:"lesson,omitempty"`
	File   string `json:"file,omitempty"`
}

// Command implements [Question].
func (q *Lessons) Command(Folders) []string {
	words := []string{"lessons"}
	if q.Lesson != 0 {
		words = append(words, strconv.Itoa(q.Lesson))
	}
	return words
}

func (q *Lessons) answer(context.Context, *Engine) (Answer, error) {
	if q.File != "" {
		svg, err := lesson.Picture(q.File)
		return fileAnswer(".svg", svg), err
	}
	var numbers []int
	if q.Lesson != 0 {
		numbers = []int{q.Lesson}
	}
	list, err := lesson.List(numbers...)
	return Answer{list, document.Forms{".json": document.JSON(list)}}, err
}

// fileAnswer returns an answer that is a file with an ending, such as .svg.
func fileAnswer(ending string, data []byte) Answer {
	return Answer{nil, document.Forms{ending: func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}}}
}
