package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"foretell/inspect"
	"foretell/internal/columns"
	"foretell/internal/interrupt"
	"foretell/internal/printable"
	"foretell/internal/progress"
	"foretell/internal/terminal"

	"github.com/spf13/cobra"
)

// output is stdout with a buffer, which keeps the first error of writing: it
// shows at the end, when the buffer is flushed.
type output struct {
	*bufio.Writer
	to *interrupt.Writer
}

// Unwrap returns what is written to, for [terminal.Width].
func (o *output) Unwrap() io.Writer { return o.to }

func newOutput(stdout io.Writer) *output {
	to := interrupt.NewWriter(stdout)
	return &output{bufio.NewWriter(to), to}
}

// wantsJSON says whether --json was given.
func wantsJSON(cmd *cobra.Command) bool {
	yes, _ := cmd.Flags().GetBool("json")
	return yes
}

// printJSON prints one JSON value.
func printJSON(cmd *cobra.Command, value any) error {
	enc := json.NewEncoder(cmd.OutOrStdout())
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}

// show prints a value, as JSON if that is asked for, else as a text in which tabs end
// the cells of columns that stand gap spaces apart. An error of stdout shows at its end.
func show(cmd *cobra.Command, value any, gap int, text func(out io.Writer)) error {
	return showColumns(cmd, value, columns.Style{Gap: gap}, text)
}

// showColumns is show in a style, within the width of the terminal where stdout is one.
func showColumns(cmd *cobra.Command, value any, style columns.Style, text func(out io.Writer)) error {
	if wantsJSON(cmd) {
		return printJSON(cmd, value)
	}
	stdout := cmd.OutOrStdout()
	style.Width, _ = terminal.Width(stdout)
	var whole strings.Builder
	text(&whole)
	return columns.Write(stdout, whole.String(), style)
}

// timer is that of [late], which tests replace.
var timer progress.Timer = progress.Clock

// late prints a message on stderr where what follows takes longer than a second, until
// done.
func late(cmd *cobra.Command, format string, args ...any) (done func()) {
	return progress.Late(timer, func() { printMessage(cmd.ErrOrStderr(), format, args...) })
}

// lateModel is [late] of what looks at a model with many words.
func lateModel(cmd *cobra.Command, m *inspect.Model) (done func()) {
	text := fmt.Sprintf("%s: running %s, of n_ctx %d, over words …", path(cmd), m.Path, m.Config().NCtx)
	if m.Crafted != nil {
		text += fmt.Sprintf("; a smaller one takes less, as by --param n_ctx=%d", m.Config().NCtx/4)
	}
	return late(cmd, "%s", text)
}

// printf prints a text for people, in which names, paths and arguments are escaped.
func printf(out io.Writer, format string, args ...any) { printable.Fprintf(out, format, args...) }

// printMessage tells the user something in a line, see [printable.Message].
func printMessage(stderr io.Writer, format string, args ...any) {
	printf(stderr, "%s\n", printable.Message(fmt.Sprintf(format, args...)))
}
