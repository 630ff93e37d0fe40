// Dist builds the release archives and the file of their checksums. An archive holds the
// program for Linux, macOS or Windows on amd64 or arm64, manual pages, shell completions,
// the licences and the examples.
//
//	go run ./internal/dist [-out dist]
//
// Two builds from the same commit with the same Go version give the same bytes: builds
// are trimmed of paths, and files have the time of the commit.
package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"foretell/internal/durable"
	"foretell/internal/licence"
	"foretell/internal/limit"
)

// target is a system that the program is built for.
type target struct{ os, arch string }

var targets = []target{
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
}

// env returns the variables of the target's build.
func (t target) env() []string { return []string{"CGO_ENABLED=0", "GOOS=" + t.os, "GOARCH=" + t.arch} }

// shells have completions.
var shells = []string{"bash", "zsh", "fish", "powershell"}

// largest is the largest size in bytes of a file in an archive.
const largest = 1 << 28

func main() {
	out := flag.String("out", "dist", "the folder for the archives")
	flag.Parse()
	if err := build(*out); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// build writes the archives and SHA256SUMS into a folder.
func build(out string) error {
	work, err := os.MkdirTemp("", "dist")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if text, err := exec.Command("go", "run", "./lab/web/pack").CombinedOutput(); err != nil {
		return fmt.Errorf("the engine of pages: %w\n%s", err, text)
	}
	here, err := compile(work, target{runtime.GOOS, runtime.GOARCH})
	if err != nil {
		return err
	}
	version, when, err := stamp(here)
	if err != nil {
		return err
	}
	shared, err := sharedFiles(work, here)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, t := range targets {
		program, err := compile(work, t)
		if err != nil {
			return err
		}
		binary, err := read(program, filepath.Base(program), 0o755)
		if err != nil {
			return err
		}
		texts, err := licences(t)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("foretell-%s-%s-%s", version, t.os, t.arch)
		archive, ending := tarball, ".tar.gz"
		if t.os == "windows" {
			archive, ending = zipped, ".zip"
		}
		data, err := archive(name, append([]file{binary, texts}, shared...), when)
		if err != nil {
			return err
		}
		if err := durable.Output(filepath.Join(out, name+ending), data); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name+ending)
	}
	fmt.Print(sums.String())
	return durable.Output(filepath.Join(out, "SHA256SUMS"), sums.Bytes())
}

// compile builds the program for a target, and returns the program's path.
func compile(work string, t target) (string, error) {
	program := filepath.Join(work, t.os+"-"+t.arch, "foretell")
	if t.os == "windows" {
		program += ".exe"
	}
	cmd := exec.Command("go", "build", "-tags", "pages", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", program,
		"./cmd/foretell")
	cmd.Env = append(os.Environ(), t.env()...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s/%s: %w\n%s", t.os, t.arch, err, text)
	}
	return program, nil
}

// licences returns the licences of Go, of modules, and of the front end's libraries in a
// target's program. The tag pages adds files and no package, and go list would need these
// files.
func licences(t target) (file, error) {
	texts, err := licence.Texts("./cmd/foretell", nil, t.env())
	if err != nil {
		return file{}, err
	}
	front, err := read("lab/web/dist/LICENSES.txt", "LICENSES.txt", 0o644)
	front.data = append(texts, front.data...)
	return front, err
}

// stamp returns the version of a program, and the time of the commit that it was built
// from.
func stamp(program string) (version string, when time.Time, err error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return "", when, err
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			when, err = time.Parse(time.RFC3339, s.Value)
			return info.Main.Version, when.UTC(), err
		}
	}
	return "", when, fmt.Errorf("%s does not record a commit; build in a clone of the repository", program)
}

// sharedFiles returns the files that every archive has. The program writes its manual
// pages and completions.
func sharedFiles(work, program string) (files []file, err error) {
	pages := filepath.Join(work, "man")
	if err := exec.Command(program, "man", "--out", pages).Run(); err != nil {
		return nil, fmt.Errorf("foretell man: %w", err)
	}
	for _, shell := range shells {
		text, err := exec.Command(program, "completion", shell).Output()
		if err != nil {
			return nil, fmt.Errorf("foretell completion %s: %w", shell, err)
		}
		files = append(files, file{"completions/foretell." + shell, 0o644, text})
	}
	for folder, pattern := range map[string]string{
		"man/man1": filepath.Join(pages, "*.1"), "examples": "examples/*.yaml", ".": "LICENSE",
	} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			return nil, fmt.Errorf("%s: no files, %v", pattern, err)
		}
		for _, path := range paths {
			f, err := read(path, filepath.Join(folder, filepath.Base(path)), 0o644)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
	}
	slices.SortFunc(files, byName)
	return files, nil
}

// read reads the file at path, which will be in an archive under the given name.
func read(path, name string, mode os.FileMode) (file, error) {
	data, err := limit.ReadFile(path, "a file of the release", largest)
	return file{filepath.ToSlash(name), mode, data}, err
}
