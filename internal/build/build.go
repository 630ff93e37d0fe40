// Package build reports the version of the running program.
package build

import (
	"runtime/debug"
	"strings"
)

// Version returns the module's version recorded by the build, or "(devel)".
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// Commit returns the commit that the program was built from, followed by "+changes" if
// the working tree was modified, or "" if the build did not record it.
func Commit() string {
	commit := setting("vcs.revision")
	if commit != "" && setting("vcs.modified") == "true" {
		commit += "+changes"
	}
	return commit
}

// Date returns the UTC date of the commit that the program was built from, such as
// 2026-11-22, or "" if the build did not record it.
func Date() string {
	day, _, _ := strings.Cut(setting("vcs.time"), "T")
	return day
}

// setting returns a build setting, or "" if the build did not record it.
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
