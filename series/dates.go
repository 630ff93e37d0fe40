package series

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"foretell/internal/datafile"
	"foretell/internal/text"
)

// A Step is the time from one value to the next. The zero value is an unknown one.
type Step struct {
	// Unit is year, quarter, month, week, day, weekday, hour, minute, second, millisecond
	// or nanosecond; or sample, in a sound.
	Unit string `json:"unit"`
	// Count is the number of units.
	Count int `json:"count"`
}

// String returns the step in words, such as "1 month".
func (s Step) String() string { return s.times(1) }

// times returns n steps in words, such as "12 months".
func (s Step) times(n int) string {
	if s.Unit == "" {
		return text.Count(n, "value")
	}
	total := n * s.Count
	for _, u := range units {
		if s.Count > 1 && s.Unit == u.small && total%u.ratio == 0 {
			total, s.Unit = total/u.ratio, u.large
		}
	}
	return text.Count(total, s.Unit)
}

// format returns the layout of times of this step, for [time.Time.Format].
func (s Step) format() string {
	switch s.Unit {
	case "year":
		return "2006"
	case "month", "quarter":
		return "2006-01"
	case "week", "day", "weekday":
		return time.DateOnly
	case "hour", "minute":
		return "2006-01-02 15:04"
	}
	return "2006-01-02 15:04:05.999999999"
}

// When returns the time of value i (from 0) in the precision of the step, the seconds of
// a sound, or "value 1" if there are no times.
func (s *Series) When(i int) string {
	switch {
	case s.Rate > 0:
		return strconv.FormatFloat(float64(i)/s.Rate, 'f', 3, 64) + " s"
	case s.Times != nil:
		return s.Times[i].Format(s.Step.format())
	}
	return fmt.Sprintf("value %d", i+1)
}

// A grid is what times lie on: the ticks of a clock, some of them in a step.
type grid struct {
	step Step
	tick func(time.Time) int64
	per  int64 // ticks of a step
}

// gridOf returns the grid of times in increasing order. Its step is the most frequent
// difference of the first 10,000; it is the zero value if there are fewer than two times.
func gridOf(times []time.Time) grid {
	if len(times) < 2 {
		return grid{}
	}
	tick, unit := clockOf(times)
	per, counts := int64(0), map[int64]int{}
	for i := 1; i < min(len(times), 10_000); i++ {
		d := tick(times[i]) - tick(times[i-1])
		counts[d]++
		if n := counts[d]; n > counts[per] || n == counts[per] && d < per {
			per = d
		}
	}
	step := Step{unit, int(per)}
	for _, u := range units {
		if step.Unit == u.small && step.Count%u.ratio == 0 {
			step = Step{u.large, step.Count / u.ratio}
		}
	}
	if step == (Step{"day", 1}) && noWeekends(times) {
		return grid{Step{"weekday", 1}, weekdays, 1}
	}
	return grid{step, tick, per}
}

// units are units of time, each with the number of the unit before that it has.
var units = []struct {
	small, large string
	ratio        int
}{
	{"nanosecond", "millisecond", 1e6},
	{"millisecond", "second", 1000},
	{"second", "minute", 60},
	{"minute", "hour", 60},
	{"hour", "day", 24},
	{"day", "week", 7},
	{"month", "quarter", 3},
	{"quarter", "year", 4},
}

// clockOf returns what counts time for these times, and its unit: months, if they fall on
// the same day of months; seconds; or nanoseconds.
func clockOf(times []time.Time) (tick func(time.Time) int64, unit string) {
	if sameMonthday(times) {
		return func(t time.Time) int64 { return int64(t.Year())*12 + int64(t.Month()) }, "month"
	}
	for _, t := range times {
		if t.Nanosecond() != 0 {
			return time.Time.UnixNano, "nanosecond"
		}
	}
	return time.Time.Unix, "second"
}

// sameMonthday reports whether times fall on the same day and time of months, or all on
// their last day.
func sameMonthday(times []time.Time) bool {
	first, same, last := times[0], true, true
	for _, t := range times {
		if t.Sub(t.Truncate(24*time.Hour)) != first.Sub(first.Truncate(24*time.Hour)) {
			return false
		}
		same = same && t.Day() == first.Day()
		last = last && t.AddDate(0, 0, 1).Day() == 1
		if !same && !last {
			return false
		}
	}
	return true
}

// noWeekends reports whether none of at least ten times is on a Saturday or Sunday.
func noWeekends(times []time.Time) bool {
	for _, t := range times {
		if t.Weekday() == time.Saturday || t.Weekday() == time.Sunday {
			return false
		}
	}
	return len(times) >= 10
}

// weekdays counts days without weekends.
func weekdays(t time.Time) int64 {
	days := int64(math.Floor(float64(t.Unix())/86400)) + 3 // 0 is a Monday
	week := int64(math.Floor(float64(days) / 7))
	return 5*week + min(days-7*week, 4)
}

// uneven returns the index of the first value whose time is not one step after the time
// of the value before, or -1.
func (g grid) uneven(times []time.Time) int {
	for i := 1; i < len(times); i++ {
		if g.tick(times[i])-g.tick(times[i-1]) != g.per {
			return i
		}
	}
	return -1
}

// absent returns the number of times that the grid has between the first and the last,
// and the file lacks; ok is false if not all times are on the grid.
func (g grid) absent(times []time.Time) (n int64, ok bool) {
	for i := 1; i < len(times); i++ {
		d := g.tick(times[i]) - g.tick(times[i-1])
		if d <= 0 || d%g.per != 0 {
			return 0, false
		}
		n += d/g.per - 1
	}
	return n, true
}

// next returns the time one step after t.
func (g grid) next(t time.Time) time.Time {
	switch g.step.Unit {
	case "year", "quarter", "month":
		first := time.Date(t.Year(), t.Month()+time.Month(g.per), 1, t.Hour(), t.Minute(), t.Second(), 0, t.Location())
		if t.Day() > 28 && t.AddDate(0, 0, 1).Day() == 1 {
			return first.AddDate(0, 1, -1) // the last days of months
		}
		return first.AddDate(0, 0, t.Day()-1)
	case "weekday":
		if t.Weekday() == time.Friday {
			return t.AddDate(0, 0, 3)
		}
		return t.AddDate(0, 0, 1)
	case "nanosecond", "millisecond":
		return t.Add(time.Duration(g.per))
	}
	return t.Add(time.Duration(g.per) * time.Second)
}

// fillGaps inserts a missing value for each time that a regular grid has and the file
// lacks, and records it in Absent. If some times are not on the grid, or fewer than half
// of the grid's times have a value, nothing changes: the spacing is uneven.
func (s *Series) fillGaps() {
	g := gridOf(s.Times)
	if g.step.Unit == "" {
		return
	}
	missing, ok := g.absent(s.Times)
	if !ok || missing == 0 || missing > int64(len(s.Times)) || missing+int64(len(s.Times)) > MostValues {
		return
	}
	times, values := s.Times, s.Values
	s.Times = make([]time.Time, 0, len(times)+int(missing))
	s.Values = make([]float64, 0, len(times)+int(missing))
	for i, t := range times {
		for n := len(s.Times); i > 0; n++ {
			due := g.next(s.Times[n-1])
			if g.tick(due) >= g.tick(t) {
				break
			}
			s.Absent = append(s.Absent, n)
			s.Times = append(s.Times, due)
			s.Values = append(s.Values, math.NaN())
		}
		s.Times = append(s.Times, t)
		s.Values = append(s.Values, values[i])
	}
}

// timeLayouts are the layouts of times, next to quarters and years.
var timeLayouts = []string{
	time.DateOnly,
	"2006-01",
	time.DateTime,
	"2006-01-02T15:04:05",
	time.RFC3339,
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04",
	"2006-01-02T15:04",
	"2006-01-02T15:04Z07:00",
	"2006/01/02",
	"02.01.2006",
}

// timeExamples are examples of times, for errors.
const timeExamples = "2024, 2024.083, 2024-01, 2024Q1, 2024-01-31 or 2024-01-31 12:00"

// parserOf returns what parses cells like this one as times, in UTC unless they have an
// offset; ok is false if the cell is not a time.
func parserOf(cell string) (parse func(string) (time.Time, bool), ok bool) {
	candidates := []func(string) (time.Time, bool){parseYear, parseQuarter}
	for _, layout := range timeLayouts {
		candidates = append(candidates, func(cell string) (time.Time, bool) {
			t, err := time.Parse(layout, cell)
			return t, err == nil
		})
	}
	for _, parse := range candidates {
		if _, ok := parse(cell); ok {
			return parse, true
		}
	}
	return nil, false
}

// parseYear parses a year from 1000 to 2999, or a decimal one, as R writes it: 1749.083
// is February of 1749. Up to 1/100 of a month from its beginning counts as its beginning;
// anything else is rounded to days.
func parseYear(cell string) (t time.Time, ok bool) {
	if len(cell) < 4 || strings.IndexFunc(cell, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }) >= 0 ||
		len(cell) > 4 && cell[4] != '.' {
		return t, false
	}
	x, err := strconv.ParseFloat(cell, 64)
	if err != nil || x < 1000 || x >= 3000 {
		return t, false
	}
	year := math.Floor(x)
	begin := time.Date(int(year), 1, 1, 0, 0, 0, 0, time.UTC)
	if month := 12 * (x - year); math.Abs(month-math.Round(month)) < 0.01 {
		return begin.AddDate(0, int(math.Round(month)), 0), true
	}
	days := begin.AddDate(1, 0, 0).Sub(begin).Hours() / 24
	return begin.AddDate(0, 0, int(math.Round((x-year)*days))), true
}

// parseQuarter parses a quarter, such as 1949Q1, 1949-Q1 or 1949 Q1.
func parseQuarter(cell string) (t time.Time, ok bool) {
	year, quarter, ok := strings.Cut(strings.ToUpper(cell), "Q")
	year = strings.TrimRight(year, " -")
	if !ok || len(year) != 4 || len(quarter) != 1 || quarter < "1" || quarter > "4" {
		return t, false
	}
	n, err := strconv.Atoi(year)
	return time.Date(n, time.Month(3*(quarter[0]-'1')+1), 1, 0, 0, 0, 0, time.UTC), err == nil && n >= 0
}

// A clock reads times that increase, all in the form of the first.
type clock struct {
	parse func(string) (time.Time, bool)
	last  time.Time
	cell  string // the last time, as it is written
	first string
}

// read reads the time in a cell of the table's last row, in the column of index at.
func (c *clock) read(table *datafile.Table, cell string, at int) (time.Time, error) {
	begins := c.parse == nil
	if begins {
		parse, ok := parserOf(cell)
		if !ok {
			return time.Time{}, fmt.Errorf("%s: %q is not a time; write it as %s",
				table.Place(at), text.Start(cell, 40), timeExamples)
		}
		c.parse, c.first = parse, strings.Clone(cell)
	}
	t, ok := c.parse(cell)
	switch {
	case !ok:
		return t, fmt.Errorf("%s: %q is not a time like the first, %s", table.Place(at), text.Start(cell, 40), c.first)
	case !begins && t.Equal(c.last):
		return t, fmt.Errorf("%s: the time %s occurs twice; want one value for each time", table.Place(at), cell)
	case !begins && t.Before(c.last):
		return t, fmt.Errorf("%s: the time %s comes after %s; want lines in the order of time",
			table.Place(at), cell, c.cell)
	}
	c.last, c.cell = t, cell
	return t, nil
}
