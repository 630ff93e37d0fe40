package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"foretell/describe"
	"foretell/inspect"
	"foretell/internal/durable"
	"foretell/internal/strict"
	"foretell/process"

	"github.com/spf13/cobra"
)

// aboutTokens puts --tokens before an error about its sequence. It keeps nil.
func aboutTokens(err error) error {
	if err == nil {
		return nil
	}
	return wrongUsage(fmt.Errorf("--tokens: %w", err))
}

// findProcess returns the process that the arguments name, built-in or defined by a file.
func findProcess(name string, paramFlags []string) (describe.Subject, error) {
	params, err := parseParams(paramsOf(zoo(), name), paramFlags, "x=0.15 or weights=[1, 3]")
	if err != nil {
		return describe.Subject{}, err
	}
	s, err := inspect.Find(name, params)
	s.Flags = describe.Flags{All: "--all", JSON: "--json"}
	if !process.IsFile(name) {
		err = wrongUsage(err)
	}
	return s, aboutParams(err)
}

// aboutParams puts --param before an [inspect.ParamsError] (parameters for a process or
// model that takes none).
func aboutParams(err error) error {
	var none *inspect.ParamsError
	if errors.As(err, &none) {
		return wrongUsage(fmt.Errorf("--param: %w", err))
	}
	return err
}

// inRange returns an error unless a flag's value is in [low, high].
func inRange(flag string, value, low, high int) error {
	if value >= low && value <= high {
		return nil
	}
	return wrongUsage(fmt.Errorf("%s %d is outside [%d, %d]", flag, value, low, high))
}

// oneOf returns an error unless a flag's value is one of the choices.
func oneOf(flag, value string, choices ...string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	return wrongUsage(fmt.Errorf("%s: %s", flag, strict.NotOneOf(value, choices)))
}

// mostWorkers is the largest value of --workers, far more than any machine has cores.
const mostWorkers = 4096

// addWorkers gives a command the flag --workers, whose range checkShared checks.
func addWorkers(cmd *cobra.Command, workers *int) {
	cmd.Flags().IntVar(workers, "workers", runtime.NumCPU(),
		"goroutines; the result does not depend on their number")
	cmd.Flags().Lookup("workers").DefValue = "all cores" // keeps the manual page the same on every machine
	completeNothing(cmd, "workers")
}

// checkShared checks the flags that several commands have, and that stdout is open where
// the command prints to it.
func checkShared(cmd *cobra.Command, _ []string) error {
	prints := !slices.Contains([]string{"foretell", "reproduce", "train"}, cmd.Name()) &&
		!cmd.Flags().Changed("out") && !cmd.Flags().Changed("svg")
	if out, ok := cmd.OutOrStdout().(*output); ok && prints && out.to.Closed() {
		return errors.New("standard output is closed; open it for writing, with >file or >/dev/null")
	}
	if seconds, err := cmd.Flags().GetFloat64("seconds"); err == nil && !(seconds > 0 && seconds <= 3600) {
		return wrongUsage(fmt.Errorf("--seconds %g is outside (0, 3600]", seconds))
	}
	if workers, err := cmd.Flags().GetInt("workers"); err == nil {
		if err := inRange("--workers", workers, 1, mostWorkers); err != nil {
			return err
		}
	}
	return readWords(cmd)
}

// notAFile returns an error if the value of a flag, a folder, is a file.
func notAFile(flag, path string) error {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return wrongUsage(fmt.Errorf("%s: %s is a file; give a folder", flag, path))
	}
	return nil
}

// checkOutput returns an error if the file that a flag names cannot be written.
func checkOutput(flag, path string) error {
	if err := durable.CheckOutput(path); path != "" && err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}
