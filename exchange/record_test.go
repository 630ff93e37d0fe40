package exchange_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"foretell/exchange"
	"foretell/internal/needs"
	"foretell/run"
	"foretell/run/runtest"
)

// trained returns the source of a run, and its evaluations.
func trained(t *testing.T) (exchange.Source, []run.Row) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "first")
	runtest.Train(t, dir)
	rows, err := run.Metrics(dir)
	if err != nil {
		t.Fatal(err)
	}
	return exchange.Source{Name: dir, Run: dir}, rows
}

// A reader of its own, which computes checksums bit by bit, finds every number in the
// event file, and the time of the run's session.
func TestTensorBoard(t *testing.T) {
	source, rows := trained(t)
	interpreter := needs.Python(t)
	out := filepath.Join(t.TempDir(), "logs")
	if err := exchange.Export(t.Context(), "tensorboard", source, out); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command(interpreter, "testdata/events.py", out).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var events []struct {
		Step    int                `json:"step"`
		Wall    float64            `json:"wall"`
		Scalars map[string]float64 `json:"scalars"`
	}
	if err := json.Unmarshal(text, &events); err != nil {
		t.Fatal(err)
	}
	sessions, err := run.Sessions(source.Run)
	if err != nil || len(events) != len(rows) {
		t.Fatalf("%d events for %d rows, %v", len(events), len(rows), err)
	}
	for i, e := range events {
		for name, want := range map[string]float64{
			"loss/eval": rows[i].LossEval, "kl": rows[i].KL, "kl/position/2": rows[i].KLByPosition[1], "watch/norm of W_U": 2,
		} {
			if got := e.Scalars[name]; got != float64(float32(want)) {
				t.Errorf("step %d: %s is %v, want %v", e.Step, name, got, want)
			}
		}
		if e.Step != rows[i].Step || e.Wall != float64(sessions[0].Started.Unix()) {
			t.Errorf("event %d has step %d and time %v", i, e.Step, e.Wall)
		}
	}
}

// The script for Weights & Biases logs every row through the interface that its
// documentation describes; a module of that name records the calls.
func TestWandB(t *testing.T) {
	source, rows := trained(t)
	interpreter, out := needs.Python(t), filepath.Join(t.TempDir(), "out")
	if err := exchange.Export(t.Context(), "wandb", source, out); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(interpreter, filepath.Join(out, "log.py"), "lab")
	modules, err := filepath.Abs("testdata/wandb")
	if err != nil {
		t.Fatal(err)
	}
	command.Env = append(os.Environ(), "PYTHONPATH="+modules, "PYTHONDONTWRITEBYTECODE=1")
	text, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var calls struct {
		Project, Name string
		Config        map[string]any
		Rows          []struct {
			Step int
			Row  map[string]float64
		}
	}
	if err := json.Unmarshal(text, &calls); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if calls.Project != "lab" || calls.Name != "first" || calls.Config["train.lr"] != 0.01 || len(calls.Rows) != len(rows) {
		t.Errorf("%+v", calls)
	}
	for i, row := range calls.Rows {
		if row.Step != rows[i].Step || row.Row["loss/eval"] != rows[i].LossEval {
			t.Errorf("row %d: %+v", i, row)
		}
	}
}

// mlflowServer records what is sent to it, in the forms of MLflow's REST interface, and
// refuses the request number `fails`.
type mlflowServer struct {
	t       *testing.T
	fails   int
	calls   []string
	params  map[string]string
	metrics map[string]float64 // by name, of the last step
	status  string
}

func (s *mlflowServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/api/2.0/mlflow/")
	s.calls = append(s.calls, r.Method+" "+path)
	answer := func(status int, text string) {
		w.WriteHeader(status)
		if _, err := w.Write([]byte(text)); err != nil {
			s.t.Error(err)
		}
	}
	if len(s.calls) == s.fails {
		answer(500, `{"error_code": "INTERNAL_ERROR", "message": "the disk\nis full"}`)
		return
	}
	var body struct {
		RunID   string `json:"run_id"`
		Status  string
		Params  []struct{ Key, Value string }
		Metrics []struct {
			Key             string
			Value           float64
			Step, Timestamp int64
		}
	}
	if r.Method == "POST" {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			s.t.Error(err)
		}
	}
	switch path {
	case "experiments/get-by-name":
		answer(404, `{"error_code": "RESOURCE_DOES_NOT_EXIST", "message": "no"}`)
	case "experiments/create":
		answer(200, `{"experiment_id": "3"}`)
	case "runs/create":
		answer(200, `{"run": {"info": {"run_id": "abc"}}}`)
	case "runs/log-batch", "runs/update":
		if body.RunID != "abc" {
			s.t.Errorf("%s of run %q", path, body.RunID)
		}
		for _, p := range body.Params {
			s.params[p.Key] = p.Value
		}
		for _, m := range body.Metrics {
			s.metrics[m.Key] = m.Value
		}
		s.status = body.Status
		answer(200, "{}")
	default:
		answer(404, "{}")
	}
}

func newMLflowServer(t *testing.T, fails int) *mlflowServer {
	s := &mlflowServer{t: t, fails: fails, params: map[string]string{}, metrics: map[string]float64{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Setenv("MLFLOW_TRACKING_URI", server.URL+"/")
	t.Setenv("MLFLOW_EXPERIMENT_NAME", "my lab")
	return s
}

// A server of MLflow gets the settings as parameters, all evaluations, and the end of the
// run. If it refuses a request, the run there is marked as failed, and the error says so.
func TestMLflow(t *testing.T) {
	source, rows := trained(t)
	s := newMLflowServer(t, 0)
	if err := exchange.Export(t.Context(), "mlflow", source, ""); err != nil {
		t.Fatal(err)
	}
	const want = "GET experiments/get-by-name, POST experiments/create, POST runs/create, POST runs/log-batch, " +
		"POST runs/log-batch, POST runs/update"
	if got := strings.Join(s.calls, ", "); got != want || s.status != "FINISHED" {
		t.Errorf("calls %s, status %s", got, s.status)
	}
	last := rows[len(rows)-1]
	if s.params["model.d_model"] != "4" || s.metrics["loss/eval"] != last.LossEval || s.metrics["watch/norm of W_U"] != 2 {
		t.Errorf("parameters %v, metrics %v", s.params, s.metrics)
	}
	s = newMLflowServer(t, 5)
	err := exchange.Export(t.Context(), "mlflow", source, "")
	if err == nil || !strings.Contains(err.Error(), "500 Internal Server Error INTERNAL_ERROR the disk is full; "+
		"the run abc there is incomplete, and marked as failed") || s.status != "FAILED" {
		t.Errorf("a refusal: %v, status %s", err, s.status)
	}
	for address, want := range map[string]string{
		"":          "MLFLOW_TRACKING_URI is not set; set it to the address of the server",
		"./mlruns":  `MLFLOW_TRACKING_URI: "./mlruns" is not the address of a server`,
		"ftp://x/y": "is not the address of a server",
	} {
		t.Setenv("MLFLOW_TRACKING_URI", address)
		if err := exchange.Export(t.Context(), "mlflow", source, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", address, err, want)
		}
	}
}
