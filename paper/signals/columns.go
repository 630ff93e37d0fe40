package signals

import "foretell/document"

// tableColumns returns columns of a table. Their numbers have the same format.
func tableColumns(format string, headings ...string) []document.Column {
	columns := make([]document.Column, len(headings))
	for i, heading := range headings {
		columns[i] = document.Column{Heading: heading, Format: format}
	}
	return columns
}

// dataColumns returns columns of a data file. Their meanings are in rows.md; the integers
// in a column named model stand for architectures.
func dataColumns(names ...string) []document.Column {
	columns := make([]document.Column, len(names))
	for i, name := range names {
		columns[i] = document.Column{Name: name}
		if name == "model" {
			columns[i].Codes = []string{string(linear), string(mlp), string(gpt)}
		}
	}
	return columns
}
