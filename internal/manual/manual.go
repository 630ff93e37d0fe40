// Package manual writes manual pages for a command and all commands below it, in the
// language of roff's macros man: foretell.1, foretell-train.1, foretell-process-show.1.
//
// The text of a help is kept as it was set: a paragraph with lines that are moved in,
// or with columns, keeps its lines, where Markdown would fill them. Therefore, and
// since it needs three modules more, pages are not made by cobra/doc. All is ASCII,
// characters beyond it by their numbers, so that a page shows the same whatever
// encoding is assumed.
package manual

import (
	"fmt"
	"strings"

	"foretell/internal/columns"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Edition says of which program the pages are. Nothing in them depends on when they
// were written.
type Edition struct {
	Version string
	Date    string // of the version, as 2026-11-22; empty where it is not known
}

// Page is one manual page.
type Page struct {
	File string // such as foretell-train.1
	Text []byte
}

// Pages returns the pages of a command and of those below it, each before its own;
// without hidden ones.
func Pages(cmd *cobra.Command, e Edition) []Page {
	pages := []Page{{name(cmd) + ".1", page(cmd, e)}}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			pages = append(pages, Pages(sub, e)...)
		}
	}
	return pages
}

// name is that of a command's page, such as foretell-process-show.
func name(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// roff is a page on its way.
type roff struct{ strings.Builder }

// request writes a line that is a macro with its arguments, each one word.
func (r *roff) request(macro string, args ...string) {
	r.WriteString("." + macro)
	for _, arg := range args {
		r.WriteString(` "` + escaped(arg) + `"`)
	}
	r.WriteString("\n")
}

// line writes a line of text, in which what stands between backticks is bold.
func (r *roff) line(text string) {
	parts := strings.Split(text, "`")
	for i := range parts {
		parts[i] = escaped(parts[i])
		if i%2 == 1 {
			parts[i] = `\fB` + parts[i] + `\fR`
		}
	}
	text = strings.Join(parts, "")
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	r.WriteString(text + "\n")
}

// escaped writes a text such that roff shows it as it is, with ASCII quotes and hyphens
// that can be copied into a shell.
func escaped(text string) string {
	var b strings.Builder
	for _, c := range text {
		glyph, is := glyphs[c]
		switch {
		case is:
			b.WriteString(glyph)
		case c > '~':
			fmt.Fprintf(&b, `\[u%04X]`, c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// glyphs are the ASCII characters that roff would show as others.
var glyphs = map[rune]string{
	'\\': `\(rs`, '-': `\-`, '\'': `\(aq`, '"': `\(dq`, '`': `\(ga`, '^': `\(ha`, '~': `\(ti`,
}

// text writes paragraphs: filled, or as they are set where they have columns.
func (r *roff) text(text string) {
	for paragraph := range strings.SplitSeq(strings.Trim(text, "\n"), "\n\n") {
		r.request("PP")
		if columns.Fixed(paragraph) {
			r.verbatim(paragraph)
			continue
		}
		for line := range strings.Lines(paragraph) {
			r.line(strings.TrimSuffix(line, "\n"))
		}
	}
}

// verbatim writes lines as they are.
func (r *roff) verbatim(text string) {
	r.request("nf")
	for line := range strings.Lines(text) {
		r.line(strings.TrimRight(line, "\n"))
	}
	r.request("fi")
}

// page writes the page of a command.
func page(cmd *cobra.Command, e Edition) []byte {
	r, root := &roff{}, cmd.Root().Name()
	r.request("TH", strings.ToUpper(name(cmd)), "1", e.Date, root+" "+e.Version, "Manual of "+root)
	r.request("SH", "NAME")
	r.WriteString(escaped(name(cmd)) + ` \- ` + escaped(cmd.Short) + "\n")
	r.request("SH", "SYNOPSIS")
	r.line("`" + cmd.CommandPath() + "`" + strings.TrimPrefix(cmd.UseLine(), cmd.CommandPath()))
	r.request("SH", "DESCRIPTION")
	if cmd.Long == "" {
		r.text(cmd.Short + ".")
	}
	r.text(cmd.Long)
	r.commands(cmd)
	r.flags("OPTIONS", cmd.NonInheritedFlags())
	r.flags("OPTIONS OF ALL COMMANDS", cmd.InheritedFlags())
	if cmd.HasExample() {
		r.request("SH", "EXAMPLES")
		r.verbatim(cmd.Example)
	}
	r.seeAlso(cmd)
	return []byte(r.String())
}

// commands lists the commands below one.
func (r *roff) commands(cmd *cobra.Command) {
	if !cmd.HasAvailableSubCommands() {
		return
	}
	r.request("SH", "COMMANDS")
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			r.request("TP")
			r.line("`" + sub.CommandPath() + "`")
			r.line(sub.Short)
		}
	}
}

// flags lists flags, each with what its value is called and its default.
func (r *roff) flags(title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	r.request("SH", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		r.request("TP")
		line := "`--" + f.Name + "`"
		if f.Shorthand != "" {
			line = "`-" + f.Shorthand + "`, " + line
		}
		r.line(strings.TrimSpace(line + " " + value))
		switch f.DefValue {
		case "", "0", "false", "[]":
		default:
			usage += " (default " + f.DefValue + ")"
		}
		r.line(usage)
	})
}

// seeAlso names the page above and those below.
func (r *roff) seeAlso(cmd *cobra.Command) {
	var pages []string
	if cmd.HasParent() {
		pages = append(pages, "`"+name(cmd.Parent())+"`(1)")
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			pages = append(pages, "`"+name(sub)+"`(1)")
		}
	}
	if len(pages) > 0 {
		r.request("SH", "SEE ALSO")
		r.line(strings.Join(pages, ", "))
	}
}
