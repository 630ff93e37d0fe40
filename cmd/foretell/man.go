package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"foretell/internal/build"
	"foretell/internal/durable"
	"foretell/internal/manual"

	"github.com/spf13/cobra"
)

func newMan() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "man",
		Short: "Write the manual pages, one per command",
		Long: `Write the manual pages, one per command: foretell.1, foretell-train.1 and so on.
They depend only on the program's version. Existing pages are replaced.`,
		Example: "  foretell man --out ~/.local/share/man/man1",
		Args:    noArgument, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error { return writeManual(cmd, out) },
	}
	cmd.Flags().StringVar(&out, "out", "man", "the `folder` for the pages; created if missing")
	completeFlag(cmd, "out", completeFolder)
	return cmd
}

// writeManual writes the pages into a folder and prints their names.
func writeManual(cmd *cobra.Command, folder string) error {
	if err := notAFile("--out", folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	var files []string
	root := newRoot() // a new root, because this one's texts are wrapped to the terminal
	root.InitDefaultCompletionCmd()
	for _, page := range manual.Pages(root, manual.Edition{Version: build.Version(), Date: build.Date()}) {
		file := filepath.Join(folder, page.File)
		if err := durable.Output(file, page.Text); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		files = append(files, file)
	}
	return show(cmd, map[string]any{"files": files}, 1, func(out io.Writer) {
		for _, file := range files {
			printf(out, "%s\n", file)
		}
	})
}
