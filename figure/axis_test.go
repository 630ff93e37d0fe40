package figure

import (
	"math"
	"testing"
)

// An axis of whole numbers has no tick between two of them, however short it is.
func TestWholeTicks(t *testing.T) {
	for most := range 40 {
		values := make([]float64, most+1)
		for i := range values {
			values[i] = float64(i)
		}
		ticks := Axis{Whole: true}.over(values).ticks(400, 26)
		for _, tick := range ticks {
			if tick.at != math.Round(tick.at) {
				t.Errorf("0 … %d: a tick at %v", most, tick.at)
			}
		}
		if len(ticks) < min(2, most+1) {
			t.Errorf("0 … %d: ticks %v", most, ticks)
		}
	}
}
