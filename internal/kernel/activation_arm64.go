package kernel

// activateFast runs the loop of Activate in assembly if it can, and reports whether it
// did.
func activateFast(act Activation, y, x []float32) bool {
	if isa == generic || len(x) == 0 {
		return false
	}
	switch act {
	case ReLU:
		reluNEON(&y[0], &x[0], len(x))
	case GELU:
		geluNEON(&y[0], &x[0], len(x))
	case GELUNew:
		geluNewNEON(&y[0], &x[0], len(x))
	default:
		siluNEON(&y[0], &x[0], len(x))
	}
	return true
}

// activateSlopeFast runs the loop of ActivateSlope in assembly if it can, and reports
// whether it did.
func activateSlopeFast(act Activation, y, slope, x []float32) bool {
	if isa == generic || len(x) == 0 {
		return false
	}
	switch act {
	case GELU:
		geluSlopeNEON(&y[0], &slope[0], &x[0], len(x))
	case GELUNew:
		geluNewSlopeNEON(&y[0], &slope[0], &x[0], len(x))
	default:
		siluSlopeNEON(&y[0], &slope[0], &x[0], len(x))
	}
	return true
}

// activateBackwardFast runs the loop of ActivateBackward in assembly if it can, and
// reports whether it did.
func activateBackwardFast(act Activation, dx, dy, x []float32) bool {
	if isa == generic || len(x) == 0 {
		return false
	}
	switch act {
	case ReLU:
		reluBackwardNEON(&dx[0], &dy[0], &x[0], len(x))
	case GELU:
		geluBackwardNEON(&dx[0], &dy[0], &x[0], len(x))
	case GELUNew:
		geluNewBackwardNEON(&dx[0], &dy[0], &x[0], len(x))
	default:
		siluBackwardNEON(&dx[0], &dy[0], &x[0], len(x))
	}
	return true
}

// The kernels of the activations: with f one of relu, gelu, geluNew and silu
// of activation.go,
//
//	for i := range n { y[i] = f(x[i]) }
//	for i := range n { dx[i] = fBackward(dy[i], x[i]) }
//	for i := range n { y[i], slope[i] = f(x[i]), fBackward(1, x[i]) }

//go:noescape
func reluNEON(y, x *float32, n int)

//go:noescape
func geluNEON(y, x *float32, n int)

//go:noescape
func geluNewNEON(y, x *float32, n int)

//go:noescape
func siluNEON(y, x *float32, n int)

//go:noescape
func reluBackwardNEON(dx, dy, x *float32, n int)

//go:noescape
func geluBackwardNEON(dx, dy, x *float32, n int)

//go:noescape
func geluNewBackwardNEON(dx, dy, x *float32, n int)

//go:noescape
func siluBackwardNEON(dx, dy, x *float32, n int)

//go:noescape
func geluSlopeNEON(y, slope, x *float32, n int)

//go:noescape
func geluNewSlopeNEON(y, slope, x *float32, n int)

//go:noescape
func siluSlopeNEON(y, slope, x *float32, n int)
