package claimtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/run"
)

// Environment variables of the child process that is killed: the study's folder, and the
// number of eighths of its training steps after which it waits to be killed.
const (
	childDir    = "FORETELL_TEST_STUDY"
	childEighth = "FORETELL_TEST_EIGHTH"
)

// Main runs a package's tests; TestMain calls it. In the child process that [Killed]
// starts, it tests the rows instead.
func Main(m *testing.M, rows func() []claim.Row) {
	dir := os.Getenv(childDir)
	if dir == "" {
		os.Exit(m.Run())
	}
	fmt.Fprintln(os.Stderr, child(dir, rows()))
	os.Exit(1)
}

// child tests rows until it has taken the number of eighths of the training steps that an
// environment variable gives. It then prints a line and waits to be killed. If it ever
// returns, it returns an error.
func child(dir string, rows []claim.Row) error {
	eighth, err := strconv.Atoi(os.Getenv(childEighth))
	if err != nil {
		return err
	}
	s := &claim.Study{Out: dir, Workers: 2}
	s.Progress = func(at claim.Progress) {
		if 8*at.Steps >= eighth*at.AllSteps && strings.HasPrefix(at.Label, "training ") {
			fmt.Println(at.Label)
			select {}
		}
	}
	if _, err := s.Reproduce(context.Background(), rows); err != nil {
		return err
	}
	return errors.New("the study ended before it was killed")
}

// Killed tests that a study that is killed twice during training (SIGKILL) and then
// resumed produces the same claims, figures and data as an uninterrupted study. The
// package's TestMain must call [Main] with the same rows.
func Killed(t *testing.T, rows func() []claim.Row) {
	t.Helper()
	want, dir := whole(t, rows()), t.TempDir()
	for _, eighth := range []int{3, 5} {
		kill(t, dir, eighth)
	}
	s := &claim.Study{Out: dir, Workers: 2}
	claims, err := s.Reproduce(t.Context(), rows())
	if err != nil {
		t.Fatal(err)
	}
	want.compare(t, dir, claims)
}

// kill starts a child process, lets it take the given number of eighths of the training
// steps, and kills it.
func kill(t *testing.T, dir string, eighth int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir, childEighth+"="+strconv.Itoa(eighth))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !bufio.NewScanner(out).Scan() {
		t.Errorf("the study did not reach %d eighths of its training", eighth)
	}
	cmd.Process.Kill()
	if cmd.Wait() == nil {
		t.Error("the study ended before it was killed")
	}
}

// Interrupted tests that a study whose context ends during training resumes where it
// stopped, without repeating a step, and produces the same claims, figures and data as an
// uninterrupted study.
func Interrupted(t *testing.T, rows func() []claim.Row) {
	t.Helper()
	want := whole(t, rows())
	for eighth := 1; eighth < 8; eighth += 3 {
		dir := t.TempDir()
		taken := interrupt(t, dir, rows(), eighth)
		steps, total := 0, 0
		s := &claim.Study{Out: dir, Workers: 2}
		s.Progress = func(at claim.Progress) {
			if total = at.AllSteps; strings.HasPrefix(at.Label, "training ") {
				steps++
			}
		}
		claims, err := s.Reproduce(t.Context(), rows())
		if err != nil {
			t.Fatal(err)
		}
		if steps != total-taken {
			t.Errorf("after %d of %d steps, %d more were taken, want only the remaining steps", taken, total, steps)
		}
		want.compare(t, dir, claims)
	}
}

// interrupt cancels a study shortly after the given number of eighths of its training
// steps and returns the number of steps that it took.
func interrupt(t *testing.T, dir string, rows []claim.Row, eighth int) (taken int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &claim.Study{Out: dir, Workers: 2}
	s.Progress = func(at claim.Progress) {
		if taken = at.Steps; taken > eighth*at.AllSteps/8+at.AllSteps/50 {
			cancel()
		}
	}
	// If no model was being trained, the error is the context's own.
	_, err := s.Reproduce(ctx, rows)
	if !errors.Is(err, run.ErrInterrupted) && !errors.Is(err, context.Canceled) {
		t.Fatalf("at %d eighths: %v, want %v", eighth, err, run.ErrInterrupted)
	}
	return taken
}

// outcome is the result of a study.
type outcome struct {
	claims string
	files  map[string]string // [path]: contents of the figure or data file
}

// whole reproduces rows without interruption.
func whole(t *testing.T, rows []claim.Row) outcome {
	t.Helper()
	s := &claim.Study{Out: t.TempDir(), Workers: 1}
	claims, err := s.Reproduce(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	return outcome{Timeless(t, claims), files(t, s.Out)}
}

// compare tests that another study has the same result.
func (o outcome) compare(t *testing.T, dir string, claims []claim.Claim) {
	t.Helper()
	if got := Timeless(t, claims); got != o.claims {
		t.Errorf("the interrupted study found\n%s\nwant, as the uninterrupted one,\n%s", got, o.claims)
	}
	got := files(t, dir)
	if len(got) != len(o.files) {
		t.Errorf("the interrupted study has %d figures and data files, the uninterrupted one %d",
			len(got), len(o.files))
	}
	for path, text := range o.files {
		if got[path] != text {
			t.Errorf("the interrupted study differs in %s", path)
		}
	}
}

// files reads the figures and data of a study. There must be at least one of each.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, folder := range []string{"figures", "data"} {
		found := Contents(t, filepath.Join(dir, folder))
		if len(found) == 0 {
			t.Fatalf("no %s", folder)
		}
		for path, text := range found {
			texts[filepath.Join(folder, filepath.Base(path))] = text
		}
	}
	return texts
}

// Contents reads every file below a folder. Its keys are their paths.
func Contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
