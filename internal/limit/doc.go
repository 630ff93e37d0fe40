// Package limit sets two bounds: on the size of input files, so that a reader never reads
// more than it expects, and on allocated memory, which must fit into the machine's.
//
// A file name on a command line may be anything: an endless device, an empty sparse file
// of 100 GB, a pipe without a writer. [ReadFile] reads a regular file, or an open pipe,
// up to a limit, and returns a one-line error for everything else. [Open] is for files
// that are read piece by piece. [Memory] returns the available memory.
package limit

import "fmt"

// Size formats a number of bytes: "12 bytes", "262.1 kB", "1.5 GB".
func Size(bytes float64) string {
	if bytes < 1000 {
		return fmt.Sprintf("%.0f bytes", bytes)
	}
	const units = "kMGTPE"
	value, unit := bytes/1000, 0
	for value >= 1000 && unit < len(units)-1 {
		value /= 1000
		unit++
	}
	return fmt.Sprintf("%.1f %cB", value, units[unit])
}
