package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"foretell/inspect"
	"foretell/internal/interrupt"
	"foretell/internal/progress"
	"foretell/internal/terminal"
	"foretell/internal/text"

	"github.com/spf13/cobra"
)

// output is buffered stdout. The buffer keeps the first write error, which Flush returns
// at the end.
type output struct {
	*bufio.Writer
	to *interrupt.Writer
}

// Unwrap returns the underlying writer, for [terminal.Width].
func (o *output) Unwrap() io.Writer { return o.to }

func newOutput(stdout io.Writer) *output {
	to := interrupt.NewWriter(stdout)
	return &output{bufio.NewWriter(to), to}
}

// wantsJSON reports whether --json was given.
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

// show prints a value as JSON with --json, else as text. In the text, each tab ends a
// cell; the columns are separated by the number of spaces in gap. An error in writing to
// stdout is returned only when stdout is flushed.
func show(cmd *cobra.Command, value any, gap int, text func(out io.Writer)) error {
	return showColumns(cmd, value, terminal.Style{Gap: gap}, text)
}

// showColumns is show with a style for the columns. Its text fits a terminal's width.
func showColumns(cmd *cobra.Command, value any, style terminal.Style, text func(out io.Writer)) error {
	if wantsJSON(cmd) {
		return printJSON(cmd, value)
	}
	stdout := cmd.OutOrStdout()
	style.Width, _ = terminal.Width(stdout)
	var whole strings.Builder
	text(&whole)
	return terminal.Write(stdout, whole.String(), style)
}

// timer is the timer of [late]. Tests replace it.
var timer progress.Timer = progress.Clock

// late prints a message on stderr unless done is called within a second.
func late(cmd *cobra.Command, format string, args ...any) (done func()) {
	return progress.Late(timer, func() { printMessage(cmd.ErrOrStderr(), format, args...) })
}

// lateModel is [late] with the message of commands that run a model on many sequences.
func lateModel(cmd *cobra.Command, m *inspect.Model) (done func()) {
	text := fmt.Sprintf("%s: running %s, n_ctx %d, on many sequences …", path(cmd), m.Path, m.Config().NCtx)
	if paramsOf(handWritten(), m.Path) != nil {
		text += fmt.Sprintf("; a smaller model is faster, such as --param n_ctx=%d", m.Config().NCtx/4)
	}
	return late(cmd, "%s", text)
}

// printf prints text for people; names, paths and arguments are escaped.
func printf(out io.Writer, format string, args ...any) { text.Fprintf(out, format, args...) }

// printMessage prints one line for the user, see [text.Message]. On a terminal it is
// wrapped between words.
func printMessage(stderr io.Writer, format string, args ...any) {
	message := text.Message(fmt.Sprintf(format, args...))
	lines := []string{message}
	if width, ok := terminal.Width(stderr); ok {
		lines = strings.Split(text.Fill(message, width), "\n")
	}
	for _, line := range lines {
		printf(stderr, "%s\n", line)
	}
}
