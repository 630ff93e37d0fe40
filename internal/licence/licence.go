// Package licence collects the licences of Go and of the modules in a program. Most of
// them ask that their text goes with the program.
package licence

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"foretell/internal/limit"
)

// largest is the largest size in bytes of a file with a licence.
const largest = 1 << 20

// linked is something that a program contains: a module, or Go itself.
type linked struct {
	name    string   // the module's path and version
	folders []string // its own folder, and the folders of its packages that are linked
}

// Texts returns the licences of Go and of the modules that a program links, its own
// included, each below its name and its file. The program is a package such as
// ./cmd/foretell, built with the given flags and variables. It returns an error if one of
// them has no licence.
func Texts(program string, flags, env []string) ([]byte, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	modules, err := modules(program, flags, env)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, m := range append([]linked{{"Go", []string{strings.TrimSpace(string(root))}}}, modules...) {
		found, err := m.licences()
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s has no licence in %s", m.name, m.folders[0])
		}
		b.Write(found)
	}
	return b.Bytes(), nil
}

// modules returns the modules of the packages that are linked, in the order of their
// names.
func modules(program string, flags, env []string) (list []linked, err error) {
	const format = `{{$dir := .Dir}}{{with .Module}}{{.Path}} {{.Version}}{{"\t"}}{{.Dir}}{{"\t"}}{{$dir}}{{end}}`
	cmd := exec.Command("go", slices.Concat([]string{"list", "-deps", "-f", format}, flags, []string{program})...)
	cmd.Env = append(os.Environ(), env...)
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w: %s", program, err, bytes.TrimSpace(problem.Bytes()))
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	for _, line := range slices.Compact(lines) {
		fields := strings.Split(line, "\t")
		name := strings.TrimSpace(fields[0])
		if len(list) == 0 || list[len(list)-1].name != name {
			list = append(list, linked{name, fields[1:2]})
		}
		m := &list[len(list)-1]
		if !slices.Contains(m.folders, fields[2]) {
			m.folders = append(m.folders, fields[2])
		}
	}
	return list, nil
}

// isLicence matches the names of files with a licence, and of folders with such files.
var isLicence = regexp.MustCompile(`(?i)^((un)?licen[cs]e|copying|notice|patents|third[_-]party)`)

// licences returns the texts in the folders.
func (l linked) licences() ([]byte, error) {
	var b bytes.Buffer
	for _, folder := range l.folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if !isLicence.MatchString(entry.Name()) || filepath.Ext(entry.Name()) == ".go" {
				continue
			}
			if err := l.add(&b, filepath.Join(folder, entry.Name())); err != nil {
				return nil, err
			}
		}
	}
	return b.Bytes(), nil
}

// add adds the texts of a file, or of the files of a folder.
func (l linked) add(b *bytes.Buffer, path string) error {
	return filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := limit.ReadFile(path, "a licence", largest)
		if err != nil {
			return err
		}
		file, err := filepath.Rel(l.folders[0], path)
		fmt.Fprintf(b, "%s, %s\n\n%s\n\n", l.name, filepath.ToSlash(file), bytes.TrimSpace(text))
		return err
	})
}
