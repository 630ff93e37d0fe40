package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"foretell/process"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// wantsJSON says whether --json was given.
func wantsJSON(cmd *cobra.Command) bool {
	yes, _ := cmd.Flags().GetBool("json")
	return yes
}

// printJSON prints one JSON value.
func printJSON(cmd *cobra.Command, value any) error {
	enc := json.NewEncoder(cmd.OutOrStdout())
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}

// version is the module's version as the build recorded it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// terminal says whether w is a terminal that can redraw a line, and how wide it is.
func terminal(w io.Writer) (width int, ok bool) {
	f, isFile := w.(*os.File)
	if !isFile || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	return width, err == nil
}

// wantsColour says whether w may be coloured.
func wantsColour(w io.Writer) bool {
	_, ok := terminal(w)
	return ok && os.Getenv("NO_COLOR") == ""
}

// parseTokens reads the value of --tokens: numbers separated by commas.
func parseTokens(text string) ([]int, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var tokens []int
	for i, field := range strings.Split(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil {
			return nil, wrongUsage(fmt.Errorf("--tokens: %q at position %d is not a whole number; write tokens as 0,1,2", field, i+1))
		}
		tokens = append(tokens, n)
	}
	return tokens, nil
}

// parseParams reads the values of --param k=v.
func parseParams(list []string) (map[string]float64, error) {
	params := map[string]float64{}
	for _, item := range list {
		name, value, ok := strings.Cut(item, "=")
		x, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil {
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

// number prints a float with few digits.
func number(x float64) string { return strconv.FormatFloat(x, 'f', 6, 64) }

// numbers prints floats side by side.
func numbers(list []float64) string {
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = number(x)
	}
	return strings.Join(texts, " ")
}
