package lab

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"foretell/run"
	"foretell/train"
)

// small is a configuration that trains in a moment.
const small = "process: {name: mess3}\nmodel: {d_model: 8, n_layers: 1, n_heads: 1, n_ctx: 4}\n" +
	"train: {seed: 1, batch_size: 16, num_steps: 40, lr: 1e-2, evaluate_every: 5, checkpoint_every: 5, checkpoints: all}\n"

// served is a server that listens on the loopback interface.
type served struct {
	address string
	cookie  *http.Cookie
	runs    string
}

// serve starts a server for an empty folder of runs. It ends with the test.
func serve(t *testing.T) served {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	runs := t.TempDir()
	e, err := New(Folders{runs, t.TempDir()}, "")
	if err != nil {
		t.Fatal(err)
	}
	hosts := HostsOf(l.Addr())
	server := NewServer(e, testToken, hosts)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return served{"http://" + hosts[0], cookie(t, server.Handler(), hosts[0]), runs}
}

// follow opens a stream of events after a step.
func (s served) follow(t *testing.T, name, after string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.address+"/events?run="+name, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.AddCookie(s.cookie)
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != http.StatusOK {
		t.Fatalf("the stream answers %s", response.Status)
	}
	return response
}

// events reads a stream until enough says that it has seen enough, and returns the steps
// of the rows.
func events(t *testing.T, response *http.Response, enough func(steps []int, p Progress) bool) (steps []int) {
	t.Helper()
	var event string
	var p Progress
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case name == "event":
			event = value
		case name == "data" && event == "row":
			var row run.Row
			if err := json.Unmarshal([]byte(value), &row); err != nil {
				t.Error(err)
			}
			steps = append(steps, row.Step)
		case name == "data" && event == "progress":
			if err := json.Unmarshal([]byte(value), &p); err != nil {
				t.Error(err)
			}
			if enough(steps, p) {
				return steps
			}
		}
	}
	t.Errorf("the stream ended after the steps %v: %v", steps, lines.Err())
	return steps
}

// Many pages watch a run while it trains. Each gets every evaluation once and in order,
// also after it has lost its connection, and the run ends in the bits that it has alone.
func TestWatchedRunHasTheSameBits(t *testing.T) {
	c, err := train.Parse("small.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	alone := filepath.Join(t.TempDir(), "alone")
	if _, err := run.Ensure(t.Context(), alone, c, run.Options{}); err != nil {
		t.Fatal(err)
	}
	s := serve(t)
	watched := filepath.Join(s.runs, "watched")
	begun := make(chan struct{})
	var trains sync.WaitGroup
	trains.Go(func() {
		r, err := run.Create(t.Context(), watched, c, run.Options{})
		if err != nil {
			t.Error(err)
			close(begun)
			return
		}
		defer r.Close()
		close(begun)
		if err := r.Train(t.Context()); err != nil {
			t.Error(err)
		}
	})
	<-begun
	want := []int{0, 5, 10, 15, 20, 25, 30, 35, 40}
	complete := func(_ []int, p Progress) bool { return p.State == Complete }
	var pages sync.WaitGroup
	for range 10 {
		pages.Go(func() {
			if steps := events(t, s.follow(t, "watched", ""), complete); !slices.Equal(steps, want) {
				t.Errorf("a page got the steps %v, want %v", steps, want)
			}
		})
	}
	pages.Wait()
	trains.Wait()
	if steps := events(t, s.follow(t, "watched", "20"), complete); !slices.Equal(steps, want[5:]) {
		t.Errorf("after step 20 a page got the steps %v, want %v", steps, want[5:])
	}
	a, err := run.Fingerprint(alone)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := run.Fingerprint(watched); err != nil || a != b {
		t.Errorf("the watched run has the fingerprint %s, %v; alone it has %s", b, err, a)
	}
}

// A page that goes away leaves no goroutine and no watcher.
func TestStreamsEndWithTheirReaders(t *testing.T) {
	s := serve(t)
	if err := os.Mkdir(filepath.Join(s.runs, "empty"), 0o777); err != nil {
		t.Fatal(err)
	}
	any := func([]int, Progress) bool { return true }
	events(t, s.follow(t, "empty", ""), any) // what the first connection starts stays
	before := runtime.NumGoroutine()
	var list []*http.Response
	for range 50 {
		response := s.follow(t, "empty", "")
		events(t, response, any)
		list = append(list, response)
	}
	for _, response := range list {
		response.Body.Close()
	}
	http.DefaultClient.CloseIdleConnections()
	deadline := time.Now().Add(20 * time.Second) // the server notices at its next empty event
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	if left := runtime.NumGoroutine(); left > before {
		t.Errorf("%d goroutines before 50 streams, and %d after them", before, left)
	}
}
