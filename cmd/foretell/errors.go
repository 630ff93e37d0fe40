package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"foretell/inspect"
	"foretell/internal/decimal/flags"
	"foretell/internal/durable"
	"foretell/internal/interrupt"
	"foretell/internal/strict"
	"foretell/internal/text"
	"foretell/model"
	"foretell/run"
	"foretell/train"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Exit statuses.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// exitStatus returns the exit status for an error.
func exitStatus(err error) int {
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, run.ErrInterrupted), errors.Is(err, context.Canceled), errors.Is(err, interrupt.ErrLeft):
		return exitInterrupted
	case errors.As(err, &usage), errors.Is(err, durable.ErrIsFolder), errors.Is(err, durable.ErrOwned):
		return exitUsage
	}
	return exitFailed
}

// usageError is an error in how the program was called.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// wrongUsage marks err as wrong usage. A model that computes NaN is not wrong usage.
func wrongUsage(err error) error {
	if err == nil || errors.Is(err, model.ErrNotFinite) {
		return err
	}
	return usageError{err}
}

// withAdvice adds to an error of the library the flag that would avoid it.
func withAdvice(err error) error {
	var folder *run.FolderError
	var memory *train.MemoryError
	var engine *run.EngineError
	switch {
	case errors.Is(err, run.ErrHoldsRun) && errors.As(err, &folder):
		return fmt.Errorf("%w; continue it with `foretell train --resume %s`, or give another folder with --out",
			err, text.ShellWord(folder.Dir))
	case errors.As(err, &folder):
		return fmt.Errorf("%w; give another folder with --out", err)
	case errors.As(err, &engine):
		return fmt.Errorf("%w with `foretell train --resume %s --allow-other-engine`", err, text.ShellWord(engine.Dir))
	case errors.As(err, &memory):
		return fmt.Errorf("%w or --workers", err)
	}
	return err
}

// path returns the name of a command without the program's name, such as "process show".
func path(cmd *cobra.Command) string {
	_, rest, _ := strings.Cut(cmd.CommandPath(), " ")
	return rest
}

// nameInErrors marks errors of flags and arguments as wrong usage, in every command, and
// puts the command's name before them. Numbers in flags must be decimal.
func nameInErrors(cmd *cobra.Command) {
	flags.Decimal(cmd.Flags())
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 {
			return unknownCommand(cmd, words) // the unknown flag belongs to the unknown command
		}
		return wrongUsage(fmt.Errorf("%w; %ssee `%s --help`", flags.Plain(err), meantFlag(cmd, err), cmd.CommandPath()))
	})
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			var usage usageError
			if err == nil || errors.As(err, &usage) {
				return err
			}
			return wrongUsage(fmt.Errorf("%s: %w; see `%s --help`", path(cmd), err, cmd.CommandPath()))
		}
	}
	for _, sub := range cmd.Commands() {
		nameInErrors(sub)
	}
}

// oneArgument requires one argument, described by what, as "MODEL, such as runs/first".
func oneArgument(what string) cobra.PositionalArgs { return arguments(1, 1, "one "+what) }

// arguments requires least to most arguments. Errors describe them by what.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return fmt.Errorf("%d arguments given; give %s", len(args), what)
		}
		return nil
	}
}

// noArgument checks that no argument is given.
func noArgument(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("takes no arguments, but %q was given", args[0])
	}
	return nil
}

// unknownCommand checks the arguments of a command that only has subcommands.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	where := ""
	if cmd.HasParent() {
		where = path(cmd) + ": "
	}
	return wrongUsage(fmt.Errorf("%sunknown command %q; %s", where, args[0], meant(cmd, args[0])))
}

// meant suggests a command for a name that is not one of cmd's subcommands: a command of
// this name elsewhere, a subcommand of cmd with a similar name, one of another command,
// or the list of cmd's subcommands.
func meant(cmd *cobra.Command, word string) string {
	known, elsewhere := subcommands(cmd), commandsByName(cmd.Root())
	nearest := strict.Nearest(word, known)
	switch {
	case cmd.Name() == "craft" && inspect.MeantCrafted(word) != "":
		return "did you mean `foretell predict " + inspect.MeantCrafted(word) + "`?"
	case len(elsewhere[word]) > 0:
	case nearest != "":
		return fmt.Sprintf("did you mean %q?", nearest)
	case len(known) == 0:
		return "there are no subcommands"
	default:
		word = strict.Nearest(word, slices.Sorted(maps.Keys(elsewhere)))
	}
	if lines := elsewhere[word]; len(lines) > 0 {
		return "did you mean `" + strings.Join(lines, "` or `") + "`?"
	}
	return "commands are " + strings.Join(known, ", ")
}

// meantFlag suggests a flag for one that the command does not have, as
// "did you mean --length? ".
func meantFlag(cmd *cobra.Command, err error) string {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return ""
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if near := strict.Nearest(missing.GetSpecifiedName(), known); near != "" {
		return "did you mean --" + near + "? "
	}
	return ""
}

// commandsByName maps a subcommand ("floor") to its lines ("foretell process floor").
func commandsByName(cmd *cobra.Command) map[string][]string {
	lines := map[string][]string{}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			lines[sub.Name()] = append(lines[sub.Name()], sub.CommandPath())
		}
		for name, below := range commandsByName(sub) {
			lines[name] = append(lines[name], below...)
		}
	}
	return lines
}

// subcommands lists the names of a command's subcommands.
func subcommands(cmd *cobra.Command) []string {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return names
}
