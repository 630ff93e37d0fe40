// Command foretell trains small transformers on data where the best possible prediction
// is known exactly, and compares the two. See `foretell --help`.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"foretell/internal/build"
	_ "foretell/internal/descriptors"
	"foretell/internal/interrupt"
	"foretell/internal/kernel"
	"foretell/internal/limit"
	"foretell/internal/terminal"
	"foretell/internal/text"
	"foretell/model"

	"github.com/spf13/cobra"
)

func main() {
	os.Exit(execute(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// execute is the whole program: data goes to stdout, progress and errors to stderr.
// It returns the exit status.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	data, messages := newOutput(stdout), interrupt.NewWriter(stderr)
	err := interrupt.Run(ctx, func(ctx context.Context) error {
		messages.EndWith(ctx)
		err := dispatch(ctx, args, data, messages)
		if flushed := data.Flush(); flushed != nil && (err == nil || errors.Is(err, flushed)) {
			err = fmt.Errorf("standard output: %w", flushed)
		}
		return err
	})
	data.to.Shut()
	messages.Shut()
	if err != nil {
		if _, drawn := terminal.Width(stderr); drawn && errors.Is(err, interrupt.ErrLeft) {
			printf(stderr, "\n") // end the line of a progress bar
		}
		printMessage(stderr, "foretell: %s", text.Error(withAdvice(err), args))
	}
	return exitStatus(err)
}

// lineAnnotation is the key of the root command's annotation that holds the command line.
const lineAnnotation = "line"

// lineGiven returns the command line, quoted for a shell.
func lineGiven(cmd *cobra.Command) string { return cmd.Root().Annotations[lineAnnotation] }

// dispatch runs the command that the arguments name.
func dispatch(ctx context.Context, args []string, data *output, messages io.Writer) error {
	if err := limit.Enough(); err != nil {
		return err
	}
	if err := kernel.Select(os.Getenv(kernel.EnvISA)); err != nil {
		return wrongUsage(err)
	}
	root := newRoot()
	root.SetArgs(args)
	root.Annotations = map[string]string{lineAnnotation: "foretell " + text.ShellLine(args...)}
	if width, ok := terminal.Width(data); ok {
		fitHelp(root, width)
	}
	root.SetOut(data)
	root.SetErr(messages)
	cmd, err := root.ExecuteContextC(ctx)
	if errors.Is(err, model.ErrNotFinite) && wantsJSON(cmd) {
		err = errors.Join(err, printJSON(cmd, map[string]string{"error": text.Error(err, args)}))
	}
	return err
}

func newRoot() *cobra.Command {
	var showVersion bool
	root := &cobra.Command{
		Use:   "foretell",
		Short: "Small transformers on data where the best possible prediction is known exactly",
		Long: `foretell trains small transformers on data where the best possible prediction
is known exactly. It measures what share of the learnable part a model
has learned, and looks inside to see which algorithm it runs.

Data goes to stdout, progress to stderr. --json prints exactly one JSON value.
The exit status is 0 on success, 1 on failure, 2 on wrong usage, 130 when
interrupted.`,
		Example: `  foretell demo
  foretell reproduce mess3
  foretell process floor mess3 --param x=0.05 --param a=0.85 --positions 10
  foretell train config.yaml --set train.lr=0.001 --out runs/first
  foretell predict runs/first --tokens 0,1,2`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknownCommand,

		PersistentPreRunE: checkShared,
	}
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if !showVersion {
			return helpOnGroup(cmd, args)
		}
		return show(cmd, map[string]string{"version": build.Version()}, 1, func(out io.Writer) {
			printf(out, "foretell %s\n", build.Version())
		})
	}
	root.Flags().BoolVarP(&showVersion, "version", "v", false, "print the version")
	root.PersistentFlags().Bool("json", false, "print exactly one JSON value on stdout")
	root.AddCommand(newDemo(), newReproduce(), newTrain(), newSweep(), newPredict(), newLook(),
		newGenerate(), newProbe(), newSteer(), newPatch(), newAblate(), newEvaluate(), newCache(),
		newExport(), newImport(), newSeries(), newPlot(), newWalk(), newCraft(), newProcess(), newRuns(),
		newLessons(), newLab(), newBench(), newMan())
	root.InitDefaultHelpCmd()
	if help, _, err := root.Find([]string{"help"}); err == nil {
		help.Args = func(_ *cobra.Command, args []string) error {
			topic, rest, _ := root.Find(args)
			return unknownCommand(topic, rest)
		}
	}
	nameInErrors(root)
	return root
}

// fitHelp wraps the help texts of a command and its subcommands to a terminal's width.
func fitHelp(cmd *cobra.Command, width int) {
	const slop = 5 // pflag's lines may be wider than asked by this many columns
	cmd.SetUsageTemplate(strings.ReplaceAll(cmd.UsageTemplate(), ".FlagUsages |",
		fmt.Sprintf(".FlagUsagesWrapped %d |", width-slop)))
	cmd.Long = text.Fill(cmd.Long, width)
	for _, sub := range cmd.Commands() {
		fitHelp(sub, width)
	}
}

// helpOnGroup runs a command that only has subcommands.
func helpOnGroup(cmd *cobra.Command, _ []string) error {
	if wantsJSON(cmd) {
		return wrongUsage(fmt.Errorf("--json needs a command: %s", strings.Join(subcommands(cmd), ", ")))
	}
	return cmd.Help()
}
