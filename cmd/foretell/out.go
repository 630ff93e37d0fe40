package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"foretell/internal/columns"
	"foretell/internal/durable"
	"foretell/internal/interrupt"

	"github.com/spf13/cobra"
)

// outFile is the flag --out: a file whose ending sets the format.
type outFile struct {
	path    string
	endings []string
	ending  string // of path; set by check
	svg     string // the value of the older flag --svg, if the command has it
}

// add gives a command the flag.
func (o *outFile) add(cmd *cobra.Command, what string, endings ...string) {
	o.endings = endings
	cmd.Flags().StringVar(&o.path, "out", "", what+" to `FILE` (overwrites); format by extension: "+strings.Join(endings, ", "))
}

// addOlder gives a command --svg, the older name of --out FILE.svg.
func (o *outFile) addOlder(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.svg, "svg", "", "the older name of --out FILE.svg")
	_ = cmd.Flags().MarkHidden("svg") // the flag exists
}

// check returns an error unless the file has one of the endings and can be written.
func (o *outFile) check(cmd *cobra.Command) (err error) {
	switch changed := cmd.Flags().Changed; {
	case o.svg != "" && changed("out"):
		return wrongUsage(fmt.Errorf("--svg and --out are both given; --out FILE.svg is the newer name"))
	case o.svg != "":
		o.path, o.ending = o.svg, ".svg"
		return checkOutput("--svg", o.path)
	case o.path == "" && !changed("out"):
		return nil
	}
	if wantsJSON(cmd) {
		return wrongUsage(fmt.Errorf("--json prints on stdout; leave out --out, or --json for a file"))
	}
	if o.ending, err = endingOf("--out", o.path, o.endings); err != nil {
		return err
	}
	return checkOutput("--out", o.path)
}

// write writes the file and prints its name on stderr.
func (o *outFile) write(cmd *cobra.Command, write func(w io.Writer) error) error {
	var b bytes.Buffer
	err := write(&b)
	return o.put(cmd, b.Bytes(), err)
}

// put writes the file and prints its name on stderr. If err is not nil, it returns err.
func (o *outFile) put(cmd *cobra.Command, data []byte, err error) error {
	if err != nil {
		return err
	}
	if err := durable.Output(o.path, data); err != nil {
		return fmt.Errorf("%s: %w", o.flag(), err)
	}
	printMessage(cmd.ErrOrStderr(), "wrote %s", o.path)
	return nil
}

// stream writes the file piece by piece and prints its name on stderr. An interruption
// leaves no partial file.
func (o *outFile) stream(cmd *cobra.Command, write func(w io.Writer) error) error {
	ctx := cmd.Context()
	interrupt.Keep(ctx, "interrupted") // until the partial file is removed
	defer late(cmd, "writing %s …", o.path)()
	err := durable.OutputFrom(ctx, o.path, write)
	switch {
	case err == nil:
	case errors.Is(err, ctx.Err()):
		return &interrupt.Error{Text: "interrupted", Cause: err}
	default:
		return fmt.Errorf("%s: %w", o.flag(), err)
	}
	printMessage(cmd.ErrOrStderr(), "wrote %s", o.path)
	return nil
}

// flag returns the flag that named the file.
func (o *outFile) flag() string {
	if o.svg != "" {
		return "--svg"
	}
	return "--out"
}

// finding is a result that can be printed, and written to a file by its ending.
type finding interface {
	Print(w io.Writer)
	Write(ending, command string) ([]byte, error)
}

// present prints a finding, and writes it to the file of --out if one is given. value is
// the value of --json.
func (o *outFile) present(cmd *cobra.Command, value any, style columns.Style, found finding) error {
	var failed error
	if o.path != "" {
		data, err := found.Write(o.ending, lineGiven(cmd))
		failed = o.put(cmd, data, err)
	}
	return errors.Join(failed, showColumns(cmd, value, style, found.Print))
}

// endingOf returns the ending of a file's name, which must be one of endings.
func endingOf(flag, path string, endings []string) (string, error) {
	ending := strings.ToLower(filepath.Ext(path))
	for _, e := range endings {
		if e == ending {
			return ending, nil
		}
	}
	return "", wrongUsage(fmt.Errorf("%s: %s: the ending sets the format; give one of %s", flag, path,
		strings.Join(endings, ", ")))
}
