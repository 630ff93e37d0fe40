package probe

import (
	"fmt"
	"testing"
)

// BenchmarkMoments adds up the first and second moments of rows. The figure is
// operations of Σw·zᵀz alone, two for each row and element of the upper triangle.
func BenchmarkMoments(b *testing.B) {
	for _, width := range []int{67, 576} {
		b.Run(fmt.Sprintf("columns=%d", width), func(b *testing.B) {
			const rows = 1024
			z, m := normals(1, rows, width), newMoments(width)
			for b.Loop() {
				for i := range rows {
					m.push(z.Row(i), 1/float64(1+i))
				}
				m.flush()
			}
			flops := float64(b.N) * rows * float64(width) * float64(width+1)
			b.ReportMetric(flops/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
