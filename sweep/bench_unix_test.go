//go:build unix

package sweep

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"foretell/internal/parallel"
	"foretell/run"
)

// cpu returns the processor time of this process.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkOverhead compares the processor time of a study of 24 runs with that of the
// same runs by [run.Ensure]. The metric cores is the number of processors that the study
// kept busy.
func BenchmarkOverhead(b *testing.B) {
	text := strings.NewReplacer("d_model: 4", "d_model: 32", "d_mlp: 8", "d_mlp: 128", "n_ctx: 4", "n_ctx: 10",
		"batch_size: 8", "batch_size: 128", "num_steps: 20", "num_steps: 500", "seeds: 2", "seeds: 24").Replace(small)
	var alone, study, took time.Duration
	for b.Loop() {
		s := studyOf(b, text)
		dir := b.TempDir()
		begin := cpu(b)
		err := parallel.Each(context.Background(), runtime.GOMAXPROCS(0), len(s.Runs), func(i int) error {
			c, err := s.Runs[i].Configuration()
			if err == nil {
				_, err = run.Ensure(b.Context(), filepath.Join(dir, s.Runs[i].ID), c, run.Options{Workers: 1})
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		alone += cpu(b) - begin
		begin = cpu(b)
		start := time.Now()
		if _, err := s.Train(b.Context(), Options{}); err != nil {
			b.Fatal(err)
		}
		study += cpu(b) - begin
		took += time.Since(start)
	}
	b.ReportMetric(100*(study.Seconds()/alone.Seconds()-1), "overhead-%")
	b.ReportMetric(study.Seconds()/took.Seconds(), "cores")
}

// BenchmarkTenThousand plans 10,000 runs, and begins a study whose 10,000 runs are
// complete.
func BenchmarkTenThousand(b *testing.B) {
	text := strings.Replace(small, "seeds: 2", "seeds: 10000", 1)
	b.Run("planned", func(b *testing.B) {
		path := filepath.Join(b.TempDir(), "study.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			plan, err := Read(path, 0)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := plan.Expand(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("complete", func(b *testing.B) {
		s := studyOf(b, text)
		for _, planned := range s.Runs {
			if err := os.Mkdir(s.Run(planned), 0o777); err != nil {
				b.Fatal(err)
			}
		}
		for b.Loop() {
			opened, err := Open(s.Dir)
			if err != nil {
				b.Fatal(err)
			}
			states, err := opened.Train(b.Context(), Options{})
			if c := Count(states); err != nil || c.Complete != 10000 {
				b.Fatal(fmt.Sprint(c), err)
			}
		}
	})
}
