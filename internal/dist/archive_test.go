package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"testing"
	"time"
)

var (
	someFiles = []file{{"foretell", 0o755, []byte("program")}, {"man/man1/foretell.1", 0o644, []byte(".TH")}}
	someTime  = time.Date(2026, 11, 23, 12, 30, 4, 0, time.UTC)
)

// An archive holds its files under its folder, with modes and time, and writing it again
// gives the same bytes.
func TestTarball(t *testing.T) {
	data, err := tarball("foretell-v0", someFiles, someTime)
	if again, _ := tarball("foretell-v0", someFiles, someTime); err != nil || !bytes.Equal(data, again) {
		t.Fatalf("not the same bytes twice, %v", err)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewReader(unpacked)
	for _, f := range someFiles {
		header, err := archive.Next()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(archive)
		if err != nil || header.Name != "foretell-v0/"+f.name || !bytes.Equal(text, f.data) {
			t.Errorf("%s holds %q, %v", header.Name, text, err)
		}
		if header.FileInfo().Mode() != f.mode || !header.ModTime.Equal(someTime) {
			t.Errorf("%s: mode %v, time %v", header.Name, header.FileInfo().Mode(), header.ModTime)
		}
	}
	if _, err := archive.Next(); err != io.EOF {
		t.Errorf("more files, %v", err)
	}
}

// As a .tar.gz, so a .zip.
func TestZipped(t *testing.T) {
	data, err := zipped("foretell-v0", someFiles, someTime)
	if again, _ := zipped("foretell-v0", someFiles, someTime); err != nil || !bytes.Equal(data, again) {
		t.Fatalf("not the same bytes twice, %v", err)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(archive.File) != len(someFiles) {
		t.Fatalf("%d files, %v", len(archive.File), err)
	}
	for i, f := range someFiles {
		opened, err := archive.File[i].Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(opened)
		if err != nil || archive.File[i].Name != "foretell-v0/"+f.name || !bytes.Equal(text, f.data) {
			t.Errorf("%s holds %q, %v", archive.File[i].Name, text, err)
		}
		if archive.File[i].Mode() != f.mode || !archive.File[i].Modified.Equal(someTime) {
			t.Errorf("%s: mode %v, time %v", archive.File[i].Name, archive.File[i].Mode(), archive.File[i].Modified)
		}
	}
}

// The time of a commit is in the program that go build makes in a clone.
func TestStampNeedsACommit(t *testing.T) {
	if version, _, err := stamp(os.Args[0]); err == nil {
		t.Errorf("a test binary has version %q and a commit", version)
	}
}
