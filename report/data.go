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

CSV files have a header and a number in each other cell (pandas.read_csv), npz files arrays by name (numpy.load).
Information is in nats. Rows of arrays of one npz file are of the same words, in the same order: words, lengths
and probabilities, where they are there, say which. Where a column is called by its name alone, that is all there
is to say; the claim above it says what it is for.
`

// describe writes the tables of a file's columns and arrays.
func describe(b *bytes.Buffer, c claim.Content) {
	if len(c.Columns) > 0 {
		fmt.Fprintf(b, "\n%d rows\n\n| column | what |\n|---|---|\n", c.Rows)
	}
	for _, column := range c.Columns {
		fmt.Fprintf(b, "| `%s` | %s |\n", column.Name, meaning(column))
	}
	if len(c.Arrays) > 0 {
		b.WriteString("\n| array | shape | type | what |\n|---|---|---|---|\n")
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
