package limit

import (
	"fmt"
	"math"
)

// Enough returns an error of one line if the system grants this process less than Go's
// runtime needs for any work: too little address space, or too few open files. The
// runtime answers either with a stack trace once work has begun, so a program calls
// Enough first.
func Enough() error {
	if have := addressSpace(); have > 0 && have < leastSpace && math.MaxInt > math.MaxInt32 {
		return fmt.Errorf("the system grants %s of address space, and %s; raise the limit (`ulimit -v`)",
			Size(have), spaceNeeded)
	}
	return enoughFiles()
}
