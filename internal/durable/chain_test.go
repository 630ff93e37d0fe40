package durable

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// lines reads a log of n rows as its lines, each with its end.
func lines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(text)))
}

// A row that is dropped, doubled, exchanged for another or comes from another log breaks
// the chain at once, though each line is as it was written; and a log that lacks its
// last rows lacks their checksums.
func TestChainNoticesEdits(t *testing.T) {
	const n = 6
	whole := lines(t, writeLog(t, n))
	foreign := filepath.Join(t.TempDir(), "log")
	log, err := OpenLog(foreign, "another test")
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := log.Append(row{Step: i}); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "log")
	chain := ""
	for _, line := range whole {
		chain += line[len(line)-len("5f0a31c7\"}\n"):][:ChecksumDigits]
	}
	check := func(what string, edited []string, intact int) {
		t.Helper()
		if err := os.WriteFile(path, []byte(strings.Join(edited, "")), 0o666); err != nil {
			t.Fatal(err)
		}
		read, err := ReadLog(path, origin)
		if err != nil || len(read.Rows) != intact || (read.Damage != "") != (intact < len(edited)) {
			t.Errorf("%s: %d rows are taken for whole, %q, %v; want %d", what, len(read.Rows), read.Damage, err, intact)
		}
		if read.Chain != chain[:ChecksumDigits*len(read.Rows)] {
			t.Errorf("%s: after %d rows the chain is %s and not %s", what, len(read.Rows), read.Chain, chain)
		}
	}
	check("nothing", whole, n)
	for i := range n {
		check(fmt.Sprint("row dropped: ", i), slices.Delete(slices.Clone(whole), i, i+1), i)
		check(fmt.Sprint("all rows from: ", i), whole[:i], i)
		check(fmt.Sprint("row doubled: ", i), slices.Insert(slices.Clone(whole), i, whole[i]), i+1)
		for j := i + 1; j < n; j++ {
			edited := slices.Clone(whole)
			edited[i], edited[j] = edited[j], edited[i]
			check(fmt.Sprint("rows exchanged: ", i, j), edited, i)
		}
		edited := slices.Clone(whole)
		edited[i] = lines(t, foreign)[i]
		check(fmt.Sprint("foreign row: ", i), edited, i)
	}
	check("a foreign log", lines(t, foreign), 0)
}

func TestDamageIsNamed(t *testing.T) {
	whole := lines(t, writeLog(t, 3))
	path := filepath.Join(t.TempDir(), "log")
	for text, want := range map[string]string{
		whole[0] + "\n":             "line 2 is altered, or does not follow line 1",
		whole[1]:                    "line 1 is altered, or not the first one of this log",
		whole[0] + whole[1][:5]:     "line 2 is cut off",
		whole[0] + whole[0][:9]:     "line 2 is cut off",
		strings.Join(whole[:2], ""): "",
		"":                          "",

		// A row whose checksum has another name, and covers only itself.
		"{\"step\":1,\"note\":\"a\\nb\",\"crc\":\"33b16273\"}\n": "line 1 is altered, or not the first one of this log",
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if read, err := ReadLog(path, origin); err != nil || read.Damage != want || read.Cut != strings.HasSuffix(want, "cut off") {
			t.Errorf("%q: %q, %v, want %q", text, read.Damage, err, want)
		}
	}
}

// changes are what others can do to a file, and what is said of it.
var changes = []struct {
	what   string
	change func(path string) error
	want   string
}{
	{"nothing", func(string) error { return nil }, ""},
	{"removed", os.Remove, "is gone"},
	{"cut off", func(path string) error { return os.Truncate(path, 20) }, "has 20 bytes in place of 90"},
	{"lengthened", func(path string) error { return os.Truncate(path, 120) }, "has 120 bytes in place of 90"},
	{"altered", func(path string) error {
		text, err := os.ReadFile(path)
		text[30] ^= 1
		return errors.Join(err, os.WriteFile(path, text, 0o666))
	}, "differs from line 2 on"},
	{"a folder", func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o777)) }, "is not a regular file any more"},
	{"a loop", func(path string) error { return errors.Join(os.Remove(path), os.Symlink(path, path)) }, "is not a regular file any more"},
}

func TestChanged(t *testing.T) {
	for _, c := range changes {
		path := writeLog(t, 3)
		text, err := os.ReadFile(path)
		if err := errors.Join(err, c.change(path)); err != nil {
			t.Fatal(err)
		}
		if got, err := Changed(path, text); got != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", c.what, got, err, c.want)
		}
	}
}

// A log notices what others do to its file, restores it without losing what they wrote,
// and goes on.
func TestLogChanged(t *testing.T) {
	replaced := func(path string) error {
		text, err := os.ReadFile(path)
		return errors.Join(err, os.Remove(path), os.WriteFile(path, text, 0o666))
	}
	for _, c := range append(changes, struct {
		what   string
		change func(path string) error
		want   string
	}{"replaced", replaced, "is not the file that was opened"}) {
		path := writeLog(t, 2)
		log, err := OpenLog(path, origin)
		if err := errors.Join(err, log.Append(row{Step: 2}), c.change(path)); err != nil {
			t.Fatal(err)
		}
		if got, err := log.Changed(); got != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", c.what, got, err, c.want)
		}
		aside, err := SetAside(path)
		if err != nil || (aside == "") != (c.what == "removed") {
			t.Errorf("%s: set aside as %q, %v", c.what, aside, err)
		}
		if err := log.Restore(); err != nil {
			t.Fatal(err)
		}
		if got, err := log.Changed(); got != "" || err != nil {
			t.Errorf("%s: restored, it %s, %v", c.what, got, err)
		}
		if err := errors.Join(log.Append(row{Step: 3}), log.Close()); err != nil {
			t.Fatal(err)
		}
		wantSteps(t, path, 4, true)
	}
}

func TestSetAside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if aside, err := SetAside(path); aside != "" || err != nil {
		t.Errorf("nothing was set aside as %q, %v", aside, err)
	}
	for _, text := range []string{"first", "second"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := SetAside(path); err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(path, []byte("new")); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o777)); err != nil {
		t.Fatal(err)
	}
	if aside, err := SetAside(path); aside != path+".changed-3" || err != nil {
		t.Errorf("a folder was set aside as %q, %v", aside, err)
	}
	wantNames(t, dir, "a.changed", "a.changed-2", "a.changed-3")
	wantContents(t, path+".changed", "first")
	wantContents(t, path+".changed-2", "second")
}
