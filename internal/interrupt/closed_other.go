//go:build !unix

package interrupt

import "os"

// closed cannot be told here.
func closed(*os.File) bool { return false }
