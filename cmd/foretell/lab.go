package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"foretell/internal/interrupt"
	"foretell/internal/text"
	"foretell/lab"

	"github.com/spf13/cobra"
)

// labOptions are the flags of `lab`.
type labOptions struct {
	addr, runs, reports, export string
	allowRemote                 bool
}

func newLab() *cobra.Command {
	var o labOptions
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "The laboratory in a browser: processes, training, and a look inside, live",
		Long: `Start the laboratory and print the link that opens it in a browser. Its pages show
a process while you move its parameters, train a model next to the exact truth,
and look inside the models of the folder of runs.
It recomputes claims of papers, and shows the reports in the folder of reports.
Each page names the command that prints the same numbers.

Ctrl-C ends it; runs that are training write a checkpoint first.

The link contains a secret. Whoever has it can train models on this machine and
read the folder of runs. An --addr that other machines can reach needs
--allow-remote; the connection is then not encrypted, so prefer a tunnel:
ssh -L 8080:127.0.0.1:8080 HOST.

--addr unix:PATH listens on a Unix socket that only you can open, so that no other
user of the machine reaches it. ssh -L 8080:PATH HOST forwards a port to it.

--export DIR starts nothing. It writes the pages into a new folder, with an engine
that runs in the reader's browser: for any web server, or to be opened from a disk.
They train small models with the same bits; they have no reports. With --runs they
also have the runs of that folder.`,
		Example: `  foretell lab
  foretell lab --addr 127.0.0.1:8080 --runs runs/study
  foretell lab --addr unix:$HOME/lab.sock
  foretell lab --export pages`,
		Args: noArgument, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	cmd.Flags().StringVar(&o.addr, "addr", "127.0.0.1:0",
		"the `address` to listen on, HOST:PORT or unix:PATH; port 0 takes a free one")
	cmd.Flags().StringVar(&o.runs, "runs", "runs", "the `folder` of runs")
	cmd.Flags().StringVar(&o.reports, "reports", "reports", "the `folder` of reports, one for each paper and profile")
	cmd.Flags().BoolVar(&o.allowRemote, "allow-remote", false, "listen on an address that other machines can reach")
	cmd.Flags().StringVar(&o.export, "export", "", "write pages that need no server into a new `folder`, and end")
	completeFlag(cmd, "export", completeFolder)
	completeFlag(cmd, "runs", completeFolder)
	completeFlag(cmd, "reports", completeFolder)
	completeNothing(cmd, "addr")
	return cmd
}

// exportPages writes the pages. Only runs of a folder that was named are written: they
// will be published.
func (o *labOptions) exportPages(cmd *cobra.Command) error {
	for _, name := range []string{"addr", "reports", "allow-remote"} {
		if cmd.Flags().Changed(name) {
			return wrongUsage(fmt.Errorf("--%s: exported pages have no server and no reports; leave it out", name))
		}
	}
	runs := ""
	if cmd.Flags().Changed("runs") {
		runs = o.runs
	}
	exported, err := lab.Export(o.export, runs)
	if err != nil {
		return fmt.Errorf("--export: %w", err)
	}
	return show(cmd, exported, 1, func(out io.Writer) {
		printf(out, "%s has the pages; a browser loads %.1f MB. Open %s, or serve the folder.\n", o.export,
			float64(exported.Bytes)/1e6, filepath.Join(o.export, "index.html"))
	})
}

func (o *labOptions) run(cmd *cobra.Command) error {
	if cmd.Flags().Changed("export") {
		return o.exportPages(cmd)
	}
	if err := lab.CheckAddress(o.addr); err != nil {
		return wrongUsage(fmt.Errorf("--addr: %w", err))
	}
	if !lab.IsLoopback(o.addr) && !o.allowRemote {
		return wrongUsage(fmt.Errorf("--addr: other machines can reach %s; give --allow-remote if they may, "+
			"or an address such as 127.0.0.1:8080", o.addr))
	}
	if err := notAFile("--runs", o.runs); err != nil {
		return err
	}
	if err := notAFile("--reports", o.reports); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	engine, err := lab.New(lab.Folders{Runs: o.runs, Reports: o.reports}, program)
	if err != nil {
		return err
	}
	interrupt.Keep(cmd.Context(), "interrupted") // processes write a checkpoint
	listener, err := lab.Listen(o.addr)
	if err != nil {
		return errors.Join(fmt.Errorf("--addr: %w", err), engine.Close())
	}
	token, hosts := rand.Text(), lab.HostsOf(listener.Addr())
	link := "http://" + strings.Replace(hosts[0], "*", "8080", 1) + "/?token=" + token
	if !lab.IsLoopback(o.addr) {
		printMessage(cmd.ErrOrStderr(), "note: other machines can reach this server; the connection is not encrypted")
	}
	err = show(cmd, map[string]string{"link": link}, 1, func(out io.Writer) {
		printLink(out, link, o.addr)
	})
	if flusher, ok := cmd.OutOrStdout().(interface{ Flush() error }); err == nil && ok {
		err = flusher.Flush()
	}
	if err == nil {
		err = lab.NewServer(engine, token, hosts).Serve(cmd.Context(), listener)
	}
	return errors.Join(err, engine.Close())
}

// printLink says where the laboratory is, and how a browser reaches a Unix socket.
func printLink(out io.Writer, link, address string) {
	printf(out, "The laboratory is at\n\n    %s\n\n", link)
	if path, socket := lab.SocketPath(address); socket {
		if whole, err := filepath.Abs(path); err == nil { // ssh has another current folder
			path = whole
		}
		printf(out, "after you have forwarded a port to its socket. Any port will do:\n\n    ssh -N -L %s HOST\n\n",
			text.ShellLine("8080:"+path))
	}
	printf(out, "Ctrl-C ends it.\n")
}
