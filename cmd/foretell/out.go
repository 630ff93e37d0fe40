package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"foretell/document"
	"foretell/figure"
	"foretell/internal/chromium"
	"foretell/internal/durable"
	"foretell/internal/interrupt"
	"foretell/internal/terminal"

	"github.com/spf13/cobra"
)

// outFile is the flag --out: a file whose extension selects the format.
type outFile struct {
	path    string
	endings []string
	ending  string // the extension of path, set by check; .svg if picture is set
	picture string // .png or .pdf if a figure is to be rendered
}

// add gives a command the flag.
func (o *outFile) add(cmd *cobra.Command, what string, endings ...string) {
	if slices.Contains(endings, ".svg") {
		endings = slices.Concat(endings, chromium.Endings)
	}
	o.endings = endings
	cmd.Flags().StringVar(&o.path, "out", "",
		what+" to `FILE` (overwrites); format by extension: "+strings.Join(endings, ", "))
}

// check returns an error unless the file has one of the endings and can be written. It is
// the PreRunE of commands that check nothing before it.
func (o *outFile) check(cmd *cobra.Command, _ []string) (err error) {
	if o.path == "" && !cmd.Flags().Changed("out") {
		return nil
	}
	if wantsJSON(cmd) {
		return wrongUsage(fmt.Errorf("--json prints on stdout; leave out --out, or --json for a file"))
	}
	if o.ending, err = endingOf("--out", o.path, o.endings); err != nil {
		return err
	}
	if o.picture, o.ending, err = chromium.Picture(o.ending); err != nil {
		return fmt.Errorf("--out: %s: %w", o.path, err)
	}
	return checkOutput("--out", o.path)
}

// write writes the file in the form of its ending, and prints its name on stderr.
func (o *outFile) write(cmd *cobra.Command, found document.Forms) error {
	var b bytes.Buffer
	err := found.Write(&b, o.ending)
	return o.put(cmd, b.Bytes(), err)
}

// put writes the file, or returns err, which is not nil if making its contents failed.
func (o *outFile) put(cmd *cobra.Command, data []byte, err error) error {
	if err == nil && o.picture != "" {
		data, err = chromium.Render(cmd.Context(), data, figure.ThemeCSS(false), o.picture)
	}
	if err != nil {
		return err
	}
	return o.wrote(cmd, durable.Output(o.path, data))
}

// wrote prints that the file was written, or returns err with the name of the flag.
func (o *outFile) wrote(cmd *cobra.Command, err error) error {
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	printMessage(cmd.ErrOrStderr(), "wrote %s", o.path)
	return nil
}

// stream writes the file piece by piece. An interruption leaves no part of it.
func (o *outFile) stream(cmd *cobra.Command, write func(w io.Writer) error) error {
	ctx := cmd.Context()
	interrupt.Keep(ctx, "interrupted") // an interruption ends the program only after the partial file is removed
	defer late(cmd, "writing %s …", o.path)()
	err := durable.OutputFrom(ctx, o.path, write)
	if err != nil && errors.Is(err, ctx.Err()) {
		return &interrupt.Error{Text: "interrupted", Cause: err}
	}
	return o.wrote(cmd, err)
}

// present prints what was found as text, or value if --json was given. If --out names a
// file, it also writes the finding there.
func (o *outFile) present(cmd *cobra.Command, value any, style terminal.Style, found document.Forms) error {
	var failed error
	if o.path != "" {
		failed = o.write(cmd, found)
	}
	return errors.Join(failed, showColumns(cmd, value, style, found.Print))
}

// endingOf returns the ending of a file's name, which must be one of endings.
func endingOf(flag, path string, endings []string) (string, error) {
	ending := strings.ToLower(filepath.Ext(path))
	if slices.Contains(endings, ending) {
		return ending, nil
	}
	return "", wrongUsage(fmt.Errorf("%s: %s: the ending sets the format; give one of %s", flag, path,
		strings.Join(endings, ", ")))
}
