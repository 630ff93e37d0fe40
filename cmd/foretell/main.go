// Command foretell is a laboratory for transformers that predict sequences
// whose best possible prediction is known. See `foretell --help`.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"foretell/internal/strict"
	"foretell/train"

	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the whole program: data goes to stdout, progress and errors to stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	if errors.Is(err, train.ErrInterrupted) || errors.Is(err, context.Canceled) {
		fmt.Fprintln(stderr, "foretell: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(stderr, "foretell: "+oneLine(err))
	var usage usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailed
}

// usageError is an error in how the program was called.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// wrongUsage makes err an error in how the program was called, if it is one.
func wrongUsage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// oneLine joins the lines of an error's text.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' }), "; ")
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "foretell",
		Short: "A laboratory for transformers that predict sequences whose best possible prediction is known",
		Long: `foretell trains transformers on processes that carry their own answer key, measures how far a
model is from the best possible predictor, and looks inside to see which algorithm it runs.

Data goes to stdout, progress to stderr. --json prints exactly one JSON value.`,
		Example: `  foretell reproduce mess3
  foretell process floor mess3 --param x=0.05 --param a=0.85 --positions 10
  foretell train config.yaml --set train.lr=1e-3 --out runs/first
  foretell predict runs/first --tokens 0,1,2`,
		Version:           version(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return cmd.Help()
		},
		Args: cobra.ArbitraryArgs,
	}
	root.Args = func(cmd *cobra.Command, args []string) error { return unknownCommand(cmd, args) }
	root.PersistentFlags().Bool("json", false, "print exactly one JSON value on stdout")
	root.AddCommand(newReproduce(), newTrain(), newPredict(), newProbe(), newProcess())
	adjust(root)
	return root
}

// adjust makes wrong flags and arguments wrong usage, in every command.
func adjust(cmd *cobra.Command) {
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return wrongUsage(fmt.Errorf("%w; see `%s --help`", err, cmd.CommandPath()))
	})
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			var usage usageError
			if err == nil || errors.As(err, &usage) {
				return err
			}
			return wrongUsage(fmt.Errorf("%s: %w; see `%s --help`", cmd.CommandPath(), err, cmd.CommandPath()))
		}
	}
	for _, sub := range cmd.Commands() {
		adjust(sub)
	}
}

// unknownCommand is the check of a command that only has subcommands.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			known = append(known, sub.Name())
		}
	}
	hint := "commands are " + strings.Join(known, ", ")
	if nearest := strict.Nearest(args[0], known); nearest != "" {
		hint = fmt.Sprintf("did you mean %q?", nearest)
	}
	return wrongUsage(fmt.Errorf("%s: unknown command %q; %s", cmd.CommandPath(), args[0], hint))
}
