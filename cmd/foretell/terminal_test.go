//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"foretell/lab/web"

	"golang.org/x/sys/unix"
)

// pseudoTerminal opens a terminal of 80 columns. What is written to tty is read from the
// other end.
func pseudoTerminal(t *testing.T) (other, tty *os.File) {
	t.Helper()
	other, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	if err := unix.IoctlSetPointerInt(int(other.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(other.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(other.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return other, tty
}

// onTerminal runs a command on a terminal of 80 columns, and returns its status and what
// the terminal received. A command that says that Ctrl-C ends it is ended so.
func onTerminal(t *testing.T, args ...string) (status int, text string) {
	t.Helper()
	other, tty := pseudoTerminal(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	received := make(chan string)
	go func() {
		var data bytes.Buffer
		lines := bufio.NewScanner(io.TeeReader(other, &data))
		for lines.Scan() { // until the terminal is closed, which is an error
			if strings.Contains(lines.Text(), "Ctrl-C ends it") {
				cancel()
			}
		}
		received <- data.String()
	}()
	status = execute(ctx, args, tty, tty)
	tty.Close()
	return status, <-received
}

// escape is a sequence that moves the cursor or sets a colour.
var escape = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

// tooWide returns the lines of a terminal that are longer than its 80 columns. A carriage
// return begins a line again.
func tooWide(text string) (lines []string) {
	for line := range strings.SplitSeq(escape.ReplaceAllString(text, ""), "\n") {
		for part := range strings.SplitSeq(line, "\r") {
			if utf8.RuneCountInString(part) > 80 {
				lines = append(lines, part)
			}
		}
	}
	return lines
}

// commandLine is a command of a document: one of a lesson, or a preformatted one.
var commandLine = regexp.MustCompile(`(?m)^(?:\$ |    )(?:\./foretell|go run \./cmd/foretell) ([^#\n]*)`)

// savedFile is a block of a document that is saved under the name in its first line.
var savedFile = regexp.MustCompile("(?ms)^```yaml\n(# (\\S+\\.yaml)\n.*?)^```$")

// Every command of README and of the lessons fits a terminal of 80 columns.
func TestDocumentsFitATerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	documents, err := filepath.Glob("../../docs/lessons/[0-9]*.md")
	if err != nil || len(documents) < 4 {
		t.Fatalf("%d lessons, %v", len(documents), err)
	}
	var texts []string
	for _, path := range append(documents, "../../README.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	example, err := os.ReadFile("../../examples/mess3.yaml")
	if err != nil {
		t.Fatal(err)
	}
	nottem, err := os.ReadFile("../../series/testdata/nottem.csv")
	if err != nil {
		t.Fatal(err)
	}
	inLessonFolder(t)
	for _, dir := range []string{"examples", "series/testdata"} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write(t, "series/testdata/nottem.csv", string(nottem))
	write(t, "examples/mess3.yaml", strings.Replace(string(example), "num_steps: 3000", "num_steps: 60", 1))
	commands := 0
	for _, text := range texts {
		for _, file := range savedFile.FindAllStringSubmatch(text, -1) {
			write(t, file[2], file[1])
		}
		for _, line := range commandLine.FindAllStringSubmatch(text, -1) {
			commands++
			if _, built := web.Engine(); !built && strings.Contains(line[1], "lab --export") {
				continue // lab/browser tests it
			}
			status, seen := onTerminal(t, strings.Fields(line[1])...)
			if status != exitDone {
				t.Errorf("%s: status %d, %s", line[1], status, seen)
			}
			if wide := tooWide(seen); len(wide) > 0 {
				t.Errorf("%s: %d lines are wider than the terminal, such as\n%s", line[1], len(wide), wide[0])
			}
		}
	}
	if commands < 25 {
		t.Errorf("only %d commands were found", commands)
	}
}
