package theory_test

import (
	"context"
	"fmt"
	"log"

	"foretell/process"
	"foretell/theory"
)

// How many attention heads the random phase of zero-one-random asks for, and
// what they attend to: T turns by 120° a step, so three heads share the lags.
func Example() {
	z1r, err := process.Z1R(0.5)
	if err != nil {
		log.Fatal(err)
	}
	spectrum, err := theory.Of(z1r).Spectrum(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, mode := range spectrum.Modes {
		fmt.Printf("λ = %.3f, %d heads\n", mode.Eigenvalue, mode.Heads())
	}
	layer := spectrum.Attention(4)
	for _, head := range layer.Heads {
		fmt.Printf("position 4 attends with %.2f\n", head.Pattern[3*4:])
	}
	// Output:
	// λ = (1.000+0.000i), 0 heads
	// λ = (-0.500+0.866i), 3 heads
	// position 4 attends with [0.40 0.10 0.10 0.40]
	// position 4 attends with [0.14 0.14 0.57 0.14]
	// position 4 attends with [0.14 0.57 0.14 0.14]
}

// The best sum of functions of (position, token) is the linear least-squares filter. It
// forgets faster than the constrained belief, which counts twice what two tokens tell in
// common.
func ExampleLayer_LinearFilter() {
	mess3, err := process.Mess3(0.15, 0.6)
	if err != nil {
		log.Fatal(err)
	}
	layer := theory.Of(mess3)
	linear, err := layer.Linear(context.Background(), []int32{0, 0, 0})
	if err != nil {
		log.Fatal(err)
	}
	filter := layer.LinearFilter()
	steady, err := filter.Steady(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	r2, err := filter.SteadyR2(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("linear      %.4f\n", linear)
	fmt.Printf("decay       %.4f a step, by Eq. 26 %.4f\n", real(steady.Decays[0]), 1-3*0.15)
	fmt.Printf("R²          %.4f, by Eq. 26 %.4f\n", r2.Linear, r2.Constrained)
	// Output:
	// linear      [0.7639 0.1181 0.1181]
	// decay       0.4666 a step, by Eq. 26 0.5500
	// R²          0.9869, by Eq. 26 0.9746
}

// For a negative eigenvalue theory asks for two heads. How near one comes that does not
// look at tokens: it attends to odd lags, where corrections have one sign.
func ExampleLayer_HeadsR2() {
	mess3, err := process.Mess3(0.5, 0.6)
	if err != nil {
		log.Fatal(err)
	}
	found, err := theory.Of(mess3).HeadsR2(context.Background(), 10, 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range found {
		fmt.Printf("%d heads: R² %.4f, at most %.4f\n", r.Heads, r.R2, r.Bound)
	}
	fmt.Printf("one head by lag: %.2f\n", found[1].Profiles[0])
	// Output:
	// 0 heads: R² 0.7779, at most 0.7779
	// 1 heads: R² 0.9628, at most 0.9667
	// 2 heads: R² 1.0000, at most 1.0000
	// one head by lag: [0.00 1.00 0.00 0.29 0.00 0.08 0.00 0.02 0.00 0.01]
}

// The decay of one geometric sum of tokens from which the belief is decoded best:
// linearly that of the linear filter, by polynomials of degree 3 and 5 a larger one, and
// by one of degree 3 where the last token's weight is free, too.
func ExampleLayer_GeometricSums() {
	for _, alpha := range []float64{0.6, 0.7, 0.8, 0.9, 0.95} {
		mess3, err := process.Mess3(0.15, alpha)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("α %.2f:", alpha)
		layer := theory.Of(mess3)
		for _, degree := range []int{1, 3, 5} {
			sums, err := layer.GeometricSums(context.Background(), 6, degree)
			if err != nil {
				log.Fatal(err)
			}
			best, err := sums.Best(context.Background())
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf(" %.2f", best.Decay)
		}
		short, err := layer.GeometricSums(context.Background(), 5, 3)
		if err != nil {
			log.Fatal(err)
		}
		free, err := short.BestOwn(context.Background())
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf(", free %.2f\n", free.Decay)
	}
	// Output:
	// α 0.60: 0.47 0.52 0.51, free 0.50
	// α 0.70: 0.40 0.47 0.46, free 0.44
	// α 0.80: 0.30 0.40 0.39, free 0.37
	// α 0.90: 0.18 0.29 0.28, free 0.26
	// α 0.95: 0.10 0.20 0.19, free 0.17
}
