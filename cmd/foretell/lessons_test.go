package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fence is a block of a lesson: what is saved under the name in its first line, or what
// is typed and seen.
var (
	fence    = regexp.MustCompile("(?ms)^```(yaml|console)\n(.*?)^```$")
	savedAs  = regexp.MustCompile(`^# (\S+\.yaml)\n`)
	ellipsis = "…" // a line that stands for lines left out
)

// TestLessons does what the lessons of docs/lessons tell, in one folder, and compares
// what is seen with what they show.
func TestLessons(t *testing.T) {
	lessons, err := filepath.Glob("../../docs/lessons/[0-9]*.md")
	if err != nil || len(lessons) < 5 {
		t.Fatalf("%d lessons, %v", len(lessons), err)
	}
	var texts []string
	for _, lesson := range lessons {
		text, err := os.ReadFile(lesson)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	inLessonFolder(t)
	for i, text := range texts {
		commands := 0
		for _, block := range fence.FindAllStringSubmatch(text, -1) {
			if block[1] == "console" {
				commands += lessonCommands(t, lessons[i], block[2])
			} else if name := savedAs.FindStringSubmatch(block[2]); name != nil {
				write(t, name[1], block[2])
			} else {
				t.Errorf("%s: a file without a name in its first line:\n%s", lessons[i], block[2])
			}
		}
		if commands < 2 {
			t.Errorf("%s has %d commands", lessons[i], commands)
		}
	}
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

// lessonCommands runs the commands of a block, compares what each prints, on stdout or
// else on stderr, and returns how many there are.
func lessonCommands(t *testing.T, lesson, block string) int {
	t.Helper()
	parts := strings.Split("\n"+block, "\n$ ")
	for _, part := range parts[1:] {
		command, want, _ := strings.Cut(part, "\n")
		words := strings.Fields(command)
		if words[0] != "./foretell" {
			t.Errorf("%s: %q does not begin with ./foretell", lesson, command)
			continue
		}
		status, got, stderr := call(t, words[1:]...)
		if status != exitDone {
			t.Errorf("%s: %s: status %d, %s", lesson, command, status, stderr)
		}
		if got == "" {
			got = stderr
		}
		if !seen(shownLines(got), shownLines(want)) {
			t.Errorf("%s: %s prints\n%s\nand the lesson shows\n%s", lesson, command, got, want)
		}
	}
	return len(parts) - 1
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
