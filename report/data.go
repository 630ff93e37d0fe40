package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
)

// dataGuide is the file that describes the other files of the data folder.
const dataGuide = dataFolder + "/README.md"

// guide returns the text of dataGuide, nil if the report has no data.
func (r Report) guide(how *learned) []byte {
	var b bytes.Buffer
	for _, c := range r.Claims {
		if len(c.Data) == 0 {
			continue
		}
		if b.Len() == 0 {
			b.WriteString(guideHead)
		}
		fmt.Fprintf(&b, "\n## %s: %s\n", c.ID, escape(c.Statement))
		for _, file := range c.Data {
			fmt.Fprintf(&b, "\n### %s\n", strings.TrimPrefix(file, dataFolder+"/"))
			i := slices.IndexFunc(c.Contents, func(content claim.Content) bool { return content.File == file })
			if i >= 0 {
				describe(&b, c.Contents[i])
			}
		}
	}
	if how != nil {
		if b.Len() == 0 {
			b.WriteString(guideHead)
		}
		fmt.Fprintf(&b, "\n## %s\n\n### %s\n", lossTitle, strings.TrimPrefix(lossData, dataFolder+"/"))
		describe(&b, how.content)
	}
	return b.Bytes()
}

const guideHead = `# What the files in this folder hold

A CSV file has a header line and numbers in all other cells (pandas.read_csv). An npz file has named arrays
(numpy.load). Information is in nats. Row i belongs to the same token sequence in all arrays of an npz file; the
arrays words, lengths and probabilities, where present, describe these sequences. A column without a meaning is
described by its name and by the claim above it.
`

// describe writes the tables of a file's columns and arrays.
func describe(b *bytes.Buffer, c claim.Content) {
	if len(c.Columns) > 0 {
		fmt.Fprintf(b, "\n%d rows\n\n| column | meaning |\n|---|---|\n", c.Rows)
	}
	for _, column := range c.Columns {
		fmt.Fprintf(b, "| `%s` | %s |\n", column.Name, meaning(column))
	}
	if len(c.Arrays) > 0 {
		b.WriteString("\n| array | shape | type | meaning |\n|---|---|---|---|\n")
	}
	for _, a := range c.Arrays {
		shape := strings.ReplaceAll(strings.Trim(fmt.Sprint(a.Shape), "[]"), " ", " × ")
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", a.Name, shape, a.Type, inTable(a.Meaning))
	}
}

// inTable returns a text as a cell of a Markdown table.
func inTable(text string) string { return strings.ReplaceAll(escape(text), "|", `\|`) }

// meaning returns the meaning of a column, followed by its codes: "0 first, 1 second".
func meaning(c claim.Column) string {
	text := inTable(c.Meaning)
	if len(c.Codes) == 0 {
		return text
	}
	codes := make([]string, len(c.Codes))
	for i, name := range c.Codes {
		codes[i] = fmt.Sprintf("%d %s", i, inTable(name))
	}
	if text != "" {
		text += "; "
	}
	return text + strings.Join(codes, ", ")
}
