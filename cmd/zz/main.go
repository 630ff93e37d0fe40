package main

import (
	"context"
	"fmt"
	"foretell/series"
	"os"
	"strconv"
	"time"
)

func main() {
	s, err := series.Read(os.Args[1], series.ReadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	season := 0
	if len(os.Args) > 2 {
		season, _ = strconv.Atoi(os.Args[2])
	}
	start := time.Now()
	last, lastAt := "", start
	c, err := series.Compare(context.Background(), s, series.Options{Season: season,
		Forecasters: append(series.Forecasters(), series.ContextTree{}, series.HiddenMarkov{}),
		Trying: func(n string) {
			if last != "" {
				fmt.Println("  ", last, time.Since(lastAt))
			}
			last, lastAt = n, time.Now()
		}})
	fmt.Println(time.Since(start), err)
	if err != nil {
		return
	}
	for _, r := range c.Forecasters {
		fmt.Printf("%-22s h %2d n %d MAE %.4g RMSE %.4g MASE %.3f CRPS %.4g nats %.4f %v cover %v\n", r.Name, r.Horizon, r.Scored, r.MAE, r.RMSE, r.MASE, r.CRPS, r.Nats, r.NatsInterval, r.Coverage)
	}
	fmt.Println(c.LeftOut, c.Best, c.Skills, c.Verdict, c.Parts, c.Levels)
}
