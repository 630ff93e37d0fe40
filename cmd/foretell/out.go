package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

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
	if err := write(&b); err != nil {
		return err
	}
	return writeOut(cmd, o.path, b.Bytes())
}
