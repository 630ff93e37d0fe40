package durable

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is written piece by piece is what Output writes at once.
func TestOutputFrom(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	rapid.Check(t, func(rt *rapid.T) {
		pieces := rapid.SliceOf(rapid.StringN(0, 50_000, -1)).Draw(rt, "pieces")
		err := OutputFrom(t.Context(), path, func(w io.Writer) error {
			for _, piece := range pieces {
				if _, err := io.WriteString(w, piece); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		wantContents(t, path, strings.Join(pieces, ""))
		wantNames(t, dir, "a.csv")
	})
}

// When the context ends, nothing of a new file is left, an older one stays as it was, and
// the writer need not return for that: it may be in the middle of a long computation.
func TestOutputFromIsInterrupted(t *testing.T) {
	dir := t.TempDir()
	makeFiles(t, map[string]string{filepath.Join(dir, "old"): "old"})
	for _, name := range []string{"old", "new"} {
		for _, writes := range []int{0, 1, 100_000} {
			ctx, cancel := context.WithCancel(t.Context())
			resume, failed := make(chan bool), make(chan error)
			err := OutputFrom(ctx, filepath.Join(dir, name), func(w io.Writer) error {
				for range writes {
					if _, err := io.WriteString(w, "some text\n"); err != nil {
						return err
					}
				}
				cancel()
				<-resume
				_, err := w.Write(make([]byte, 1<<20)) // more than any buffer
				failed <- err
				return err
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s after %d writes: %v", name, writes, err)
			}
			wantNames(t, dir, "old")
			wantContents(t, filepath.Join(dir, "old"), "old")
			close(resume)
			if err := <-failed; err == nil {
				t.Error("a write after the end succeeds")
			}
		}
	}
}

// An error of the writer is returned, and nothing is left.
func TestOutputFromFails(t *testing.T) {
	dir, broken := t.TempDir(), errors.New("broken")
	err := OutputFrom(t.Context(), filepath.Join(dir, "a"), func(w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<20))
		return errors.Join(err, broken)
	})
	if !errors.Is(err, broken) {
		t.Error(err)
	}
	wantNames(t, dir)
}
