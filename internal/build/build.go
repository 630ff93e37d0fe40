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

// Commit is the commit that the program was built from, with "+changes" where the
// working tree was another; empty where the build did not record it.
func Commit() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	commit, changes := "", ""
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			commit = setting.Value
		case setting.Key == "vcs.modified" && setting.Value == "true":
			changes = "+changes"
		}
	}
	return commit + changes
}
