package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"foretell/internal/limit"
)

// result counts the mutants of a package by their outcome.
type result struct {
	path                      string
	drawn, killed, equivalent int
	survivors                 []mutant
}

func (r *result) add(other result) {
	r.path = "all"
	r.drawn += other.drawn
	r.killed += other.killed
	r.equivalent += other.equivalent
	r.survivors = append(r.survivors, other.survivors...)
}

// String returns a row of the table. Its last number is the share of killed mutants among
// those that are not equivalent.
func (r result) String() string {
	share := 100 * float64(r.killed) / float64(max(1, r.drawn-r.equivalent))
	return fmt.Sprintf("%-24s %6d %7d %9d %11d %4.0f %%",
		r.path, r.drawn, r.killed, len(r.survivors), r.equivalent, share)
}

// listed is the output of go list about a package.
type listed struct {
	Dir                                string
	GoFiles, TestImports, XTestImports []string
}

// campaign draws mutants of a package that compile, and runs its tests on each.
func campaign(progress io.Writer, path string, equivalent map[identity]string, d draw) (result, error) {
	r := result{path: path}
	t, err := prepare(path)
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(t.work)
	all, err := t.mutants()
	if err != nil {
		return r, err
	}
	shuffle(all, d.seed)
	for _, m := range all {
		if r.drawn == d.count {
			break
		}
		if !strings.Contains(m.String(), d.only) {
			continue
		}
		fate, err := t.try(m, equivalent[m.identity])
		if err != nil {
			return r, err
		}
		switch fate {
		case doesNotCompile:
			continue
		case killed:
			r.killed++
		case isEquivalent:
			r.equivalent++
		default:
			r.survivors = append(r.survivors, m)
		}
		r.drawn++
		fmt.Fprintf(progress, "%3d %-10s %s\n", r.drawn, fate, m)
	}
	return r, nil
}

// fate is the outcome of a mutant.
type fate string

const (
	doesNotCompile fate = "no mutant"
	killed         fate = "killed"
	survived       fate = "SURVIVED"
	notCovered     fate = "UNCOVERED"
	isEquivalent   fate = "equivalent"
)

// tested is a package whose tests can be run on mutants.
type tested struct {
	path    string
	files   []string // source files of the package, relative to the module's root
	dir     string   // folder in which the tests run
	root    string
	work    string // a folder for temporary files
	flags   []string
	covered coverage
	quick   time.Duration // limit of processor time with -short
	slow    time.Duration // limit of processor time without -short
}

// prepare runs the tests of the unchanged package, once for their coverage and twice for
// their time, with -short and without.
func prepare(path string) (*tested, error) {
	out, err := exec.Command("go", "list", "-json=Dir,GoFiles,TestImports,XTestImports", path).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var pkg listed
	if err := json.Unmarshal(out, &pkg); err != nil {
		return nil, err
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	t := &tested{path: path, dir: pkg.Dir, root: root, flags: []string{"-test.failfast"}}
	if slices.Contains(append(pkg.TestImports, pkg.XTestImports...), "pgregory.net/rapid") {
		t.flags = append(t.flags, "-rapid.seed=1", "-rapid.nofailfile", "-rapid.shrinktime=0s")
	}
	for _, name := range pkg.GoFiles {
		file, err := filepath.Rel(root, filepath.Join(pkg.Dir, name))
		if err != nil {
			return nil, err
		}
		t.files = append(t.files, file)
	}
	if t.work, err = os.MkdirTemp("", "mutant"); err != nil {
		return nil, err
	}
	if err := t.measure(); err != nil {
		os.RemoveAll(t.work)
		return nil, err
	}
	return t, nil
}

// measure finds the coverage of the tests and their limits of processor time: three times
// the time that they take plus two seconds.
func (t *tested) measure() error {
	if built, err := t.build("-cover"); !built || err != nil {
		return errors.Join(errors.New("the tests do not compile"), err)
	}
	profile := filepath.Join(t.work, "cover.out")
	if passed, _, err := t.run(time.Hour, "-test.coverprofile="+profile); !passed || err != nil {
		return errors.Join(errors.New("the tests fail without any change"), err)
	}
	var err error
	if t.covered, err = readCoverage(profile); err != nil {
		return err
	}
	if built, err := t.build(); !built || err != nil {
		return errors.Join(errors.New("the tests do not compile"), err)
	}
	if t.quick, err = t.limit("-test.short"); err != nil {
		return err
	}
	t.slow, err = t.limit()
	return err
}

// limit returns the limit of processor time for the tests with the given flags.
func (t *tested) limit(flags ...string) (time.Duration, error) {
	passed, used, err := t.run(time.Hour, flags...)
	if !passed || err != nil {
		return 0, errors.Join(errors.New("the tests fail without any change"), err)
	}
	return 3*used + 2*time.Second, nil
}

// mutants returns the mutants of the package.
func (t *tested) mutants() ([]mutant, error) {
	var all []mutant
	for _, file := range t.files {
		some, err := mutants(file)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// try builds and tests a mutant. It does not run mutants that are known to be equivalent
// (reason is not empty) or that are in code without coverage.
func (t *tested) try(m mutant, reason string) (fate, error) {
	built, err := t.mutate(m)
	if err != nil {
		return "", err
	}
	switch {
	case !built:
		return doesNotCompile, nil
	case reason != "":
		return isEquivalent, nil
	case !t.covered.has(m):
		return notCovered, nil
	}
	passed, _, err := t.run(t.quick, "-test.short")
	if passed && err == nil {
		passed, _, err = t.run(t.slow)
	}
	if passed {
		return survived, err
	}
	return killed, err
}

// mutate builds the tests of a mutant, and reports whether it compiles.
func (t *tested) mutate(m mutant) (built bool, err error) {
	source, err := limit.ReadFile(m.path, "a Go file", mostBytes)
	if err != nil {
		return false, err
	}
	changed := filepath.Join(t.work, filepath.Base(m.path))
	mutated := slices.Concat(source[:m.start], []byte(m.text), source[m.end:])
	if err := os.WriteFile(changed, mutated, 0o600); err != nil {
		return false, err
	}
	defer os.Remove(changed)
	replace := map[string]string{filepath.Join(t.root, m.path): changed}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return false, err
	}
	file := filepath.Join(t.work, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		return false, err
	}
	return t.build("-overlay", file)
}

func (t *tested) binary() string { return filepath.Join(t.work, "tests") }

// build builds the tests, and reports whether they compile. An error means that the go
// command itself failed.
func (t *tested) build(flags ...string) (built bool, err error) {
	args := append([]string{"test", "-c", "-ldflags=-s -w", "-o", t.binary()}, flags...)
	err = exec.Command("go", append(args, t.path)...).Run()
	if _, failed := errors.AsType[*exec.ExitError](err); failed {
		return false, nil
	}
	return err == nil, err
}

// run runs the built tests. It reports whether they pass and how much processor time they
// used. The shell limits memory, and processor time to `most`; blocked tests are ended
// after ten times that.
func (t *tested) run(most time.Duration, flags ...string) (passed bool, used time.Duration, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*most)
	defer cancel()
	script := fmt.Sprintf(`ulimit -t %d; ulimit -d 16000000; exec "$@"`, int(most.Seconds())+1)
	args := slices.Concat([]string{"-c", script, "sh", t.binary(), "-test.timeout=0"}, t.flags, flags)
	cmd := exec.CommandContext(ctx, "sh", args...)
	cmd.Dir = t.dir
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	if cmd.ProcessState == nil {
		return false, 0, err
	}
	return err == nil, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// coverage holds the blocks of statements in files, and whether a test ran them.
type coverage []block

type block struct {
	file                       string // as the coverage profile names it
	fromLine, from, toLine, to int
	ran                        bool
}

// readCoverage parses a coverage profile of go test.
func readCoverage(path string) (coverage, error) {
	text, err := limit.ReadFile(path, "a coverage profile", mostBytes)
	if err != nil {
		return nil, err
	}
	var c coverage
	for line := range strings.Lines(string(text)) {
		file, rest, _ := strings.Cut(line, ":")
		var b block
		var statements, times int
		n, _ := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &b.fromLine, &b.from, &b.toLine, &b.to, &statements, &times)
		if n == 6 {
			b.file, b.ran = file, times > 0
			c = append(c, b)
		}
	}
	return c, nil
}

// has reports whether a test runs the line of a mutant. It returns true if the profile
// says nothing about the line, as for a constant declaration.
func (c coverage) has(m mutant) bool {
	found := false
	for _, b := range c {
		if strings.HasSuffix(b.file, "/"+m.path) && b.fromLine <= m.line && m.line <= b.toLine {
			if b.ran {
				return true
			}
			found = true
		}
	}
	return !found
}
