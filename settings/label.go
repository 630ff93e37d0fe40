package settings

import (
	"slices"
	"strings"

	"foretell/internal/text"
)

const (
	mostTelling = 4  // largest number of settings in a label
	mostSetting = 32 // largest number of characters of a setting in a label
)

// Labels returns for each configuration a text that distinguishes it from the others: its
// process, if they differ in it, and the settings in which it differs from others of the
// same process.
func Labels(list []Settings) []string {
	groups := map[string][]int{}
	for i, s := range list {
		name := s.Text(Process)
		groups[name] = append(groups[name], i)
	}
	labels := make([]string, len(list))
	for name, group := range groups {
		var same []Settings
		for _, i := range group {
			same = append(same, list[i])
		}
		paths := Differing(same)
		of := newLabeller(same, paths)
		for _, i := range group {
			labels[i] = of.label(list[i])
			if len(groups) > 1 {
				labels[i] = strings.TrimSuffix(name+", "+labels[i], ", ")
			}
		}
	}
	return labels
}

// ShortPaths returns the last part of each setting's path, or the whole path if two
// settings share their last part.
func ShortPaths(paths []string) []string {
	names := make([]string, len(paths))
	last := func(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
	for i, path := range paths {
		names[i] = last(path)
		for k, other := range paths {
			if k != i && last(other) == names[i] {
				names[i] = path
			}
		}
	}
	return names
}

// telling chooses, from the paths of the settings in which configurations differ, the few
// that best distinguish them, and returns them in the order of paths. The choice is
// greedy: each setting is the one that, together with those already chosen, splits the
// configurations into the most groups.
func telling(list []Settings, paths []string) (picked []string) {
	values := make([]string, len(list))
	kinds := func(path string) int {
		seen := map[string]bool{}
		for i, s := range list {
			seen[values[i]+"\n"+s.meaning(path)] = true
		}
		return len(seen)
	}
	for len(picked) < min(len(paths), mostTelling) {
		best, most := "", 0
		for _, path := range paths {
			if n := kinds(path); n > most && !slices.Contains(picked, path) {
				best, most = path, n
			}
		}
		for i, s := range list {
			values[i] += "\n" + s.meaning(best)
		}
		picked = append(picked, best)
	}
	slices.SortFunc(picked, func(a, b string) int { return slices.Index(paths, a) - slices.Index(paths, b) })
	return picked
}

// labeller names configurations by some of the settings in which they differ.
type labeller struct {
	paths, names []string // of these settings
	from         []int    // the first item of each that is shown, if it is a list
	more         bool     // whether the configurations differ in other settings
}

func newLabeller(list []Settings, differing []string) labeller {
	l := labeller{paths: telling(list, differing)}
	l.names, l.more = ShortPaths(l.paths), len(l.paths) < len(differing)
	for _, path := range l.paths {
		l.from = append(l.from, firstShown(list, path))
	}
	return l
}

// label returns the settings as name=value, separated by commas, and … at the end if
// there are more. A long list is shown from its beginning, or from the first difference
// if the lists of several configurations begin alike.
func (l labeller) label(s Settings) string {
	var parts []string
	for i, path := range l.paths {
		if !s.lacks(path) {
			parts = append(parts, l.names[i]+"="+text.ExcerptFrom(s.Shown(path), mostSetting, l.from[i]))
		}
	}
	if l.more {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

// firstShown returns the index of the first item to show if the values of a setting are
// lists. It is 0, unless two different lists, shortened, would look the same; then it is
// the index of their first difference.
func firstShown(list []Settings, path string) int {
	long := map[string]string{}
	for _, s := range list {
		whole := s.Shown(path)
		short := text.Excerpt(whole, mostSetting)
		if other, ok := long[short]; ok && other != whole {
			a, b := text.ParseList(whole), text.ParseList(other)
			for i := range min(len(a), len(b)) {
				if a[i] != b[i] {
					return i
				}
			}
		}
		long[short] = whole
	}
	return 0
}
