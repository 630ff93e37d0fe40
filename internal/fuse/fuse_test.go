package fuse

import (
	"context"
	"errors"
	"testing"
)

func TestFuse(t *testing.T) {
	for n := 1; n <= 3; n++ {
		f := New(n)
		for asked := 1; asked <= 4; asked++ {
			if err := f.Err(); errors.Is(err, context.Canceled) != (asked >= n) || f.Asked() != asked {
				t.Errorf("%d. question of %d: %v, asked %d times", asked, n, err, f.Asked())
			}
			ended := false
			select {
			case <-f.Done():
				ended = true
			default:
			}
			if ended != (asked >= n) {
				t.Errorf("%d. question of %d: done is %v", asked, n, ended)
			}
		}
	}
}
