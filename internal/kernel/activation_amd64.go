package kernel

// activateFast runs the loop of Activate in assembly if it can, and reports whether it
// did.
func activateFast(act Activation, y, x []float32) bool {
	if isa == generic || len(x) == 0 {
		return false
	}
	wide := isa.has512()
	switch {
	case act == ReLU && wide:
		reluAVX512(&y[0], &x[0], len(x))
	case act == ReLU:
		reluAVX2(&y[0], &x[0], len(x))
	case act == GELU && wide:
		geluAVX512(&y[0], &x[0], len(x))
	case act == GELU:
		geluAVX2(&y[0], &x[0], len(x))
	case act == GELUNew && wide:
		geluNewAVX512(&y[0], &x[0], len(x))
	case act == GELUNew:
		geluNewAVX2(&y[0], &x[0], len(x))
	case act == SiLU && wide:
		siluAVX512(&y[0], &x[0], len(x))
	default:
		siluAVX2(&y[0], &x[0], len(x))
	}
	return true
}

// activateSlopeFast runs the loop of ActivateSlope in assembly if it can, and reports
// whether it did.
func activateSlopeFast(act Activation, y, slope, x []float32) bool {
	if isa == generic || len(x) == 0 {
		return false
	}
	wide := isa.has512()
	switch {
	case act == GELU && wide:
		geluSlopeAVX512(&y[0], &slope[0], &x[0], len(x))
	case act == GELU:
		geluSlopeAVX2(&y[0], &slope[0], &x[0], len(x))
	case act == GELUNew && wide:
		geluNewSlopeAVX512(&y[0], &slope[0], &x[0], len(x))
	case act == GELUNew:
		geluNewSlopeAVX2(&y[0], &slope[0], &x[0], len(x))
	case wide:
		siluSlopeAVX512(&y[0], &slope[0], &x[0], len(x))
	default:
		siluSlopeAVX2(&y[0], &slope[0], &x[0], len(x))
	}
	return true
}

// activateBackwardFast runs the loop of ActivateBackward in assembly if it can, and
// reports whether it did.
func activateBackwardFast(act Activation, dx, dy, x []float32) bool {
	if isa == generic || len(x) == 0 {
		return false
	}
	wide := isa.has512()
	switch {
	case act == ReLU && wide:
		reluBackwardAVX512(&dx[0], &dy[0], &x[0], len(x))
	case act == ReLU:
		reluBackwardAVX2(&dx[0], &dy[0], &x[0], len(x))
	case act == GELU && wide:
		geluBackwardAVX512(&dx[0], &dy[0], &x[0], len(x))
	case act == GELU:
		geluBackwardAVX2(&dx[0], &dy[0], &x[0], len(x))
	case act == GELUNew && wide:
		geluNewBackwardAVX512(&dx[0], &dy[0], &x[0], len(x))
	case act == GELUNew:
		geluNewBackwardAVX2(&dx[0], &dy[0], &x[0], len(x))
	case act == SiLU && wide:
		siluBackwardAVX512(&dx[0], &dy[0], &x[0], len(x))
	default:
		siluBackwardAVX2(&dx[0], &dy[0], &x[0], len(x))
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
func reluAVX512(y, x *float32, n int)

//go:noescape
func reluAVX2(y, x *float32, n int)

//go:noescape
func geluAVX512(y, x *float32, n int)

//go:noescape
func geluAVX2(y, x *float32, n int)

//go:noescape
func geluNewAVX512(y, x *float32, n int)

//go:noescape
func geluNewAVX2(y, x *float32, n int)

//go:noescape
func siluAVX512(y, x *float32, n int)

//go:noescape
func siluAVX2(y, x *float32, n int)

//go:noescape
func reluBackwardAVX512(dx, dy, x *float32, n int)

//go:noescape
func reluBackwardAVX2(dx, dy, x *float32, n int)

//go:noescape
func geluBackwardAVX512(dx, dy, x *float32, n int)

//go:noescape
func geluBackwardAVX2(dx, dy, x *float32, n int)

//go:noescape
func geluNewBackwardAVX512(dx, dy, x *float32, n int)

//go:noescape
func geluNewBackwardAVX2(dx, dy, x *float32, n int)

//go:noescape
func siluBackwardAVX512(dx, dy, x *float32, n int)

//go:noescape
func siluBackwardAVX2(dx, dy, x *float32, n int)

//go:noescape
func geluSlopeAVX512(y, slope, x *float32, n int)

//go:noescape
func geluSlopeAVX2(y, slope, x *float32, n int)

//go:noescape
func geluNewSlopeAVX512(y, slope, x *float32, n int)

//go:noescape
func geluNewSlopeAVX2(y, slope, x *float32, n int)

//go:noescape
func siluSlopeAVX512(y, slope, x *float32, n int)

//go:noescape
func siluSlopeAVX2(y, slope, x *float32, n int)
