package lab

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"foretell/run"
	"foretell/train"
)

// impatientServer starts a server on the loopback interface that drops a slow reader
// after a moment, with a run that has many evaluations. Answered gets the path of each
// request when its handler returns.
func impatientServer(t *testing.T, rows int) (address string, c *http.Cookie, answered chan string) {
	t.Helper()
	runs := t.TempDir()
	if err := os.Mkdir(filepath.Join(runs, "long"), 0o777); err != nil {
		t.Fatal(err)
	}
	e, err := New(Folders{runs, t.TempDir()}, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := NewServer(e, testToken, HostsOf(listener.Addr()))
	s.slowest = 50 * time.Millisecond
	long := &watcher{users: 1, changed: make(chan struct{}), progress: Progress{State: Complete, Step: rows - 1}}
	for step := range rows {
		long.rows = append(long.rows, run.Row{Evaluation: train.Evaluation{Step: step}})
	}
	e.watches.all["long"] = long
	h := s.Handler()
	c = cookie(t, h, listener.Addr().String())
	answered = make(chan string, 10)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { answered <- r.URL.Path }()
		h.ServeHTTP(w, r)
	}))
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	return listener.Addr().String(), c, answered
}

// stall sends a request and reads nothing of its answer.
func stall(t *testing.T, address string, r *http.Request) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := r.Write(conn); err != nil {
		t.Fatal(err)
	}
	return conn
}

// A reader that takes nothing is dropped, while another gets every row. When it comes
// back with the id of the last event that it has read, it gets the rows after it.
func TestStalledReaderIsDropped(t *testing.T) {
	const rows = 50_000 // ten megabytes, more than the system buffers
	address, c, answered := impatientServer(t, rows)
	follow := func(after string) *http.Request {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "http://"+address+"/events?run=long", nil)
		r.RequestURI = ""
		r.AddCookie(c)
		if after != "" {
			r.Header.Set("Last-Event-ID", after)
		}
		return r
	}
	stalled := stall(t, address, follow(""))
	read := func(after string) []int {
		response, err := http.DefaultClient.Do(follow(after))
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		return events(t, response, func([]int, Progress) bool { return true })
	}
	if steps := read(""); len(steps) != rows {
		t.Errorf("a reader beside one that stalls got %d rows of %d", len(steps), rows)
	}
	<-answered // the test's own time bounds the wait
	<-answered
	var last string
	got := 0
	for lines := bufio.NewScanner(stalled); lines.Scan(); {
		if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			last, got = id, got+1
		}
	}
	if got == 0 || got == rows {
		t.Fatalf("the reader that stalled has got %d rows of %d", got, rows)
	}
	steps := read(last)
	if want := rows - got; len(steps) != want || fmt.Sprint(steps[0]-1) != last || steps[len(steps)-1] != rows-1 {
		t.Errorf("after step %s it got %d rows, want %d", last, len(steps), want)
	}
}

// A reader that takes nothing of an answer is dropped, too.
func TestStalledAnswerIsDropped(t *testing.T) {
	s := &Server{slowest: 50 * time.Millisecond}
	failed := make(chan error)
	server := httptest.NewServer(s.dropSlow(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, err := w.Write(make([]byte, 64<<20)) // more than the system buffers
		failed <- err
	})))
	defer server.Close()
	stall(t, server.Listener.Addr().String(), httptest.NewRequest("GET", server.URL, nil))
	if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the answer ends with %v", err)
	}
}
