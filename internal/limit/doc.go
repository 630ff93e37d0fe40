// Package limit keeps what is read, and what is made room for, within what the reader
// expects and the machine has.
//
// A name on a command line may be anything: a device that never ends, a file of 100 GB
// with nothing in it, a pipe that nobody writes to. [ReadFile] reads a regular file of at
// most so many bytes, or what comes through an open pipe up to that number, and says of
// everything else in one line what it is. [Open] is for files that are read piece by
// piece. [Memory] is what there is to make room in.
package limit

import "fmt"

// Size writes a number of bytes for people: "12 bytes", "262.1 kB", "1.5 GB".
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
