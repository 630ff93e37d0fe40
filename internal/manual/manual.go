// Package manual writes manual pages for a command and all its subcommands, with roff's
// man macros: foretell.1, foretell-train.1, foretell-process-show.1.
//
// Help texts keep their layout: a paragraph with indented lines or columns keeps its
// lines, whereas Markdown would fill them. For this reason, and because it needs three
// more modules, cobra/doc is not used. The output is ASCII, with other characters as
// numeric escapes, and therefore independent of the reader's encoding.
package manual

import (
	"fmt"
	"strings"

	"foretell/internal/text"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Edition is the version of the program that the pages describe. The pages do not depend
// on the time at which they are written.
type Edition struct {
	Version string
	Date    string // date of the version, such as 2026-11-22; may be empty
}

// Page is one manual page.
type Page struct {
	File string // such as foretell-train.1
	Text []byte
}

// Pages returns the page of a command, followed by the pages of its subcommands, without
// hidden commands.
func Pages(cmd *cobra.Command, e Edition) []Page {
	pages := []Page{{name(cmd) + ".1", page(cmd, e)}}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			pages = append(pages, Pages(sub, e)...)
		}
	}
	return pages
}

// name returns the name of a command's page, such as foretell-process-show.
func name(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// roff is a page under construction.
type roff struct{ strings.Builder }

// request writes a macro line. Each argument is a single macro argument.
func (r *roff) request(macro string, args ...string) {
	r.WriteString("." + macro)
	for _, arg := range args {
		r.WriteString(` "` + escaped(arg) + `"`)
	}
	r.WriteString("\n")
}

// line writes a line of text; text between backquotes is bold.
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

// escaped returns text escaped for roff, with ASCII quotes and hyphens that can be copied
// into a shell.
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

// glyphs are ASCII characters that roff would replace by others.
var glyphs = map[rune]string{
	'\\': `\(rs`, '-': `\-`, '\'': `\(aq`, '"': `\(dq`, '`': `\(ga`, '^': `\(ha`, '~': `\(ti`,
}

// text writes paragraphs: filled, or unchanged if they have columns.
func (r *roff) text(prose string) {
	for paragraph := range strings.SplitSeq(strings.Trim(prose, "\n"), "\n\n") {
		r.request("PP")
		if text.Fixed(paragraph) {
			r.verbatim(paragraph)
			continue
		}
		for line := range strings.Lines(paragraph) {
			r.line(strings.TrimSuffix(line, "\n"))
		}
	}
}

// verbatim writes lines unchanged.
func (r *roff) verbatim(text string) {
	r.request("nf")
	for line := range strings.Lines(text) {
		r.line(strings.TrimRight(line, "\n"))
	}
	r.request("fi")
}

// page returns the page of a command.
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

// commands writes the list of subcommands.
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

// flags writes a list of flags, each with the name of its value and its default.
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

// seeAlso writes references to the pages of the parent and the subcommands.
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
