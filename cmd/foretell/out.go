package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"foretell/internal/durable"

	"github.com/spf13/cobra"
)

// outFile is the flag --out: a file, whose ending says in which form something is
// written.
type outFile struct {
	path    string
	endings []string
	ending  string // of path, as check finds it
}

// add gives a command the flag.
func (o *outFile) add(cmd *cobra.Command, what string, endings ...string) {
	o.endings = endings
	cmd.Flags().StringVar(&o.path, "out", "", what+" to this `FILE`; its ending says how: "+strings.Join(endings, ", "))
}

// check returns an error unless the file has an ending of the flag's and can be written.
func (o *outFile) check(cmd *cobra.Command) (err error) {
	if o.path == "" && !cmd.Flags().Changed("out") {
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

// write writes the file and says so.
func (o *outFile) write(cmd *cobra.Command, write func(w io.Writer) error) error {
	var b bytes.Buffer
	err := write(&b)
	return o.put(cmd, b.Bytes(), err)
}

// put writes the file, unless its contents could not be made, and says so.
func (o *outFile) put(cmd *cobra.Command, data []byte, err error) error {
	if err != nil {
		return err
	}
	if err := durable.Output(o.path, data); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	printMessage(cmd.ErrOrStderr(), "wrote %s", o.path)
	return nil
}

// endingOf returns the ending of a file's name, which must be one of those that are
// written.
func endingOf(flag, path string, endings []string) (string, error) {
	ending := strings.ToLower(filepath.Ext(path))
	for _, e := range endings {
		if e == ending {
			return ending, nil
		}
	}
	return "", wrongUsage(fmt.Errorf("%s: %s: the ending says what is written; give one of %s", flag, path,
		strings.Join(endings, ", ")))
}
