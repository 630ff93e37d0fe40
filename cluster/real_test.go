//go:build linux

package cluster_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"foretell/claim"
	"foretell/cluster"
	"foretell/internal/needs"
	"foretell/report"
	"foretell/run"
	"foretell/sweep"
)

// real is a Slurm of two nodes with one processor each, on this machine.
type real struct {
	t   *testing.T
	dir string
}

// startSlurm starts a Slurm that ends with the test.
func startSlurm(t *testing.T, arraySize int) *real {
	t.Helper()
	needs.Time(t, "trains a study on Slurm")
	for program, debian := range map[string]string{
		"munged": "munge", "slurmctld": "slurmctld", "slurmd": "slurmd", "sbatch": "slurm-client",
	} {
		needs.Program(t, program, debian)
	}
	s := &real{t, t.TempDir()}
	if err := os.Chmod(filepath.Dir(s.dir), 0o711); err != nil { // munge wants all to reach its socket
		t.Fatal(err)
	}
	t.Setenv("SLURM_CONF", s.dir+"/slurm.conf")
	t.Setenv("SLURM_TEST_PORT", strconv.Itoa(freePorts(t, 3)))
	t.Setenv("MAX_ARRAY_SIZE", strconv.Itoa(arraySize))
	t.Cleanup(func() {
		_ = exec.Command("scancel", "--me").Run()
		for _, pid := range s.processes("") {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		_ = exec.Command("testdata/stop.sh", s.dir).Run()
	})
	s.command("testdata/start.sh", s.dir)
	return s
}

// freePorts returns the first of n successive ports on which nobody listens. Another test
// may look at the same time, so it begins at a port that depends on the process.
func freePorts(t *testing.T, n int) int {
	t.Helper()
	for first := 20000 + os.Getpid()%1000*10; first < 32000; first += n {
		free := 0
		for free < n {
			l, err := net.Listen("tcp", fmt.Sprintf(":%d", first+free))
			if err != nil {
				break
			}
			_ = l.Close()
			free++
		}
		if free == n {
			return first
		}
	}
	t.Fatal("no ports are free")
	return 0
}

// command runs a command and returns what it prints on stdout.
func (s *real) command(name string, args ...string) string {
	s.t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(s.t.Context(), name, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		s.t.Fatalf("%s %q: %v\n%s%s", name, args, err, out.String(), errs.String())
	}
	return strings.TrimSpace(out.String())
}

// until waits until a condition holds. The test's own deadline ends the wait.
func (s *real) until(what string, holds func() bool) {
	s.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for begin := time.Now(); !holds(); {
		select {
		case <-tick.C:
			if time.Since(begin) > 5*time.Minute {
				s.t.Fatalf("waited in vain: %s\n%s", what, s.command("squeue", "--array"))
			}
		case <-s.t.Context().Done():
			s.t.Fatalf("waited in vain: %s", what)
		}
	}
}

// daemon returns the process of a daemon: slurmctld, or slurmd.n1.
func (s *real) daemon(name string) int {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, "run", name+".pid"))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid == 0 {
		s.t.Fatalf("%s has no process: %v", name, err)
	}
	return pid
}

// processes returns the processes of tasks on a node, after the processes that watch over
// them; "" means all nodes. Killed in this order, no watcher can still say that its task
// has failed.
func (s *real) processes(node string) []int {
	var watchers, tasks []int
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		environ, _ := os.ReadFile(folder + "/environ")
		words := bytes.Split(environ, []byte{0})
		var ours, there bool
		for _, word := range words {
			ours = ours || string(word) == "SLURM_CONF="+s.dir+"/slurm.conf"
			there = there || bytes.HasPrefix(word, []byte("SLURMD_NODENAME="+node))
		}
		if !ours || !there {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(folder))
		tasks = append(tasks, pid)
		status, _ := os.ReadFile(folder + "/status")
		for line := range strings.Lines(string(status)) {
			if parent, is := strings.CutPrefix(line, "PPid:"); is {
				ppid, _ := strconv.Atoi(strings.TrimSpace(parent))
				if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", ppid)); strings.HasPrefix(string(name), "slurmstepd") {
					watchers = append(watchers, ppid)
				}
			}
		}
	}
	return append(watchers, tasks...)
}

// kill kills processes, as a node that loses its power does.
func (s *real) kill(pids ...int) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// on reports whether a task runs on a node.
func (s *real) on(node string) bool {
	return strings.Contains(s.command("squeue", "--noheader", "--states=RUNNING", "--format=%N"), node)
}

// lose kills the daemon of a node on which a task runs and, unless they are to live on as
// zombies, the node's tasks. It waits until Slurm has noticed, and starts the node again.
func (s *real) lose(node string, zombies bool) {
	s.t.Helper()
	s.until("a task on "+node, func() bool { return len(s.processes(node)) > 0 })
	tasks := s.processes(node)
	s.kill(s.daemon("slurmd." + node))
	if !zombies {
		s.kill(tasks...)
	}
	s.until(node+" is down", func() bool {
		return strings.Contains(s.command("sinfo", "--noheader", "--Node", "--partition=lab", "--format=%N %T"), node+" down")
	})
	s.command("slurmd", "-N", node, "-f", s.dir+"/slurm.conf")
}

// program builds the program.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "foretell")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, "foretell/cmd/foretell")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

const config = `process: {name: mess3, params: {x: 0.15, a: 0.6}}
model:   {d_model: 16, n_layers: 1, n_heads: 1, d_mlp: 64, n_ctx: 10, normalization_type: LN}
train:   {seed: 1, batch_size: 128, num_steps: 3000, lr: 0.001}
`

// fingerprints returns the fingerprints of a study's complete runs.
func fingerprints(t *testing.T, dir string) map[string]string {
	t.Helper()
	study, err := sweep.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, planned := range study.Runs {
		if hash, err := run.Fingerprint(study.Run(planned)); err == nil {
			found[planned.ID] = hash
		}
	}
	return found
}

// Two nodes train 40 runs. Two nodes lose their power, the controller is killed, a node
// fails while its task lives on, a task is preempted, tasks reach their time limit. No
// run is lost or doubled, and each has the bits of the study on one machine.
func TestRealSlurm(t *testing.T) {
	s := startSlurm(t, 1001)
	foretell := program(t)
	study := filepath.Join(t.TempDir(), "study.yaml")
	if err := os.WriteFile(study, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	sets := []string{"sweep", study, "--set", "train.lr=1e-4,2e-4,3e-4,4e-4,5e-4,6e-4,7e-4,8e-4,9e-4,1e-3", "--seeds", "4", "--out"}
	begin := time.Now()
	alone := filepath.Join(t.TempDir(), "alone")
	s.command(foretell, append(sets, alone)...)

	t.Logf("%v on one machine", time.Since(begin).Round(time.Second))
	begin = time.Now()
	there := filepath.Join(t.TempDir(), "a study")
	onSlurm := append(append([]string{}, sets...), there, "--engine", "slurm", "--per-task", "4", "--time", "1")
	if said := s.command(foretell, onSlurm...); !strings.HasPrefix(said, "submitted 10 tasks of ") {
		t.Errorf("submitted: %s", said)
	}
	if said := s.command(foretell, "sweep", "status", there); !strings.Contains(said, "\nSlurm: 10 tasks, ") {
		t.Errorf("status: %s", said)
	}
	if said := s.command(foretell, onSlurm...); said != "10 tasks in the queue already" {
		t.Errorf("submitted again: %s", said)
	}
	s.lose("n2", false)
	s.until("a task runs", func() bool { return s.on("n") })
	s.kill(s.daemon("slurmctld"))
	s.command("slurmctld", "-f", s.dir+"/slurm.conf")
	s.lose("n1", false)
	s.lose("n2", true)
	s.until("tasks on both nodes", func() bool { return s.on("n1") && s.on("n2") || s.on("n[1-2]") })
	s.command("sbatch", "--partition=high", "--nodes=2", "--exclusive", "--time=1", "--output=/dev/null", "--wrap=sleep 1")
	s.until("the queue is empty", func() bool {
		queue := s.command("squeue", "--noheader", "--me", "--format=%r")
		if strings.Contains(queue, "launch failed") { // a node was lost while a task began
			s.command(foretell, onSlurm...)
		}
		return queue == ""
	})
	t.Logf("%v after the submission", time.Since(begin).Round(time.Second))

	want, got := fingerprints(t, alone), fingerprints(t, there)
	if len(want) != 40 || !maps.Equal(got, want) {
		outputs, _ := filepath.Glob(there + "/cluster/*.txt")
		for _, path := range outputs {
			text, _ := os.ReadFile(path)
			t.Logf("%s:\n%s", filepath.Base(path), text)
		}
		t.Errorf("%d of 40 runs are complete", len(got))
	}
	if said := s.command(foretell, onSlurm...); !strings.HasPrefix(said, "all runs of ") {
		t.Errorf("submitted when complete: %s", said)
	}
	said := s.command("sh", "-c", "cat '"+there+"'/cluster/*.txt "+s.dir+"/log/jobcomp.txt "+s.dir+"/log/slurmctld.log")
	for _, want := range []string{"JobState=NODE_FAIL", "requeued to reclaim", "queued again because of its time limit"} {
		if !strings.Contains(said, want) {
			t.Errorf("nothing says %q:\n%s", want, said)
		}
	}
}

// Slurm accepts the arrays of a study with more tasks than its MaxArraySize, and
// `foretell sweep cancel` removes them.
func TestRealArraySize(t *testing.T) {
	s := startSlurm(t, 5)
	foretell := program(t)
	study := filepath.Join(t.TempDir(), "study.yaml")
	if err := os.WriteFile(study, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "study")
	submit := []string{"sweep", study, "--seeds", "12", "--out", dir, "--engine", "slurm"}
	if said := s.command(foretell, submit...); !strings.HasPrefix(said, "submitted 12 tasks of ") {
		t.Errorf("submitted: %s", said)
	}
	if said := s.command(foretell, "sweep", "cancel", dir); said != "removed 12 tasks from the queue" {
		t.Errorf("cancelled: %s", said)
	}
	s.until("the queue is empty", func() bool { return s.command("squeue", "--noheader", "--me") == "" })
	refused := exec.CommandContext(t.Context(), foretell, append(submit, "--sbatch", "partition=none")...)
	out, _ := refused.CombinedOutput()
	want := "foretell: sbatch: invalid partition specified: none sbatch: error: Batch job submission failed: " +
		"Invalid partition name specified; 0 of 12 tasks submitted, and the same command submits the others\n"
	if string(out) != want {
		t.Errorf("refused: %s", out)
	}
}

// The models of a document are trained by four tasks, while a job of higher priority
// wants both nodes. The same command tests the rows, at first the rows without models.
// The report is the same as after a reproduction on this machine, and so are the runs,
// with the numbers that Go code measured during training.
func TestRealDocument(t *testing.T) {
	s := startSlurm(t, 1001)
	foretell := program(t)
	t.Chdir(t.TempDir())
	s.command(foretell, "reproduce", "abc", "--out", "alone")
	there := []string{"reproduce", "abc", "--out", "there", "--engine", "slurm", "--per-task", "30", "--time", "2", "--json"}
	first := reproduced(t, s.command(foretell, there...))
	if first.Tasks.Tasks != 4 || !slices.Equal(first.ids(), []string{"A2", "A3"}) || len(first.Waiting) != 2 ||
		first.Waiting[0].ID != "A1" || len(first.Waiting[0].Runs) != 100 || first.Waiting[1].ID != "A4" {
		t.Errorf("at first: %+v", first)
	}
	s.until("a task has begun", func() bool {
		attempts, _ := filepath.Glob("there/attempts/*/checkpoints/*")
		return len(attempts) > 0
	})
	s.command("sbatch", "--partition=high", "--nodes=2", "--exclusive", "--time=1", "--output=/dev/null", "--wrap=sleep 1")
	s.until("the queue is empty", func() bool { return s.command("squeue", "--noheader", "--me") == "" })
	last := reproduced(t, s.command(foretell, there...))
	if !slices.Equal(last.ids(), []string{"A1", "A2", "A3", "A4"}) || len(last.Waiting) > 0 || last.Tasks.Tasks > 0 {
		t.Errorf("at last: %+v", last)
	}
	if got, want := claims(t, "there"), claims(t, "alone"); len(want) != 4 || !reflect.DeepEqual(got, want) {
		t.Errorf("claims\n%v\nwant\n%v", got, want)
	}
	s.command("diff", "-r", "alone/figures", "there/figures")
	s.command("diff", "-r", "alone/data", "there/data")
	runs, err := os.ReadDir("alone/runs")
	if err != nil || len(runs) != 101 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
	for _, folder := range runs {
		want, _ := run.Fingerprint(filepath.Join("alone/runs", folder.Name()))
		if got, err := run.Fingerprint(filepath.Join("there/runs", folder.Name())); got != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", folder.Name(), got, err, want)
		}
		s.command("cmp", filepath.Join("alone/runs", folder.Name(), "metrics.jsonl"), filepath.Join("there/runs", folder.Name(), "metrics.jsonl"))
	}
}

// reproduction is what `reproduce --engine slurm --json` prints.
type reproduction struct {
	Claims  []claim.Claim
	Waiting []claim.Waiting
	Tasks   cluster.Submitted
}

func reproduced(t *testing.T, text string) (found reproduction) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return found
}

func (r reproduction) ids() (ids []string) {
	for _, c := range r.Claims {
		ids = append(ids, c.ID)
	}
	return ids
}

// claims returns the claims of the report in a folder, without what depends on when they
// were tested.
func claims(t *testing.T, dir string) []claim.Claim {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, report.JSONFile))
	if err != nil {
		t.Fatal(err)
	}
	list := reproduced(t, string(text)).Claims
	for i := range list {
		list[i].Seconds, list[i].Before = 0, nil
	}
	return list
}
