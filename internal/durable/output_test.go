package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/needs"
)

// makeFiles makes files of the given contents, with their folders.
func makeFiles(t *testing.T, contents map[string]string) {
	t.Helper()
	for path, text := range contents {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		needs.Machine(t, "a link", err)
	}
}

// wantLink checks that a path is still the link that it was.
func wantLink(t *testing.T, path, target string) {
	t.Helper()
	if got, err := os.Readlink(path); err != nil || got != target {
		t.Errorf("%s is a link to %q, %v; want %q", path, got, err, target)
	}
}

func TestOutput(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.svg")
	for _, contents := range []string{"first", "", "second, longer"} {
		if err := Output(path, []byte(contents)); err != nil {
			t.Fatal(err)
		}
		wantContents(t, path, contents)
		wantNames(t, dir, "a.svg")
	}
}

// What WriteFile has not made itself it leaves alone.
func TestWriteFileRefusesLinks(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "link")
	link(t, "target", path)
	if err := WriteFile(path, []byte("x")); err == nil || err.Error() != path+" is not a regular file; remove it" {
		t.Errorf("error %v", err)
	}
	wantLink(t, path, "target")
	wantNames(t, dir, "link")
}

func TestOutputInWorkingFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(Output("a", []byte("1")), os.Mkdir("sub", 0o777), Output("sub/../b", []byte("2"))); err != nil {
		t.Fatal(err)
	}
	wantContents(t, "a", "1")
	wantContents(t, "b", "2")
	wantNames(t, ".", "a", "b", "sub")
}

// A file keeps its mode, a new one has the umask's.
func TestOutputMode(t *testing.T) {
	dir := t.TempDir()
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o644, 0o666, 0o755, 0o777, 0o200} {
		path := filepath.Join(dir, mode.String())
		makeFiles(t, map[string]string{path: "old"})
		if err := errors.Join(os.Chmod(path, mode), Output(path, []byte("new"))); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != mode || info.Size() != 3 {
			t.Errorf("mode %v of %d bytes, %v; want %v", info.Mode(), info.Size(), err, mode)
		}
	}
	plain, output := filepath.Join(dir, "plain"), filepath.Join(dir, "output")
	if err := errors.Join(os.WriteFile(plain, nil, 0o666), Output(output, nil)); err != nil {
		t.Fatal(err)
	}
	want, err := os.Stat(plain)
	got, err2 := os.Stat(output)
	if err := errors.Join(err, err2); err != nil || got.Mode() != want.Mode() {
		t.Errorf("mode %v of a new file, want %v, %v", got.Mode(), want.Mode(), err)
	}
}

// Links are followed to what they lead to and stay.
func TestOutputFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	makeFiles(t, map[string]string{filepath.Join(dir, "deep", "down", "old"): "old", filepath.Join(dir, "x", "y"): ""})
	links := map[string]string{
		"file":      filepath.Join("deep", "down", "old"),
		"absolute":  filepath.Join(dir, "deep", "down", "old"),
		"chain":     "file",
		"folder":    filepath.Join("deep", "down"),
		"up":        "folder/../beside", // deep/beside, not beside
		"dangling":  filepath.Join("deep", "new"),
		"dangling2": "dangling",
	}
	for path, target := range links {
		link(t, target, filepath.Join(dir, path))
	}
	for _, c := range []struct{ path, target string }{
		{"file", "deep/down/old"},
		{"absolute", "deep/down/old"},
		{"chain", "deep/down/old"},
		{"folder/old", "deep/down/old"},
		{"folder/new", "deep/down/new"},
		{"up", "deep/beside"},
		{"up", "deep/beside"}, // which is there by now
		{"folder/../other", "deep/other"},
		{"dangling", "deep/new"},
		{"dangling2", "deep/new"},
	} {
		if err := Output(dir+"/"+c.path, []byte(c.path)); err != nil {
			t.Error(err)
			continue
		}
		wantContents(t, filepath.Join(dir, filepath.FromSlash(c.target)), c.path)
	}
	for path, target := range links {
		wantLink(t, filepath.Join(dir, path), target)
	}
	wantNames(t, filepath.Join(dir, "deep"), "beside", "down", "new", "other")
	wantNames(t, filepath.Join(dir, "deep", "down"), "new", "old")
}

// What cannot be written is an error that names the path as it was given; nothing is
// changed, and CheckOutput says the same.
func TestOutputRefuses(t *testing.T) {
	dir := t.TempDir()
	makeFiles(t, map[string]string{filepath.Join(dir, "file"): "old", filepath.Join(dir, "folder", "x"): ""})
	for path, target := range map[string]string{
		"loop": "loop2", "loop2": "loop", "toFolder": "folder", "nowhere": "missing/x", "toMissingFolder": "missing/",
	} {
		link(t, target, filepath.Join(dir, path))
	}
	before := names(t, dir)
	for _, c := range []struct {
		path, want string
		is         error
	}{
		{"", ": the name of a file is empty", nil},
		{"folder", "folder is a folder; give a file", ErrIsFolder},
		{"folder/", "folder/ is a folder; give a file", ErrIsFolder},
		{"new/", "new/ is a folder; give a file", ErrIsFolder},
		{"toFolder", "toFolder is a folder; give a file", ErrIsFolder},
		{"toMissingFolder", "toMissingFolder: no such file or directory", fs.ErrNotExist},
		{"no/x", "no/x: no such file or directory", fs.ErrNotExist},
		{"nowhere", "nowhere: no such file or directory", fs.ErrNotExist},
		{"file/x", "file/x: not a directory", nil},
		{"loop", "loop: too many levels of symbolic links", nil},
		{"loop/x", "loop/x: too many levels of symbolic links", nil},
		{"a\x00b", "a\x00b: invalid argument", nil},
		{strings.Repeat("x", 256), strings.Repeat("x", 256) + ": file name too long", nil},
	} {
		path, want := c.path, c.want
		if path != "" {
			path, want = dir+"/"+path, dir+"/"+want
		}
		err := Output(path, []byte("new"))
		if err == nil || err.Error() != want || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%q: error %v, want %s", c.path, err, want)
		}
		if checked := CheckOutput(path); checked == nil || checked.Error() != want {
			t.Errorf("%q: CheckOutput gives %v, want %s", c.path, checked, want)
		}
	}
	wantNames(t, dir, before...)
	wantContents(t, filepath.Join(dir, "file"), "old")
}

// A file of which a run or a report is made is refused, there or not, by whatever path.
func TestOutputOwned(t *testing.T) {
	dir := t.TempDir()
	makeFiles(t, map[string]string{
		filepath.Join(dir, "run", "config.yaml"):                                   "run",
		filepath.Join(dir, "run", "checkpoints", "step-5", "state.json"):           "{}",
		filepath.Join(dir, "report", "claims.json"):                                "{}",
		filepath.Join(dir, "report", "figures", "M1-a.svg"):                        "<svg/>",
		filepath.Join(dir, "report", "data", "x"):                                  "",
		filepath.Join(dir, "report", "runs", "m1", "config.yaml"):                  "run",
		filepath.Join(dir, "plain", "figures", "a.svg"):                            "",
		filepath.Join(dir, "plain", "checkpoints", "step-5", "model.safetensors"):  "",
		filepath.Join(dir, "report", "runs", "m1", "snapshots", "step-1.x", "dir"): "",
	})
	link(t, filepath.Join("run", "config.yaml"), filepath.Join(dir, "link.svg"))
	link(t, "run", filepath.Join(dir, "alias"))
	link(t, filepath.Join("run", "summary.json"), filepath.Join(dir, "dangling.json"))
	for _, path := range []string{
		"run/config.yaml", "run/env.json", "run/metrics.jsonl", "run/summary.json", "run/model.safetensors",
		"run/Config.YAML", "run/checkpoints/step-5/state.json", "run/checkpoints/step-5/new",
		"report/claims.json", "report/report.html", "report/report.md", "report/figures/M1-a.svg", "report/figures/new.svg",
		"report/data/new", "report/runs/m1/config.yaml", "report/runs/m1/snapshots/step-5.safetensors",
		"link.svg", "alias/config.yaml", "alias/metrics.jsonl", "dangling.json", "run/checkpoints/../env.json",
	} {
		err := Output(dir+"/"+path, []byte("new"))
		if !errors.Is(err, ErrOwned) || err.Error() != dir+"/"+path+" belongs to the run or report in its folder; give another name" {
			t.Errorf("%s: error %v", path, err)
		}
		if err := CheckOutput(dir + "/" + path); !errors.Is(err, ErrOwned) {
			t.Errorf("%s: CheckOutput gives %v", path, err)
		}
	}
	wantContents(t, filepath.Join(dir, "run", "config.yaml"), "run")
	for _, path := range []string{
		"run/walk.html", "run/checkpoints/notes.md", "report/walk.html", "report/runs/m1/walk.html", "report/figures/notes.txt",
		"plain/config.yaml.html", "plain/figures/a.svg", "plain/checkpoints/step-5/model.safetensors", "report.html",
	} {
		if err := Output(dir+"/"+path, []byte("new")); err != nil {
			t.Error(err)
		}
		wantContents(t, filepath.Join(dir, filepath.FromSlash(path)), "new")
	}
}
