package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"foretell/internal/needs"
)

// wantType checks that what stands at a path is of the type that it was.
func wantType(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	if info, err := os.Lstat(path); err != nil || info.Mode().Type() != want {
		t.Errorf("%s is %v, %v; want %v", path, info.Mode(), err, want)
	}
}

func TestOutputToDevices(t *testing.T) {
	const device = fs.ModeDevice | fs.ModeCharDevice
	dir := t.TempDir()
	link(t, os.DevNull, filepath.Join(dir, "link"))
	paths := []string{os.DevNull, filepath.Join(dir, "link")}
	if made := filepath.Join(dir, "null"); syscall.Mknod(made, syscall.S_IFCHR|0o666, 1<<8|3) == nil {
		if file, err := os.OpenFile(made, os.O_WRONLY, 0); err == nil { // a file system may know no devices
			file.Close()
			paths = append(paths, made)
		}
	}
	for _, path := range paths {
		if err := errors.Join(CheckOutput(path), Output(path, []byte("gone"))); err != nil {
			t.Error(err)
		}
	}
	wantType(t, os.DevNull, device)
	wantType(t, filepath.Join(dir, "link"), fs.ModeSymlink)
	for _, path := range paths[2:] {
		wantType(t, path, device)
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		if err := Output("/dev/full", []byte("x")); !errors.Is(err, syscall.ENOSPC) || err.Error() != "/dev/full: no space left on device" {
			t.Errorf("error %v", err)
		}
		wantType(t, "/dev/full", device)
	}
}

func TestOutputToFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		needs.Machine(t, "a FIFO", err)
	}
	if err := Output(path, []byte("x")); !errors.Is(err, ErrUnread) || err.Error() != path+" is a FIFO that nobody reads; start its reader first" {
		t.Errorf("error %v", err)
	}
	want := bytes.Repeat([]byte("0123456789"), 100_000) // more than a pipe holds
	reader, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan []byte)
	go func() {
		data := make([]byte, len(want))
		for n := 0; n < len(data); {
			more, err := reader.Read(data[n:])
			if n += more; err != nil && !errors.Is(err, io.EOF) { // the end, before the writer has come
				break
			}
		}
		read <- data
	}()
	if err := errors.Join(CheckOutput(path), Output(path, want)); err != nil {
		t.Error(err)
	}
	if got := <-read; !bytes.Equal(got, want) {
		t.Error("the reader got something else")
	}
	if err := reader.Close(); err != nil {
		t.Error(err)
	}
	wantType(t, path, fs.ModeNamedPipe)
}

func TestOutputToSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		needs.Machine(t, "a socket", err)
	}
	defer listener.Close()
	if err := Output(path, []byte("x")); err == nil {
		t.Error("no error")
	}
	wantType(t, path, fs.ModeSocket)
}

// printThrough writes to its standard output by its name in dir, between other writes.
func printThrough(path string) {
	fmt.Print("a")
	err := Output(path, []byte("b"))
	fmt.Print("c")
	fmt.Print(err)
}

// An open file of the process is written where it stands, even if it is a regular one.
func TestOutputToOwnFiles(t *testing.T) {
	if _, err := os.Stat("/dev/stdout"); err != nil {
		needs.Machine(t, "/dev/stdout", err)
	}
	dir := t.TempDir()
	link(t, "/dev/stdout", filepath.Join(dir, "link"))
	for _, path := range []string{"/dev/stdout", "/dev/fd/1", filepath.Join(dir, "link")} {
		for _, flag := range []int{os.O_TRUNC, os.O_APPEND} {
			to := filepath.Join(dir, "log")
			makeFiles(t, map[string]string{to: "before "})
			file, err := os.OpenFile(to, os.O_WRONLY|flag, 0)
			if err != nil {
				t.Fatal(err)
			}
			command := again(t, "stdout", path)
			command.Stdout = file
			if err := errors.Join(command.Run(), file.Close()); err != nil {
				t.Fatal(err)
			}
			want := "abc<nil>"
			if flag == os.O_APPEND {
				want = "before " + want
			}
			wantContents(t, to, want)
		}
		if got, err := again(t, "stdout", path).Output(); err != nil || string(got) != "abc<nil>" { // a pipe
			t.Errorf("%s: %s, %v", path, got, err)
		}
	}
	wantNames(t, dir, "link", "log")
}

// deny writes, as nobody in particular, to what may not be written.
func deny(dir string) {
	if os.Getuid() == 0 {
		if err := errors.Join(syscall.Setgid(65534), syscall.Setuid(65534)); err != nil {
			fmt.Println("skip:", err)
			return
		}
	}
	for _, path := range []string{"shut/new", "shut/old", "open/shut", "dark/x"} {
		err := Output(filepath.Join(dir, path), []byte("new"))
		fmt.Println(path, err != nil && err.Error() == filepath.Join(dir, path)+": permission denied")
	}
}

// Neither a file that may not be written, nor one in a folder that may not, is touched.
func TestOutputDenied(t *testing.T) {
	dir := t.TempDir()
	makeFiles(t, map[string]string{
		filepath.Join(dir, "shut", "old"): "old", filepath.Join(dir, "open", "shut"): "old", filepath.Join(dir, "dark", "x"): "old",
	})
	for path, mode := range map[string]fs.FileMode{
		".": 0o755, "..": 0o755, "shut": 0o555, "shut/old": 0o666, "open": 0o777, "open/shut": 0o444, "dark": 0,
	} {
		if err := os.Chmod(filepath.Join(dir, path), mode); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(filepath.Join(dir, "dark"), 0o777)
	defer os.Chmod(filepath.Join(dir, "shut"), 0o777)
	output, err := again(t, "deny", dir).CombinedOutput()
	if bytes.HasPrefix(output, []byte("skip:")) {
		needs.Machine(t, "to be somebody else", errors.New(string(output)))
	}
	const want = "shut/new true\nshut/old true\nopen/shut true\ndark/x true\n"
	if err != nil || string(output) != want {
		t.Errorf("%v\n%swant\n%s", err, output, want)
	}
	for _, folder := range []string{"shut", "open", "dark"} {
		if err := os.Chmod(filepath.Join(dir, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	wantContents(t, filepath.Join(dir, "shut", "old"), "old")
	wantNames(t, filepath.Join(dir, "shut"), "old")
	wantContents(t, filepath.Join(dir, "open", "shut"), "old")
	wantNames(t, filepath.Join(dir, "open"), "shut")
}

// A file keeps its owner and group where this process may give files away.
func TestOutputOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	makeFiles(t, map[string]string{path: "old"})
	if err := os.Chown(path, 65534, 65534); err != nil {
		needs.Machine(t, "to give a file away", err)
	}
	if err := Output(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if stat := info.Sys().(*syscall.Stat_t); stat.Uid != 65534 || stat.Gid != 65534 {
		t.Errorf("owner %d, group %d", stat.Uid, stat.Gid)
	}
}
