package lab

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"foretell/internal/needs"
	"foretell/run"
	"foretell/train"
)

// serveRuns names, in a child process, the folder of runs of the server that it is.
const serveRuns = "FORETELL_TEST_LAB"

// The test's program is also the server of a load, so that its memory can be measured
// without the clients', and the program that trains.
func TestMain(m *testing.M) {
	var err error
	switch {
	case len(os.Args) > 1 && os.Args[1] == "train":
		err = trainChild(os.Args[2:])
	case os.Getenv(serveRuns) != "":
		err = serveChild(os.Getenv(serveRuns))
	default:
		os.Exit(m.Run())
	}
	switch {
	case errors.Is(err, context.Canceled):
		os.Exit(exitInterrupted)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// trainChild does what foretell train FILE --ensure --out DIR does.
func trainChild(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c, err := train.Load(args[0])
	if err != nil {
		return err
	}
	_, err = run.Ensure(ctx, args[len(args)-1], c, run.Options{})
	return err
}

// usage is what a server holds after a collection of garbage.
type usage struct {
	Goroutines int
	Heap       uint64 // bytes
	Streams    int
}

// serveChild serves the runs in a folder. It prints its address, then its usage for each
// line that it reads, and ends with its input.
func serveChild(runs string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	e, err := New(Folders{runs, filepath.Join(runs, "reports")}, program)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := NewServer(e, testToken, HostsOf(l.Addr()))
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		defer stop()
		fmt.Println(l.Addr())
		out := json.NewEncoder(os.Stdout)
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			debug.FreeOSMemory()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			if err := out.Encode(usage{runtime.NumGoroutine(), m.HeapAlloc, len(server.streams)}); err != nil {
				return
			}
		}
	}()
	return errors.Join(server.Serve(ctx, l), e.Close())
}

// child is a server in a process of its own.
type child struct {
	served
	pid int
	in  io.Writer
	out *json.Decoder
}

// startChild starts a server for an empty folder of runs. It ends with the test.
func startChild(t *testing.T) *child {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	runs := t.TempDir()
	cmd := exec.Command(program)
	cmd.Env, cmd.Stderr = append(os.Environ(), serveRuns+"="+runs), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	lines := bufio.NewReader(out)
	host, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	host = strings.TrimSpace(host)
	s := served{address: "http://" + host, runs: runs}
	keep := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := keep.Get(s.address + "/?token=" + testToken)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	s.cookie = response.Cookies()[0]
	return &child{s, cmd.Process.Pid, in, json.NewDecoder(lines)}
}

// usage asks the server what it holds.
func (c *child) usage(t *testing.T) (u usage) {
	t.Helper()
	if _, err := io.WriteString(c.in, "\n"); err != nil {
		t.Fatal(err)
	}
	if err := c.out.Decode(&u); err != nil {
		t.Fatal(err)
	}
	return u
}

// resident returns the memory of the server in bytes as the system counts it, or 0 where
// it does not say.
func (c *child) resident() (bytes int) {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.pid))
	_, after, _ := strings.Cut(string(data), "VmRSS:")
	_, _ = fmt.Sscan(after, &bytes)
	return bytes << 10
}

// do sends a request in JSON, and returns the status and the answer.
func (s served) do(client *http.Client, path, body string) (status int, answer []byte, err error) {
	r, err := http.NewRequest("POST", s.address+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.AddCookie(s.cookie)
	r.Header.Set("Content-Type", "application/json")
	response, err := client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

// questionsOfPages are what a client asks in turn: what a slider of the page Process and
// the page of runs ask.
var questionsOfPages = []struct{ path, body string }{
	{"/ask/process", `{"process":"mess3","params":{"x":"0.05","a":"0.85"}}`},
	{"/ask/floor", `{"process":"mess3","positions":8}`},
	{"/ask/beliefs", `{"process":"mess3","tokens":"0,1,1,2,0"}`},
	{"/points", `{"process":"mess3","most":3000}`},
	{"/ask/processes", `{}`},
	{"/ask/runs", `{}`},
}

// burden is the load on a server.
type burden struct {
	clients, streams int
	config           string        // of the training beside it
	lasts            time.Duration // 0: until the training is complete and each client has asked everything once
	between          time.Duration // from one question of a client to its next
	reconnect        int           // rows after which a stream closes its connection and opens it again
}

// bear puts the load on a server, and returns the times of all answers. Each stream has
// to get each evaluation once and in order.
func (c *child) bear(t *testing.T, b burden) (times []time.Duration) {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: b.clients + b.streams}
	client := &http.Client{Transport: transport}
	defer transport.CloseIdleConnections()
	name := c.begin(t, client, b.config)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	if b.lasts > 0 {
		ctx, end = context.WithTimeout(ctx, b.lasts)
		defer end()
	}
	var mu sync.Mutex
	var asking, following sync.WaitGroup
	for i := range b.clients {
		asking.Go(func() {
			taken := c.asks(ctx, t, client, i, b)
			mu.Lock()
			defer mu.Unlock()
			times = append(times, taken...)
		})
	}
	got := make([][]int, b.streams)
	for i := range b.streams {
		following.Go(func() { got[i] = c.follows(t, client, name, b.reconnect+i%b.reconnect) })
	}
	asking.Wait()
	if b.lasts > 0 {
		if status, answer, err := c.do(client, "/do/pause", `{"run":"`+name+`"}`); err != nil || status != http.StatusOK {
			t.Fatalf("pause answers %d, %v: %s", status, err, answer)
		}
	}
	following.Wait()
	rows, err := run.Metrics(filepath.Join(c.runs, name))
	if err != nil {
		t.Fatal(err)
	}
	var want []int
	for _, row := range rows {
		want = append(want, row.Step)
	}
	for i, steps := range got {
		if !slices.Equal(steps, want) {
			t.Errorf("stream %d got %d evaluations, %v, want %d", i, len(steps), steps, len(want))
		}
	}
	t.Logf("%d evaluations on each of %d streams", len(want), b.streams)
	return times
}

// asks asks the questions of one client, and returns the times of the answers.
func (c *child) asks(ctx context.Context, t *testing.T, client *http.Client, offset int, b burden) (times []time.Duration) {
	var pause <-chan time.Time
	if b.between > 0 {
		first := time.NewTimer(b.between * time.Duration(offset) / time.Duration(b.clients))
		select {
		case <-first.C:
		case <-ctx.Done():
		}
		tick := time.NewTicker(b.between)
		defer tick.Stop()
		pause = tick.C
	}
	for i := 0; ctx.Err() == nil && (b.lasts > 0 || i < len(questionsOfPages)); i++ {
		q := questionsOfPages[(i+offset)%len(questionsOfPages)]
		begun := time.Now()
		status, answer, err := c.do(client, q.path, q.body)
		if err != nil || status != http.StatusOK {
			t.Errorf("%s %s: %d, %v: %.200s", q.path, q.body, status, err, answer)
			return times
		}
		times = append(times, time.Since(begun))
		if pause == nil {
			continue
		}
		select {
		case <-pause:
		case <-ctx.Done():
		}
	}
	return times
}

// follows follows a run until it does not train any more. It connects again after every
// so many rows, and returns the steps of all rows.
func (c *child) follows(t *testing.T, client *http.Client, name string, every int) (steps []int) {
	for {
		r, err := http.NewRequestWithContext(t.Context(), "GET", c.address+"/events?run="+name, nil)
		if err != nil {
			t.Error(err)
			return steps
		}
		r.AddCookie(c.cookie)
		if len(steps) > 0 {
			r.Header.Set("Last-Event-ID", fmt.Sprint(steps[len(steps)-1]))
		}
		response, err := client.Do(r)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("a stream answers %v, %v", response, err)
			return steps
		}
		more, ended, err := readStream(response.Body, every)
		response.Body.Close()
		steps = append(steps, more...)
		if ended || err != nil {
			if err != nil {
				t.Errorf("a stream ended: %v", err)
			}
			return steps
		}
	}
}

// readStream reads rows until there are so many, or until the run does not train.
func readStream(body io.Reader, most int) (steps []int, ended bool, err error) {
	events := bufio.NewReader(body)
	var event string
	for len(steps) < most {
		line, err := events.ReadBytes('\n')
		if err != nil {
			return steps, false, err
		}
		name, value, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(": "))
		var at struct {
			Step  int
			State State
		}
		switch {
		case string(name) == "event":
			event = string(value)
			continue
		case string(name) != "data":
			continue
		}
		if err := json.Unmarshal(value, &at); err != nil {
			return steps, false, err
		}
		switch event {
		case "row":
			steps = append(steps, at.Step)
		case "progress":
			if at.State != Running {
				return steps, true, nil
			}
		}
	}
	return steps, false, nil
}

// idle waits until a server has no stream and no more goroutines than before, and returns
// what it holds then.
func (c *child) idle(t *testing.T, before usage) (u usage) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		u = c.usage(t)
		switch {
		case u.Streams == 0 && u.Goroutines <= before.Goroutines:
			return u
		case time.Now().After(deadline):
			t.Errorf("the server holds %+v, and before the load %+v", u, before)
			return u
		}
	}
}

// mostGrowth is how much larger a load may leave a server's heap, in bytes.
const mostGrowth = 20 << 20

// Clients ask and streams follow a run that trains: no evaluation is lost, also after
// reconnections, and the server holds as much after as before.
func TestLoad(t *testing.T) {
	c := startChild(t)
	warm := burden{clients: 1, streams: 1, config: small, reconnect: 100}
	c.bear(t, warm)
	before := c.usage(t)
	config := strings.Replace(small, "seed: 1", "seed: 2", 1)
	c.bear(t, burden{clients: 10, streams: 30, config: config, reconnect: 2})
	after := c.idle(t, before)
	if after.Heap > before.Heap+mostGrowth {
		t.Errorf("the heap has grown from %d to %d bytes", before.Heap, after.Heap)
	}
}

// The load that a laboratory for a lecture has to bear: 100 clients that ask a question a
// second, and 300 streams, beside a run that trains.
func TestLoadOfALecture(t *testing.T) {
	needs.Soak(t, "loads a server for a minute")
	c := startChild(t)
	c.bear(t, burden{clients: 1, streams: 1, config: small, reconnect: 100})
	before, resident := c.usage(t), c.resident()
	config := "process: {name: mess3}\nmodel: {d_model: 64, n_layers: 1, n_heads: 1, d_mlp: 256, n_ctx: 10}\n" +
		"train: {seed: 1, batch_size: 128, num_steps: 1000000, lr: 1e-3, evaluate_every: 50, checkpoint_every: 500}\n"
	largest := make(chan int)
	ctx, end := context.WithCancel(t.Context())
	go func() {
		most := 0
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				most = max(most, c.resident())
			case <-ctx.Done():
				largest <- most
				return
			}
		}
	}()
	times := c.bear(t, burden{clients: 100, streams: 300, config: config, lasts: time.Minute, between: time.Second, reconnect: 5})
	end()
	most := <-largest
	slices.Sort(times)
	at := func(share float64) time.Duration {
		return times[int(share*float64(len(times)-1))].Round(time.Millisecond / 10)
	}
	t.Logf("%d answers: median %v, 90%% %v, 99%% %v, slowest %v", len(times), at(0.5), at(0.9), at(0.99), at(1))
	after := c.idle(t, before)
	const mb = 1e6
	t.Logf("heap %.1f MB before, %.1f after; resident %.1f MB before, at most %.1f, %.1f after",
		float64(before.Heap)/mb, float64(after.Heap)/mb, float64(resident)/mb, float64(most)/mb, float64(c.resident())/mb)
	if after.Heap > before.Heap+mostGrowth {
		t.Errorf("the heap has grown from %d to %d bytes", before.Heap, after.Heap)
	}
}

// watchedConfig is what the page Train trains without a move of its sliders, and as often
// looked at, with a third of the steps.
const watchedConfig = "process: {name: mess3}\n" +
	"model: {d_model: 64, n_layers: 1, n_heads: 1, d_mlp: 256, n_ctx: 10, normalization_type: LN, initializer_range: 0.02}\n" +
	"train: {seed: 1, batch_size: 128, num_steps: 1000, lr: 0.001, lr_schedule: cosine, evaluate_every: 50, " +
	"checkpoint_every: 50, checkpoints: all}\n"

// Three pages watch a run, which takes hardly longer than alone and has the same bits.
func TestWatchedRunIsAsFast(t *testing.T) {
	needs.Soak(t, "trains a model again and again, with pages that watch and without")
	c := startChild(t)
	config := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(config, []byte(watchedConfig), 0o666); err != nil {
		t.Fatal(err)
	}
	alone := filepath.Join(t.TempDir(), "alone")
	var ratios [3][]float64
	for range rounds {
		begun := time.Now()
		cmd := exec.Command(os.Args[0], "train", config, "--ensure", "--out", alone)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		wall, training := time.Since(begun), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
		serverBefore, trainingBefore := c.processor()
		begun = time.Now()
		name := c.begin(t, http.DefaultClient, watchedConfig)
		var pages sync.WaitGroup
		for range 3 {
			pages.Go(func() { c.watches(t, name) })
		}
		pages.Wait()
		watched := time.Since(begun)
		server, watchedTraining := c.processor()
		server, watchedTraining = server-serverBefore, watchedTraining-trainingBefore
		t.Logf("alone %v, %v of a processor; watched %v, %v, and the server %v", wall.Round(time.Millisecond), training,
			watched.Round(time.Millisecond), watchedTraining, server)
		for i, ratio := range []float64{
			watched.Seconds() / wall.Seconds(), watchedTraining.Seconds() / training.Seconds(), server.Seconds() / training.Seconds(),
		} {
			ratios[i] = append(ratios[i], ratio)
		}
		dir := filepath.Join(c.runs, name)
		a, err := run.Fingerprint(alone)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := run.Fingerprint(dir); err != nil || a != b {
			t.Fatalf("the fingerprint is %s watched and %s alone, %v", b, a, err)
		}
		for _, used := range []string{alone, dir} {
			if err := os.RemoveAll(used); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, what := range []string{
		"time, watched divided by alone", "processor time of the training, watched divided by alone",
		"processor time of the server, divided by that of the training",
	} {
		slices.Sort(ratios[i])
		t.Logf("%s: median %.3f of %.3f", what, ratios[i][rounds/2], ratios[i])
	}
}

const rounds = 5

// processor returns the processor time of a server, and that of its processes that have
// ended, or 0 where the system does not say.
func (c *child) processor() (own, children time.Duration) {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.pid))
	_, fields, _ := strings.Cut(string(data), ") ")
	var ticks [15]int // from the third field on, after the state; see proc_pid_stat(5)
	var state string
	to := []any{&state}
	for i := range ticks {
		to = append(to, &ticks[i])
	}
	_, _ = fmt.Sscan(fields, to...)
	const tick = 10 * time.Millisecond
	return time.Duration(ticks[10]+ticks[11]) * tick, time.Duration(ticks[12]+ticks[13]) * tick
}

// begin begins to train a configuration, and returns the run's name.
func (c *child) begin(t *testing.T, client *http.Client, config string) string {
	t.Helper()
	body, err := json.Marshal(Training{YAML: config})
	if err != nil {
		t.Fatal(err)
	}
	status, answer, err := c.do(client, "/do/train", string(body))
	var started Started
	if err == nil {
		err = json.Unmarshal(answer, &started)
	}
	if err != nil || status != http.StatusOK {
		t.Fatalf("train answers %d, %v: %s", status, err, answer)
	}
	return started.Run
}

// watches does what the page Train does while a run trains: it follows the run, and asks
// for the cloud of its newest weights, one at a time.
func (c *child) watches(t *testing.T, name string) {
	r, err := http.NewRequestWithContext(t.Context(), "GET", c.address+"/events?run="+name, nil)
	if err != nil {
		t.Error(err)
		return
	}
	r.AddCookie(c.cookie)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return
	}
	defer response.Body.Close()
	newest := make(chan int, 1)
	var looking sync.WaitGroup
	looking.Go(func() {
		for step := range newest {
			body := fmt.Sprintf(`{"model":"%s@%d","most":3500}`, name, step)
			if status, answer, err := c.do(http.DefaultClient, "/points", body); err != nil || status != http.StatusOK {
				t.Errorf("points answers %d, %v: %.200s", status, err, answer)
			}
		}
	})
	defer looking.Wait()
	defer close(newest)
	last := -1
	events(t, response, func(_ []int, p Progress) bool {
		if n := len(p.Kept); n > 0 && p.Kept[n-1] != last {
			last = p.Kept[n-1]
			select {
			case <-newest: // a look that would come too late
			default:
			}
			newest <- last
		}
		return p.State == Complete
	})
}
