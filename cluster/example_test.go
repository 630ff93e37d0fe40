package cluster_test

import (
	"fmt"
	"strings"
	"time"

	"foretell/cluster"
)

// Thirty runs in tasks of twelve.
func ExampleJob_Script() {
	job := cluster.Job{
		ID: cluster.Identify("/home/me/study"), Title: "Study /home/me/study", By: "foretell sweep", Dir: "/home/me/study",
		Command: []string{"/home/me/foretell", "sweep", "task", "/home/me/study"},
		Items:   30, PerTask: 12, CPUs: 1, Time: time.Hour,
	}
	script, err := job.Script()
	if err != nil {
		panic(err)
	}
	fmt.Println(strings.Split(script, "\n")[1])
	for task := range job.Tasks() {
		fmt.Println(job.Range(task))
	}
	// Output:
	// # Study /home/me/study: 30 runs in 3 tasks of at most 12.
	// 0 12
	// 12 24
	// 24 30
}
