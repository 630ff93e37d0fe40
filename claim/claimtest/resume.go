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

// A study that is killed in a child process: the variables name its folder and the
// eighth of its steps of training at which it waits for the kill.
const (
	childDir    = "FORETELL_TEST_STUDY"
	childEighth = "FORETELL_TEST_EIGHTH"
)

// Main runs a package's tests, for its TestMain; in the child process that [Killed]
// starts, it tests the rows instead.
func Main(m *testing.M, rows func() []claim.Row) {
	dir := os.Getenv(childDir)
	if dir == "" {
		os.Exit(m.Run())
	}
	fmt.Fprintln(os.Stderr, child(dir, rows()))
	os.Exit(1)
}

// child tests rows until it has taken an eighth of the steps of training, says so and
// waits for the end. If it returns, that is an error.
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
	return errors.New("the study came to its end")
}

// Killed tests that a study which is killed in the middle of a training (SIGKILL),
// begun again and killed once more, goes on to the claims, figures and data of one that
// was left alone. The package's TestMain must be [Main] with the same rows.
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

// kill lets a child take an eighth of the steps, and kills it.
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
		t.Errorf("the study did not come to %d eighths of its training", eighth)
	}
	cmd.Process.Kill()
	if cmd.Wait() == nil {
		t.Error("the study came to its end before it was killed")
	}
}

// Interrupted tests that a study whose context ends in the middle of a training goes on
// from there, without taking a step again, to the claims, figures and data of one that
// was left alone.
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
			t.Errorf("after %d of %d steps %d were left to take", taken, total, steps)
		}
		want.compare(t, dir, claims)
	}
}

// interrupt ends a study a little after an eighth of its steps of training, and returns
// how many it has taken.
func interrupt(t *testing.T, dir string, rows []claim.Row, eighth int) (taken int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &claim.Study{Out: dir, Workers: 2}
	s.Progress = func(at claim.Progress) {
		if taken = at.Steps; taken > eighth*at.AllSteps/8+at.AllSteps/50 {
			cancel()
		}
	}
	// Where no model was in the middle of its training, the context's own error says so.
	_, err := s.Reproduce(ctx, rows)
	if !errors.Is(err, run.ErrInterrupted) && !errors.Is(err, context.Canceled) {
		t.Fatalf("at %d eighths: %v, want %v", eighth, err, run.ErrInterrupted)
	}
	return taken
}

// outcome is what came of a study.
type outcome struct {
	claims string
	files  map[string]string // figures and data
}

// whole reproduces rows without an interruption.
func whole(t *testing.T, rows []claim.Row) outcome {
	t.Helper()
	s := &claim.Study{Out: t.TempDir(), Workers: 1}
	claims, err := s.Reproduce(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	return outcome{Timeless(t, claims), files(t, s.Out)}
}

// compare tests that another study came to the same.
func (o outcome) compare(t *testing.T, dir string, claims []claim.Claim) {
	t.Helper()
	if got := Timeless(t, claims); got != o.claims {
		t.Errorf("the study that was stopped found\n%s\nwhere the whole one found\n%s", got, o.claims)
	}
	got := files(t, dir)
	if len(got) != len(o.files) {
		t.Errorf("the study that was stopped has %d figures and files of data, the whole one %d",
			len(got), len(o.files))
	}
	for path, text := range o.files {
		if got[path] != text {
			t.Errorf("the study that was stopped has another %s", path)
		}
	}
}

// files reads the figures and the data of a study, of which there are some.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, folder := range []string{"figures", "data"} {
		paths, err := filepath.Glob(filepath.Join(dir, folder, "*"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no %s: %v", folder, err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			texts[filepath.Join(folder, filepath.Base(path))] = string(data)
		}
	}
	return texts
}
