package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"

	"foretell/process"

	"github.com/spf13/cobra"
)

// parseTokens reads the value of --tokens: numbers separated by commas.
func parseTokens(text string) ([]int, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var tokens []int
	for i, field := range strings.Split(text, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(field), 10, 32)
		if err != nil {
			return nil, wrongUsage(fmt.Errorf("--tokens: %q at position %d is not a token; write tokens as 0,1,2", field, i+1))
		}
		tokens = append(tokens, int(n))
	}
	return tokens, nil
}

// parseParams reads the values of --param k=v.
func parseParams(list []string) (map[string]float64, error) {
	params := map[string]float64{}
	for _, item := range list {
		name, value, ok := strings.Cut(item, "=")
		x, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil || name == "" || math.IsNaN(x) {
			return nil, wrongUsage(fmt.Errorf("--param: %q is not of the form name=number, such as x=0.15", item))
		}
		if _, twice := params[name]; twice {
			return nil, wrongUsage(fmt.Errorf("--param: %s is given twice", name))
		}
		params[name] = x
	}
	return params, nil
}

// buildProcess makes the process that a command line names.
func buildProcess(name string, paramFlags []string) (process.Process, error) {
	params, err := parseParams(paramFlags)
	if err != nil {
		return nil, err
	}
	p, err := process.Build(name, params)
	return p, wrongUsage(err)
}

// inRange returns an error unless a flag's value is in [low, high].
func inRange(flag string, value, low, high int) error {
	if value >= low && value <= high {
		return nil
	}
	return wrongUsage(fmt.Errorf("%s %d is outside [%d, %d]", flag, value, low, high))
}

// mostWorkers is far above the cores of any machine.
const mostWorkers = 4096

// addWorkers gives a command the flag --workers.
func addWorkers(cmd *cobra.Command, workers *int) {
	cmd.Flags().IntVar(workers, "workers", runtime.NumCPU(), "goroutines that share the work; the result does not depend on it")
	completeFlag(cmd, "workers", cobra.NoFileCompletions)
}

// notAFile returns an error if the value of a flag that names a folder is a file.
func notAFile(flag, path string) error {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return wrongUsage(fmt.Errorf("%s: %s is a file; give a folder", flag, path))
	}
	return nil
}

// shellWord writes a word so that a shell reads it as one.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./,=:+@%", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
