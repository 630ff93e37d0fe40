// Package build says which version of the program is running.
package build

import "runtime/debug"

// Version is the module's version as the build recorded it, "(devel)" where it did not.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
