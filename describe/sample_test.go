package describe

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// ending ends a context once it was written to, and counts the bytes.
type ending struct {
	end   func()
	bytes int
}

func (e *ending) Write(data []byte) (int, error) {
	e.end()
	e.bytes += len(data)
	return len(data), nil
}

// A sample of more sequences than anyone has time for ends with its context, in each
// form, and holds no more than a few of them.
func TestSampleEndsWithItsContext(t *testing.T) {
	s := Sample{Subject: mustNamed(t, "mess3", nil), Number: 1 << 40, Length: 100, Seed: 1}
	for name, write := range map[string]func(ctx context.Context, w io.Writer) error{
		"text": s.print, "csv": s.writeCSV, "json": s.writeJSON,
	} {
		ctx, cancel := context.WithCancel(t.Context())
		out := &ending{end: cancel}
		if err := write(ctx, out); !errors.Is(err, context.Canceled) || out.bytes > 1<<16 {
			t.Errorf("%s: %v after %d bytes", name, err, out.bytes)
		}
	}
}

// A sample of a signal says in JSON what its tokens stand for, another does not.
func TestSampleOfASignalHasValuesInJSON(t *testing.T) {
	for name, want := range map[string]bool{"sine": true, "mess3": false} {
		var text strings.Builder
		s := Sample{Subject: mustNamed(t, name, nil), Number: 1, Length: 3, Seed: 1}
		if err := s.writeJSON(t.Context(), &text); err != nil || strings.Contains(text.String(), `,"values":[-1,`) != want {
			t.Errorf("%s: %s, %v", name, text.String(), err)
		}
	}
}
