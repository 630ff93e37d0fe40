package durable_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"foretell/internal/durable"
)

func Example() {
	run, err := os.MkdirTemp("", "run")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(run) }()

	err = durable.Dir(filepath.Join(run, "step-2"), func(dir string) error {
		return durable.WriteFile(filepath.Join(dir, "state.json"), []byte(`{"step":2}`))
	})
	fmt.Println("checkpoint:", err)

	path := filepath.Join(run, "metrics.jsonl")
	log, err := durable.OpenLog(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	for step := range 4 { // the last one after the checkpoint
		if err := log.Append(map[string]int{"step": step}); err != nil {
			fmt.Println(err)
		}
	}
	_ = log.Close()

	err = durable.TruncateLog(path, func(row json.RawMessage) bool {
		var r struct{ Step int }
		return json.Unmarshal(row, &r) == nil && r.Step <= 2
	})
	rows, _, _ := durable.ReadLog(path)
	fmt.Printf("%s %v\n", rows, err)
	// Output:
	// checkpoint: <nil>
	// [{"step":0} {"step":1} {"step":2}] <nil>
}
