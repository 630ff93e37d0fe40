package lab_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"foretell/lab"
)

// A question has the answer of a command, which it names.
func ExampleEngine_Ask() {
	runs, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(runs)
	engine, err := lab.New(lab.Folders{Runs: runs, Reports: "reports"}, "foretell")
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	fields := []byte(`{"process": "mess3", "params": {"x": "0.05"}, "positions": 2}`)
	question, answer, err := engine.Ask(context.Background(), "floor", fields)
	if err != nil {
		log.Fatal(err)
	}
	value, err := json.Marshal(answer.Value)
	if err != nil {
		log.Fatal(err)
	}
	var floors struct{ Floor []float64 }
	if err := json.Unmarshal(value, &floors); err != nil {
		log.Fatal(err)
	}
	fmt.Println("foretell", strings.Join(question.Command(lab.Folders{Runs: "runs"}), " "))
	fmt.Printf("%.4f nats\n", floors.Floor)
	// Output:
	// foretell process floor mess3 --param x=0.05 --positions 2
	// [1.0986 1.0808] nats
}
