package series

import ("testing";"fmt";"encoding/json")

func TestTmp(t *testing.T) {
	for _, c := range []struct{ name string; column, season, test int }{
		{"sunspots",1,132,420},{"sunspots",1,0,0},{"nottem",1,12,48},{"airpassengers",1,12,0},{"nile",1,0,30},{"airquality",1,0,40},{"airquality",3,0,40},
	} {
		s := &Series{Values: recording(t, c.name, c.column)}
		r, err := Compare(t.Context(), s, Options{Season: c.season, Test: c.test, Step: "month"})
		if err != nil { t.Error(c.name, err); continue }
		fmt.Println(c.name, c.column, r.N, r.Missing, r.Levels, r.Parts, r.Outside, r.LeftOut)
		for _, f := range r.Forecasters {
			fmt.Printf("  %-20s h%d n%d mae %.3f rmse %.3f mase %.3f crps %.3f nats %.3f %.3f cov %.2f %.2f %.2f\n", f.Name, f.Horizon, f.Scored, f.MAE, f.RMSE, f.MASE, f.CRPS, f.Nats, f.NatsInterval, f.Coverage["50"], f.Coverage["80"], f.Coverage["95"])
		}
		fmt.Println(r.Verdict, r.Skills)
		b, err := json.Marshal(r)
		if err != nil { t.Error(err) }
		if c.name=="nile" { fmt.Println(string(b)) }
	}
}
