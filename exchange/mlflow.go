package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"foretell/internal/limit"
)

// The environment variables of MLflow that are used.
const (
	mlflowServer     = "MLFLOW_TRACKING_URI"
	mlflowExperiment = "MLFLOW_EXPERIMENT_NAME"
	mlflowToken      = "MLFLOW_TRACKING_TOKEN"
	mlflowUser       = "MLFLOW_TRACKING_USERNAME"
	mlflowPassword   = "MLFLOW_TRACKING_PASSWORD"
)

// Limits of MLflow's interface: items of one request, and bytes of a parameter's value.
const (
	mostMetrics = 1000
	mostParams  = 100
	mostParam   = 500
)

// sendMLflow creates a run on the server that MLFLOW_TRACKING_URI names, in the
// experiment MLFLOW_EXPERIMENT_NAME, and sends the settings as parameters and the
// evaluations as metrics. If a request fails, the run on the server is marked as failed.
func sendMLflow(ctx context.Context, s Source) error {
	r, err := readRecord(s.Run)
	if err != nil {
		return err
	}
	c, err := newMLflow()
	if err != nil {
		return err
	}
	experiment, err := c.experiment(ctx)
	if err != nil {
		return err
	}
	id, err := c.create(ctx, experiment, r)
	if err != nil {
		return err
	}
	failed := c.log(ctx, id, r)
	status := "FINISHED"
	if failed != nil {
		status = "FAILED"
	}
	end := r.rows[len(r.rows)-1].time.UnixMilli()
	err = c.post(context.WithoutCancel(ctx), "runs/update",
		map[string]any{"run_id": id, "status": status, "end_time": end}, nil)
	if failed != nil && err == nil {
		return fmt.Errorf("%w; the run %s there is incomplete, and marked as failed", failed, id)
	}
	return errors.Join(failed, err)
}

// mlflow is a server.
type mlflow struct {
	base   string
	client http.Client
}

// newMLflow returns the server that the environment names.
func newMLflow() (*mlflow, error) {
	address := os.Getenv(mlflowServer)
	if address == "" {
		return nil, fmt.Errorf("%s is not set; set it to the address of the server, such as http://localhost:5000",
			mlflowServer)
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%s: %.200q is not the address of a server, such as http://localhost:5000",
			mlflowServer, address)
	}
	base := strings.TrimSuffix(address, "/") + "/api/2.0/mlflow/"
	return &mlflow{base: base, client: http.Client{Timeout: time.Minute}}, nil
}

// experiment returns the id of the experiment that the environment names. It is created
// if it does not exist. Without a name it is the default experiment.
func (c *mlflow) experiment(ctx context.Context) (string, error) {
	name := os.Getenv(mlflowExperiment)
	if name == "" {
		return "0", nil
	}
	var found struct {
		Experiment struct {
			ID string `json:"experiment_id"`
		} `json:"experiment"`
	}
	err := c.do(ctx, http.MethodGet, "experiments/get-by-name?experiment_name="+url.QueryEscape(name), nil, &found)
	if err == nil {
		return found.Experiment.ID, nil
	}
	if refused := (*mlflowError)(nil); !errors.As(err, &refused) || refused.Code != "RESOURCE_DOES_NOT_EXIST" {
		return "", err
	}
	var made struct {
		ID string `json:"experiment_id"`
	}
	err = c.post(ctx, "experiments/create", map[string]any{"name": name}, &made)
	return made.ID, err
}

// create creates a run and returns its id.
func (c *mlflow) create(ctx context.Context, experiment string, r *record) (string, error) {
	var made struct {
		Run struct {
			Info struct {
				ID string `json:"run_id"`
			} `json:"info"`
		} `json:"run"`
	}
	err := c.post(ctx, "runs/create", map[string]any{
		"experiment_id": experiment, "run_name": r.name, "start_time": r.rows[0].time.UnixMilli(),
		"tags": []map[string]string{{"key": "mlflow.source.name", "value": "foretell"}},
	}, &made)
	if err == nil && made.Run.Info.ID == "" {
		err = fmt.Errorf("%s: the answer to runs/create has no run_id", c.base)
	}
	return made.Run.Info.ID, err
}

type mlflowMetric struct {
	Key       string  `json:"key"`
	Value     float64 `json:"value"`
	Timestamp int64   `json:"timestamp"` // milliseconds
	Step      int     `json:"step"`
}

type mlflowParam struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// log sends the settings and the evaluations of a run.
func (c *mlflow) log(ctx context.Context, id string, r *record) error {
	var params []mlflowParam
	for _, s := range r.settings {
		value := s.Text
		if len(value) > mostParam {
			value = strings.ToValidUTF8(value[:mostParam-3], "") + "…"
		}
		params = append(params, mlflowParam{s.Path, value})
	}
	for batch := range slices.Chunk(params, mostParams) {
		if err := c.post(ctx, "runs/log-batch", map[string]any{"run_id": id, "params": batch}, nil); err != nil {
			return err
		}
	}
	var metrics []mlflowMetric
	for _, row := range r.rows {
		for _, x := range row.scalars {
			metrics = append(metrics, mlflowMetric{x.name, x.value, row.time.UnixMilli(), row.step})
		}
	}
	for batch := range slices.Chunk(metrics, mostMetrics) {
		if err := c.post(ctx, "runs/log-batch", map[string]any{"run_id": id, "metrics": batch}, nil); err != nil {
			return err
		}
	}
	return nil
}

func (c *mlflow) post(ctx context.Context, path string, body, answer any) error {
	return c.do(ctx, http.MethodPost, path, body, answer)
}

// mlflowError is an error that the server reports.
type mlflowError struct {
	URL     string `json:"-"`
	Status  string `json:"-"`
	Code    string `json:"error_code"`
	Message string `json:"message"`
}

func (e *mlflowError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("%s: %s %s %.200s", e.URL, e.Status, e.Code,
		strings.Join(strings.Fields(e.Message), " ")))
}

// do sends a request and reads the answer, if it is not nil.
func (c *mlflow) do(ctx context.Context, method, path string, body, answer any) error {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, content)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if token := os.Getenv(mlflowToken); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	} else if user := os.Getenv(mlflowUser); user != "" {
		request.SetBasicAuth(user, os.Getenv(mlflowPassword))
	}
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	const most = 1 << 20
	text, err := limit.Read(response.Body, request.URL.Redacted(), "an answer", most)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		refused := &mlflowError{URL: request.URL.Redacted(), Status: response.Status}
		if json.Unmarshal(text, refused) != nil {
			refused.Message = string(text)
		}
		return refused
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("%s: its answer is not the JSON that MLflow gives: %w", request.URL.Redacted(), err)
	}
	return nil
}
