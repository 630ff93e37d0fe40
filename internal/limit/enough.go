package limit

import (
	"fmt"
	"math"
)

// Enough returns a one-line error if the system grants this process less address space
// than Go's runtime needs. Later the runtime would fail with a stack trace; therefore
// programs call Enough first.
func Enough() error {
	if have := addressSpace(); have > 0 && have < leastSpace && math.MaxInt > math.MaxInt32 {
		return fmt.Errorf("the system grants %s of address space, and %s; raise the limit (`ulimit -v`)",
			Size(have), spaceNeeded)
	}
	return nil
}
