// Package lesson reads the lessons of docs/lessons, which are their only source, as
// steps of blocks: paragraphs, lists, tables, files, commands with their output, figures
// and answers to exercises.
//
// Nothing of a lesson is lost. A construct of Markdown that this package does not know is
// an error with its line.
//
//	lessons, err := lesson.List()
//	figure, err := lesson.Figure("dealer.svg")
package lesson
