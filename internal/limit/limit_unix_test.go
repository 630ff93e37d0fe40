//go:build unix

package limit

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"foretell/internal/needs"
)

// What has no end, or never begins, is refused for what it is.
func TestNoFiles(t *testing.T) {
	dir := t.TempDir()
	pipe, link, socket := filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "s")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("pipe", link); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for path, want := range map[string]string{
		dir:         "read " + dir + ": is a directory",
		"/dev/zero": "/dev/zero is a device; give a file",
		"/dev/null": "/dev/null is a device; give a file",
		pipe:        pipe + " is a pipe that may have no writer; give a file",
		link:        link + " is a pipe that may have no writer; give a file",
		socket:      socket + " is a socket; give a file",
	} {
		if _, err := ReadFile(path, "a word", 5); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A file that a shell makes of <(…) is read to its end, but not beyond the bound.
func TestOpenPipe(t *testing.T) {
	if _, err := os.Stat("/dev/fd/0"); err != nil {
		needs.Machine(t, "/dev/fd", err)
	}
	for text, want := range map[string]string{
		"12345":                     "",
		"":                          "",
		"123456":                    "holds more than that; a word has at most 5 bytes",
		strings.Repeat("y\n", 1000): "holds more than that; a word has at most 5 bytes",
	} {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			defer writer.Close()
			writer.WriteString(text)
		}()
		path := fmt.Sprintf("/dev/fd/%d", reader.Fd())
		data, err := ReadFile(path, "a word", 5)
		if want == "" && (err != nil || string(data) != text) || want != "" && (err == nil || err.Error() != path+" "+want) {
			t.Errorf("%q: %q, %v", text, data, err)
		}
		reader.Close()
	}
}

// The end of a pipe that is written to has no end: nobody will close the other one.
func TestOwnPipe(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer writer.Close()
	path := fmt.Sprintf("/dev/fd/%d", writer.Fd())
	if _, err := ReadFile(path, "a word", 5); err == nil || err.Error() != path+" is a pipe that may have no writer; give a file" {
		t.Error(err)
	}
}

// A file of the kernel's says that it is empty, and is not.
func TestFileWithoutSize(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		needs.Machine(t, "/proc", err)
	}
	if data, err := ReadFile("/proc/self/status", "a status", 1<<20); err != nil || len(data) == 0 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if _, err := ReadFile("/proc/self/status", "a status", 10); err == nil {
		t.Error("a bound of 10 bytes was not kept")
	}
}

// A read that would wait is an error. A pipe that is held open stands for a file of the
// kernel; a regular file ends.
func TestUnwaiting(t *testing.T) {
	var ends [2]int
	if err := syscall.Pipe(ends[:]); err != nil {
		t.Fatal(err)
	}
	if err := syscall.SetNonblock(ends[0], true); err != nil {
		t.Fatal(err)
	}
	reader, writer := os.NewFile(uintptr(ends[0]), "kernel"), os.NewFile(uintptr(ends[1]), "writer")
	defer reader.Close()
	defer writer.Close()
	if _, err := writer.WriteString("0,1"); err != nil {
		t.Fatal(err)
	}
	const want = "kernel has no end: its next bytes may never come; give a file"
	data, err := read(unwaiting(reader), "kernel", "a word", 0, 100)
	if err == nil || err.Error() != want || !Unread(err) {
		t.Errorf("%q, %v", data, err)
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("0,1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadFile(path, "a word", 100); err != nil || string(data) != "0,1" {
		t.Errorf("%q, %v", data, err)
	}
}
