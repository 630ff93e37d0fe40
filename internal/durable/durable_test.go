package durable

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// names returns the entries of a folder.
func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	list := []string{}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func wantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := names(t, dir); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s holds %q, want %q", dir, got, want)
	}
}

func wantContents(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v; want %q", path, got, err, want)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	for _, contents := range []string{"first", "", "second, longer"} {
		if err := WriteFile(path, []byte(contents)); err != nil {
			t.Fatal(err)
		}
		wantContents(t, path, contents)
		wantNames(t, dir, "a.json")
	}
}

func TestWriteFileFailure(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "no", "a")
	if err := WriteFile(missing, nil); !errors.Is(err, fs.ErrNotExist) || err.Error() != missing+": no such file or directory" {
		t.Errorf("error %v", err)
	}
	// The rename fails, after the temporary was written: a folder stands there.
	occupied := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(occupied, "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(occupied, []byte("x")); err == nil || !strings.HasPrefix(err.Error(), occupied+": ") {
		t.Errorf("error %v", err)
	}
	wantNames(t, dir, "folder")
}

// fillTwo writes a file and a folder with a file.
func fillTwo(dir string) error {
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "a"), []byte("1"), 0o666),
		os.Mkdir(filepath.Join(dir, "sub"), 0o777),
		os.WriteFile(filepath.Join(dir, "sub", "b"), []byte("2"), 0o666),
	)
}

func TestDir(t *testing.T) {
	parent := t.TempDir()
	final := filepath.Join(parent, "step-5")
	if err := Dir(final, fillTwo); err != nil {
		t.Fatal(err)
	}
	wantNames(t, parent, "step-5")
	wantContents(t, filepath.Join(final, "sub", "b"), "2")

	err := Dir(final, func(string) error { t.Error("fill was called"); return nil })
	if !errors.Is(err, fs.ErrExist) || err.Error() != final+": file already exists" {
		t.Errorf("error %v", err)
	}
	wantContents(t, filepath.Join(final, "a"), "1")
}

func TestDirFailure(t *testing.T) {
	parent := t.TempDir()
	final := filepath.Join(parent, "step-5")
	cause := errors.New("cause")
	if err := Dir(final, func(dir string) error { return errors.Join(fillTwo(dir), cause) }); !errors.Is(err, cause) {
		t.Errorf("error %v, want fill's", err)
	}
	wantNames(t, parent)

	func() {
		defer func() { _ = recover() }()
		_ = Dir(final, func(dir string) error { _ = fillTwo(dir); panic("fill") })
	}()
	wantNames(t, parent)

	missing := filepath.Join(parent, "no", "x")
	if err := Dir(missing, fillTwo); !errors.Is(err, fs.ErrNotExist) || err.Error() != missing+": no such file or directory" {
		t.Errorf("error %v", err)
	}
}

// A temporary left by a kill is in nobody's way, and is cleaned up alone.
func TestCleanTemporaries(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, temporaryPrefix+"a-0")
	if err := errors.Join(os.WriteFile(left, []byte("half"), 0o666), os.MkdirAll(filepath.Join(dir, temporaryPrefix+"s-0", "x"), 0o777)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(WriteFile(filepath.Join(dir, "a"), []byte("whole")), Dir(filepath.Join(dir, "s"), fillTwo)); err != nil {
		t.Fatal(err)
	}
	wantContents(t, left, "half")
	if err := CleanTemporaries(dir); err != nil {
		t.Fatal(err)
	}
	wantNames(t, dir, "a", "s")
	if err := CleanTemporaries(filepath.Join(dir, "no")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// A folder is made with those above it; a file in the way is an error that names it.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b", "c")
	for range 2 {
		if err := Folder(deep + "/"); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(deep); err != nil || !info.IsDir() {
		t.Errorf("%v, %v", info, err)
	}
	link := filepath.Join(dir, "link")
	if err := errors.Join(os.Symlink("a", link), Folder(filepath.Join(link, "d"))); err != nil {
		t.Error(err)
	}
	wantNames(t, filepath.Join(dir, "a"), "b", "d")
	file := filepath.Join(dir, "file")
	if err := WriteFile(file, nil); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(file, "x")} {
		if err := Folder(path); err == nil || err.Error() != file+": not a directory" {
			t.Errorf("%s: %v", path, err)
		}
	}
	t.Chdir(dir)
	if err := errors.Join(Folder("."), Folder("x/y"), Folder("/")); err != nil {
		t.Error(err)
	}
}

// What is removed is gone in one step; what a kill would leave is a temporary.
func TestRemove(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := Remove(path); err != nil {
		t.Error(err)
	}
	for range 2 { // in the way of the temporary's name
		if err := os.MkdirAll(filepath.Join(dir, temporaryPrefix+"a-0", "x"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := Dir(path, fillTwo); err != nil {
			t.Fatal(err)
		}
		if err := Remove(path); err != nil {
			t.Fatal(err)
		}
		wantNames(t, dir, temporaryPrefix+"a-0")
	}
	if err := errors.Join(WriteFile(path, nil), Remove(path)); err != nil {
		t.Fatal(err)
	}
	wantNames(t, dir, temporaryPrefix+"a-0")
}

// origin is where the tests' chains start.
const origin = "a test"

type row struct {
	Step int    `json:"step"`
	Note string `json:"note,omitempty"`
}

// writeLog appends rows with steps 0 … n−1 to a new log and returns its path.
func writeLog(t testing.TB, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "metrics.jsonl")
	log, err := OpenLog(path, origin)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := log.Append(row{Step: i}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(log.Sync(), log.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// wantSteps checks that the log holds the steps 0 … n−1 and whether something damaged
// follows.
func wantSteps(t testing.TB, path string, n int, whole bool) {
	t.Helper()
	read, err := ReadLog(path, origin)
	if err != nil || len(read.Rows) != n {
		t.Errorf("%d rows, %v; want %d", len(read.Rows), err, n)
		return
	}
	for i, got := range read.Rows {
		if want := fmt.Sprintf(`{"step":%d}`, i); string(got) != want {
			t.Errorf("row %s, want %s", got, want)
		}
	}
	info, err := os.Stat(path)
	if err != nil || (info.Size() == read.end(n)) != whole || (read.Damage == "") != whole {
		t.Errorf("%d of %v bytes are intact, %v, %q; want all: %v", read.end(n), info.Size(), err, read.Damage, whole)
	}
}

func TestLog(t *testing.T) {
	path := writeLog(t, 3)
	wantSteps(t, path, 3, true)
	log, err := OpenLog(path, origin) // and go on
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(log.Append(row{Step: 3}), log.Close()); err != nil {
		t.Fatal(err)
	}
	wantSteps(t, path, 4, true)
}

// The format is fixed: each figure was computed in Python by the definition (polynomial
// 0x1EDC6F41) of origin, the first row without its brace, and the second without its.
func TestLogBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	log, err := OpenLog(path, origin)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(log.Append(row{Step: 1, Note: "a\nb"}), log.Append(struct{}{}), log.Close()); err != nil {
		t.Fatal(err)
	}
	wantContents(t, path, "{\"step\":1,\"note\":\"a\\nb\",\"chain\":\"3f2557da\"}\n{\"chain\":\"026240a3\"}\n")
}

func TestAppendRefuses(t *testing.T) {
	path := writeLog(t, 1)
	log, err := OpenLog(path, origin)
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []any{3, []int{1}, "x", nil, func() {}} {
		if err := log.Append(value); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("Append(%v): error %v", value, err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	wantSteps(t, path, 1, true)
	if err := errors.Join(log.Sync(), log.Close()); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// A log cut at any byte reads back to the last whole row, cannot be appended to in the
// middle of a row, and goes on after it was truncated.
func TestLogCutAnywhere(t *testing.T) {
	whole, err := os.ReadFile(writeLog(t, 4))
	if err != nil {
		t.Fatal(err)
	}
	for size := range len(whole) + 1 {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, whole[:size], 0o666); err != nil {
			t.Fatal(err)
		}
		rows := bytes.Count(whole[:size], []byte("\n"))
		atRow := size == 0 || whole[size-1] == '\n'
		wantSteps(t, path, rows, atRow)
		if log, err := OpenLog(path, origin); (err == nil) != atRow {
			t.Errorf("size %d: OpenLog gives %v", size, err)
		} else if err == nil {
			_ = log.Close()
		}
		if err := TruncateLog(path, origin, rows); err != nil {
			t.Fatal(err)
		}
		log, err := OpenLog(path, origin)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(log.Append(row{Step: rows}), log.Close()); err != nil {
			t.Fatal(err)
		}
		wantSteps(t, path, rows+1, true)
	}
}

// Any change of any bit of a row is found: that row and those after it are not returned.
func TestLogDamagedAnywhere(t *testing.T) {
	path := writeLog(t, 3)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		for bit := range 8 {
			damaged := bytes.Clone(whole)
			damaged[i] ^= 1 << bit
			if err := os.WriteFile(path, damaged, 0o666); err != nil {
				t.Fatal(err)
			}
			wantSteps(t, path, bytes.Count(whole[:i], []byte("\n")), false)
		}
	}
}

func TestTruncateLog(t *testing.T) {
	for keep := range 5 {
		path := writeLog(t, 4)
		if err := TruncateLog(path, origin, keep); err != nil {
			t.Fatal(err)
		}
		wantSteps(t, path, keep, true)
	}
	path := writeLog(t, 4)
	if err := TruncateLog(path, origin, 5); fmt.Sprint(err) != path+": it has 4 intact rows, want 5" {
		t.Errorf("five of four rows: %v", err)
	}
	missing := filepath.Join(t.TempDir(), "log")
	if err := TruncateLog(missing, origin, 0); err != nil {
		t.Errorf("of no log: %v", err)
	}
	if _, err := ReadLog(missing, origin); !errors.Is(err, fs.ErrNotExist) || err.Error() != missing+": no such file or directory" {
		t.Errorf("ReadLog of no log: %v", err)
	}
}

// Every JSON object comes back as it was, whatever its last field.
func TestLogRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	rapid.Check(t, func(t *rapid.T) {
		_ = os.Remove(path)
		log, err := OpenLog(path, origin)
		if err != nil {
			t.Fatal(err)
		}
		key := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"chain", "\"chain\":\"", ",\"chain\":\"00000000\"}"}))
		objects := rapid.SliceOf(rapid.MapOf(key, key)).Draw(t, "objects")
		for i := range objects {
			if objects[i] == nil {
				objects[i] = map[string]string{}
			}
			if err := log.Append(objects[i]); err != nil {
				t.Fatal(err)
			}
		}
		read, err := ReadLog(path, origin)
		if err := errors.Join(err, log.Close()); err != nil || len(read.Rows) != len(objects) {
			t.Fatalf("%d rows of %d, %v", len(read.Rows), len(objects), err)
		}
		if chain := log.Chain(); len(chain) != ChecksumDigits*len(objects) || chain != read.Chain {
			t.Errorf("the log's chain is %s, read as %s", chain, read.Chain)
		}
		for i, object := range objects {
			want, _ := json.Marshal(object)
			if !bytes.Equal(read.Rows[i], want) {
				t.Errorf("row %s, want %s", read.Rows[i], want)
			}
		}
	})
}

// Whatever a file holds, the intact rows are valid JSON objects that seal to the intact
// bytes.
func FuzzReadLog(f *testing.F) {
	whole, err := os.ReadFile(writeLog(f, 3))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(append(bytes.Clone(whole), `{"step":3,"chain":"0000`...))
	f.Add([]byte("{,\"chain\":\"00000000\"}\n"))
	path := filepath.Join(f.TempDir(), "log")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		read, err := ReadLog(path, origin)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range read.Rows {
			if !json.Valid(r) || r[0] != '{' {
				t.Errorf("row %q", r)
			}
		}
		lines := chained(read.Rows, origin)
		if intact := data[:read.end(len(read.Rows))]; !bytes.Equal(lines, intact) || (len(intact) == len(data)) != (read.Damage == "") {
			t.Errorf("rows %q of %q, damage %q", lines, data, read.Damage)
		}
	})
}
