package durable_test

import (
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
	log, err := durable.OpenLog(path, "mess3")
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

	err = durable.TruncateLog(path, "mess3", 3)
	read, _ := durable.ReadLog(path, "mess3")
	fmt.Printf("%s %v\n", read.Rows, err)
	read, _ = durable.ReadLog(path, "even")
	fmt.Println(len(read.Rows), "rows of even:", read.Damage)
	// Output:
	// checkpoint: <nil>
	// [{"step":0} {"step":1} {"step":2}] <nil>
	// 0 rows of even: line 1 is altered, or not the first one of this log
}
