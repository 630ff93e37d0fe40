// Package build says which version of the program is running.
package build

import (
	"runtime/debug"
	"strings"
)

// Version is the module's version as the build recorded it, "(devel)" where it did not.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// Commit is the commit that the program was built from, with "+changes" where the
// working tree was another; empty where the build did not record it.
func Commit() string {
	commit := setting("vcs.revision")
	if commit != "" && setting("vcs.modified") == "true" {
		commit += "+changes"
	}
	return commit
}

// Date is the day of the commit that the program was built from, in UTC, as 2026-11-22;
// empty where the build did not record it.
func Date() string {
	day, _, _ := strings.Cut(setting("vcs.time"), "T")
	return day
}

// setting is one of those that the build recorded, empty where it did not.
func setting(key string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == key {
				return s.Value
			}
		}
	}
	return ""
}
