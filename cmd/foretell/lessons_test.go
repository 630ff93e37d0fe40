package main

import (
	"os"
	"strings"
	"testing"

	"foretell/lesson"
)

// ellipsis is a line that stands for lines left out.
const ellipsis = "…"

// TestLessons does what the lessons tell, in one folder, and compares what is seen with
// what they show.
func TestLessons(t *testing.T) {
	lessons, err := lesson.List()
	if err != nil {
		t.Fatal(err)
	}
	inLessonFolder(t)
	for _, l := range lessons {
		commands := 0
		for _, step := range l.Steps {
			commands += followed(t, l.Title+", "+step.Title, step.Blocks)
		}
		if commands < 2 {
			t.Errorf("%s has %d commands", l.Title, commands)
		}
	}
}

// followed saves the files of blocks, runs their commands, and returns the number of
// commands.
func followed(t *testing.T, where string, blocks []lesson.Block) (commands int) {
	t.Helper()
	for _, block := range blocks {
		if block.Kind == lesson.File {
			write(t, block.Name, block.Code)
		}
		for _, command := range block.Commands {
			lessonCommand(t, where, command)
		}
		commands += len(block.Commands) + followed(t, where, block.Blocks)
		for _, item := range block.Items {
			commands += followed(t, where, item)
		}
	}
	return commands
}

// inLessonFolder changes to a new folder with the file that readers of the lessons copy.
func inLessonFolder(t *testing.T) {
	t.Helper()
	sunspots, err := os.ReadFile("../../series/testdata/sunspots.csv")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	write(t, "sunspots.csv", string(sunspots))
}

// lessonCommand runs a command and compares what it prints, on stdout or else on stderr,
// with what the lesson shows.
func lessonCommand(t *testing.T, where string, command lesson.Command) {
	t.Helper()
	words := strings.Fields(command.Line)
	if words[0] != "./foretell" {
		t.Errorf("%s: %q does not begin with ./foretell", where, command.Line)
		return
	}
	status, got, stderr := call(t, words[1:]...)
	if status != exitDone {
		t.Errorf("%s: %s: status %d, %s", where, command.Line, status, stderr)
	}
	if got == "" {
		got = stderr
	}
	if !seen(shownLines(got), shownLines(command.Output)) {
		t.Errorf("%s: %s prints\n%s\nand the lesson shows\n%s", where, command.Line, got, command.Output)
	}
}

// shownLines are the lines of a text with single spaces, without empty ones at the end.
func shownLines(text string) []string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	return lines
}

// seen says whether lines are those that a lesson shows, in which an ellipsis stands for
// any others.
func seen(lines, shown []string) bool {
	switch {
	case len(shown) == 0:
		return len(lines) == 0
	case shown[0] == ellipsis:
		return seen(lines, shown[1:]) || len(lines) > 0 && seen(lines[1:], shown)
	}
	return len(lines) > 0 && lines[0] == shown[0] && seen(lines[1:], shown[1:])
}
