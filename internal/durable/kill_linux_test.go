package durable

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"foretell/internal/needs"

	"golang.org/x/sys/unix"
)

// roleVariable makes the test binary, started again by a test, play a part in a process
// of its own.
const roleVariable = "DURABLE_TEST_ROLE"

func TestMain(m *testing.M) {
	roles := map[string]func(dir string){
		"writer": writeForever, "limit": exceedLimit, "full": fillDisk, "lock": holdLock, "lock twice": lockTwice,
		"stdout": printThrough, "deny": deny,
	}
	if name, dir, ok := strings.Cut(os.Getenv(roleVariable), ":"); ok {
		roles[name](dir)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// again prepares the test binary to play a role in dir.
func again(t *testing.T, role, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self)
	command.Env = append(os.Environ(), roleVariable+"="+role+":"+dir)
	return command
}

const payload = 1 << 16

// contents is what the writer writes in its round i.
func contents(i int) []byte {
	return bytes.Repeat(fmt.Appendf(nil, "%07d\n", i), payload/8)
}

// writeForever goes on where the folder stands, as a resumed run does, and prints each
// round when it is done.
func writeForever(dir string) {
	check := func(err error) {
		if err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
	}
	path := filepath.Join(dir, "log")
	check(CleanTemporaries(dir))
	read, _ := ReadLog(path, origin) // no rows where there is none
	check(TruncateLog(path, origin, len(read.Rows)))
	log, err := OpenLog(path, origin)
	check(err)
	for i := len(read.Rows); ; i++ {
		check(WriteFile(filepath.Join(dir, "file"), contents(i)))
		check(Output(filepath.Join(dir, "link"), contents(i)))
		if final := filepath.Join(dir, fmt.Sprintf("step-%d", i%4)); i%4 != 3 {
			check(Remove(final))
			check(Dir(final, func(temporary string) error {
				return os.WriteFile(filepath.Join(temporary, "weights"), contents(i), 0o666)
			}))
		}
		check(log.Append(row{Step: i, Note: strings.Repeat("x", i%100)}))
		fmt.Println(i)
	}
}

// Twenty kills at moments that nobody chooses: nothing half written is ever found under
// a final name, and nothing that was reported done is lost.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	link(t, "output", filepath.Join(dir, "link"))
	done := -1
	for kill := range 20 {
		writer := again(t, "writer", dir)
		output, err := writer.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := writer.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(output)
		for n := 0; n <= kill%5 && lines.Scan(); n++ {
			if done, err = strconv.Atoi(lines.Text()); err != nil {
				t.Fatal(lines.Text())
			}
		}
		_ = writer.Process.Kill()
		_, _ = io.Copy(io.Discard, output)
		_ = writer.Wait()
		checkAfterKill(t, dir, done)
	}
}

func checkAfterKill(t *testing.T, dir string, done int) {
	t.Helper()
	read, err := ReadLog(filepath.Join(dir, "log"), origin)
	if err != nil || len(read.Rows) <= done {
		t.Fatalf("%d rows after round %d, %v", len(read.Rows), done, err)
	}
	whole := func(path string) {
		data, err := os.ReadFile(path)
		if err != nil || len(data) != payload {
			t.Fatalf("%s: %d bytes, %v", path, len(data), err)
		}
		if i, err := strconv.Atoi(string(data[:7])); err != nil || !bytes.Equal(data, contents(i)) {
			t.Errorf("%s is not the contents of one round", path)
		}
	}
	whole(filepath.Join(dir, "file"))
	whole(filepath.Join(dir, "output"))
	for _, name := range names(t, dir) {
		if strings.HasPrefix(name, "step-") {
			whole(filepath.Join(dir, name, "weights"))
		}
	}
}

// exceedLimit meets the limit on a file's size in the middle of a write, as it would
// meet a full disk, and prints what happened.
func exceedLimit(dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	const limit = 4096
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		fmt.Println("skip:", err)
		return
	}
	writeTooMuch(dir, 3*limit/4)
}

// fillDisk mounts a disk of 64 KiB over dir, in this process's own view of the file
// system, and fills it.
func fillDisk(dir string) {
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=65536"); err != nil {
		fmt.Println("skip:", err)
		return
	}
	writeTooMuch(dir, 40_000)
}

// writeTooMuch writes twice what fits, in each of the three ways, and prints the errors
// and what is left.
func writeTooMuch(dir string, fits int) {
	path := filepath.Join(dir, "file")
	report := func(what string, err error) {
		full := errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EFBIG)
		named := err != nil && strings.HasPrefix(err.Error(), dir)
		fmt.Println(what, err == nil, full && named)
	}
	report("small", WriteFile(path, []byte("old")))
	report("file", WriteFile(path, make([]byte, 2*fits)))
	report("output", Output(path, make([]byte, 2*fits)))
	data, err := os.ReadFile(path)
	fmt.Printf("%s %v\n", data, err)

	report("folder", Dir(filepath.Join(dir, "step"), func(temporary string) error {
		return WriteFile(filepath.Join(temporary, "weights"), make([]byte, 2*fits))
	}))

	path = filepath.Join(dir, "log")
	log, err := OpenLog(path, origin)
	report("open", err)
	long := row{Note: strings.Repeat("x", fits)}
	report("row", log.Append(long))
	report("row", log.Append(long))
	report("row", log.Append(row{Step: 2}))
	read, err := ReadLog(path, origin)
	fmt.Println(len(read.Rows), read.Damage == "", err)
	entries, err := os.ReadDir(dir)
	fmt.Println(len(entries), err)
}

// On a full disk each write is an error that names the path and leaves the old state
// without a temporary, and a log goes on after the row that did not fit.
func TestFullDisk(t *testing.T) {
	const want = `small true false
file false true
output false true
old <nil>
folder false true
open true false
row true false
row false true
row true false
2 true <nil>
2 <nil>
`
	for _, role := range []string{"limit", "full"} {
		t.Run(role, func(t *testing.T) {
			command := again(t, role, t.TempDir())
			if role == "full" {
				command.SysProcAttr = &syscall.SysProcAttr{
					Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
					UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
					GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
				}
			}
			output, err := command.CombinedOutput()
			switch {
			case errors.Is(err, fs.ErrPermission) || bytes.HasPrefix(output, []byte("skip:")):
				needs.Machine(t, "a full disk", fmt.Errorf("%w %s", err, output))
			case err != nil || string(output) != want:
				t.Errorf("%v\n%swant\n%s", err, output, want)
			}
		})
	}
}

// The device that is always full gives the error as a user sees it.
func TestLogOnFullDevice(t *testing.T) {
	log, err := OpenLog("/dev/full", origin)
	if err != nil {
		needs.Machine(t, "/dev/full", err)
	}
	err = log.Append(row{Step: 1})
	if !errors.Is(err, unix.ENOSPC) || err.Error() != "/dev/full: no space left on device" {
		t.Errorf("error %v", err)
	}
	if err := log.Close(); err != nil {
		t.Error(err)
	}
}
