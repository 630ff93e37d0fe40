package limit

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/needs"
)

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("12345"), 0o644); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadFile(path, "a word", 5); err != nil || string(data) != "12345" {
		t.Errorf("%q, %v", data, err)
	}
	_, err := ReadFile(path, "a word", 4)
	var refused *Error
	if !errors.As(err, &refused) || err.Error() != path+" holds 5 bytes; a word has at most 4 bytes" {
		t.Error(err)
	}
	missing := filepath.Join(t.TempDir(), "missing")
	if _, err := ReadFile(missing, "a word", 4); !errors.Is(err, fs.ErrNotExist) || err.Error() != "open "+missing+": no such file or directory" {
		t.Error(err)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("12345"), 0o644); err != nil {
		t.Fatal(err)
	}
	file, size, err := Open(path)
	if err != nil || size != 5 {
		t.Fatalf("%d bytes, %v", size, err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	for _, no := range []string{dir, filepath.Join(dir, "missing"), os.DevNull} {
		if _, _, err := Open(no); err == nil {
			t.Errorf("%s is opened", no)
		}
	}
}

// Of a file of 100 GB nothing is read but its size.
func TestSparseFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sparse")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 100e9); err != nil {
		needs.Machine(t, "a file of 100 GB", err)
	}
	for _, most := range []int64{1000, math.MaxInt64} { // and what the machine holds bounds what nothing else does
		_, err := ReadFile(path, "a word", most)
		if most == math.MaxInt64 && err == nil {
			continue // the machine holds 100 GB twice
		}
		if err == nil || !strings.HasPrefix(err.Error(), path+" holds 100.0 GB; a word has at most ") {
			t.Error(err)
		}
	}
}

func TestMemory(t *testing.T) {
	if have := Memory(); math.IsNaN(have) || have < 0 || have > 0 && have < 1<<20 {
		t.Errorf("%v bytes", have)
	}
	for _, c := range []struct{ want, a, b float64 }{{1, 1, 2}, {1, 2, 1}, {2, 0, 2}, {2, 2, 0}, {0, 0, 0}} {
		if got := least(c.a, c.b); got != c.want {
			t.Errorf("the least of %v and %v is %v, want %v", c.a, c.b, got, c.want)
		}
	}
	file := filepath.Join(t.TempDir(), "meminfo")
	for text, want := range map[string][2]float64{
		"MemTotal:       16384 kB\nMemFree: 1 kB\n": {16384 << 10, 0},
		"max\n":     {0, 0},
		"5000000\n": {0, 5e6},
		"":          {0, 0},
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := [2]float64{total(file), group(file)}; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestSize(t *testing.T) {
	for bytes, want := range map[float64]string{0: "0 bytes", 999: "999 bytes", 262144: "262.1 kB", 1.5e9: "1.5 GB", 3e21: "3000.0 EB"} {
		if got := Size(bytes); got != want {
			t.Errorf("%v: %s, want %s", bytes, got, want)
		}
	}
}
