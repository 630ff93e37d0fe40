package cluster

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"strconv"
	"strings"
	"text/template"
	"time"
)

//go:embed kubernetes.yaml
var kubernetesJob string

var kubernetesTemplate = template.Must(template.New("kubernetes").Parse(kubernetesJob))

// Kubernetes returns the job as an Indexed Job of Kubernetes, in YAML: each task is an
// index, which is tried again up to three times.
func (j Job) Kubernetes() (string, error) {
	if err := j.Check(); err != nil {
		return "", err
	}
	words := append([]string{"foretell"}, j.Command[1:]...) // the image has its own program
	words = append(words,
		"--task", "$(JOB_COMPLETION_INDEX)", "--per-task", strconv.Itoa(j.PerTask),
		"--workers", strconv.Itoa(j.CPUs), "--attempt", "$(POD_NAME)")
	var b strings.Builder
	err := kubernetesTemplate.Execute(&b, map[string]any{
		"Job": j, "Tasks": j.Tasks(), "AtOnce": min(cmp.Or(j.AtOnce, j.Tasks()), j.Tasks()),
		"Seconds": int(j.Time / time.Second), "Command": asJSON(words), "Dir": asJSON(j.Dir),
	})
	return b.String(), err
}

// asJSON writes words as JSON, which is YAML too.
func asJSON(value any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic("cluster: " + err.Error()) // strings are JSON
	}
	return strings.TrimSpace(b.String())
}
