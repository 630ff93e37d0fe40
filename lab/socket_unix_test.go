//go:build unix

package lab

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// socketPath returns a path for a socket. The folder of a test may have a name that is
// too long for one.
func socketPath(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "lab-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

// Through a socket the link opens the pages under a loopback address with any port, and
// no other host does. Only the user can open the socket, and it is gone at the end.
func TestSocket(t *testing.T) {
	path := socketPath(t)
	e, err := New(Folders{t.TempDir(), t.TempDir()}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	l, err := Listen("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket is %v, %v", info.Mode(), err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- NewServer(e, testToken, HostsOf(l.Addr())).Serve(ctx, l) }()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for host, want := range map[string]int{
		"127.0.0.1:8080": 303, "localhost:1": 303, "[::1]:65535": 303,
		"localhost": 403, "localhost:": 403, "localhost:x": 403, "localhost:80:80": 403, "localhost:65536": 403, "localhost:+80": 403,
		"localhost.evil.example:80": 403, "evil.example:8080": 403, "127.0.0.1.:8080": 403, "*": 403, "localhost:*": 403,
	} {
		r, err := http.NewRequestWithContext(ctx, "GET", "http://127.0.0.1/?token="+testToken, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("the host %s answers %d, want %d", host, response.StatusCode, want)
		}
	}
	if _, err := Listen("unix:" + path); err == nil || !strings.Contains(err.Error(), "listens on "+path+" already") {
		t.Errorf("a socket in use: %v", err)
	}
	transport.CloseIdleConnections()
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
}

// A socket that a program has left is replaced, and nothing else is.
func TestSocketOfAnEndedProgram(t *testing.T) {
	path := socketPath(t)
	left, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	left.(*net.UnixListener).SetUnlinkOnClose(false)
	left.Close()
	l, err := Listen("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	for name, make := range map[string]func(string) error{
		"file":   func(path string) error { return os.WriteFile(path, []byte("text"), 0o666) },
		"folder": func(path string) error { return os.Mkdir(path, 0o777) },
		"link":   func(path string) error { return os.Symlink("nowhere", path) },
	} {
		path := filepath.Join(filepath.Dir(path), name)
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		before, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Listen("unix:" + path); err == nil || !strings.Contains(err.Error(), "is not a socket") {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := os.Lstat(path); err != nil || !os.SameFile(before, after) {
			t.Errorf("the %s is another, %v", name, err)
		}
	}
}

// An address that cannot be listened on is explained in one line.
func TestCheckAddress(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:80": "", "unix:s": "", "unix:/a b/s": "", ":80": "",
		"unix:": "names no socket", "127.0.0.1": "is not HOST:PORT", "lab.sock": "is not HOST:PORT",
		"unix:" + strings.Repeat("a", mostSocketPath+1): "at most 103 bytes, and this one has 104",
	} {
		err := CheckAddress(address)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", address, err, want)
		}
	}
}
