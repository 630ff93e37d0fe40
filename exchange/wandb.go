package exchange

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"path/filepath"

	"foretell/internal/durable"
)

// wandbScript logs the evaluations through the documented interface of the package wandb.
//
//go:embed wandb_log.py
var wandbScript []byte

// writeWandB writes history.jsonl, with an object for each evaluation, config.yaml, and
// log.py, which logs them as a run of Weights & Biases, online or offline.
func writeWandB(_ context.Context, dir string, s Source) error {
	r, err := readRecord(s.Run)
	if err != nil {
		return err
	}
	var history bytes.Buffer
	encoder := json.NewEncoder(&history)
	for _, row := range r.rows {
		values := map[string]float64{}
		for _, x := range row.scalars {
			values[x.name] = x.value
		}
		line := struct {
			Step    int                `json:"step"`
			Started int64              `json:"started"`
			Scalars map[string]float64 `json:"scalars"`
		}{row.step, row.time.Unix(), values}
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
	settings := map[string]string{}
	for _, setting := range r.settings {
		settings[setting.Path] = setting.Text
	}
	about, err := json.MarshalIndent(map[string]any{"name": r.name, "config": settings}, "", "  ")
	if err != nil {
		return err
	}
	for _, file := range []struct {
		name string
		data []byte
	}{
		{"history.jsonl", history.Bytes()},
		{"run.json", append(about, '\n')},
		{"log.py", wandbScript},
	} {
		if err := durable.WriteFile(filepath.Join(dir, file.name), file.data); err != nil {
			return err
		}
	}
	return nil
}
