package cluster

import (
	"os"
	"path/filepath"
	"strings"

	"foretell/internal/durable"
)

// mostIdle is how many attempts of a task in a row may end without progress.
const mostIdle = 3

// Again reports whether a task that was interrupted shall be queued again: if it has made
// progress, or if this is at most the third attempt in a row that has made none. Slurm's
// signal may come a minute early, and so before the first step. dir is the job's folder.
// attempt names the attempt: the task, a dot, and a number.
func Again(dir, attempt string, progress bool) (bool, error) {
	task := strings.TrimSuffix(attempt, filepath.Ext(attempt))
	outputs := Job{Dir: dir}.outputs()
	idle, err := filepath.Glob(filepath.Join(globbed.Replace(outputs), globbed.Replace(task)+".*.idle"))
	if err != nil {
		return false, err
	}
	if progress {
		for _, path := range idle {
			_ = os.Remove(path) // what remains is counted again, and can only end the task earlier
		}
		return true, nil
	}
	if len(idle) >= mostIdle {
		return false, nil
	}
	if err := durable.Folder(outputs); err != nil {
		return false, err
	}
	return true, durable.WriteFile(filepath.Join(outputs, attempt+".idle"), nil)
}

// globbed quotes a name for Glob.
var globbed = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)
