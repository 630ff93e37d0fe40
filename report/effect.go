package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"foretell/claim"
)

// amount returns an effect's estimate with its interval and unit: "0.55 ± 0.03 nats".
func amount(e *claim.Effect) string {
	return withUnit(withInterval(e.Estimate, e.Interval), e.Unit)
}

// reached returns how many of the models show an effect, as "4 of 5", or "" if they were
// not counted.
func reached(e *claim.Effect) string {
	if e.Reached == nil {
		return ""
	}
	return fmt.Sprintf("%d of %d", e.Reached.K, e.Reached.N)
}

// brief returns an effect in a few words: "4 of 5: 0.55 ± 0.03 nats".
func brief(e *claim.Effect) string {
	if share := reached(e); share != "" {
		return share + ": " + amount(e)
	}
	return amount(e)
}

// basis returns what an estimate and its interval are computed from: "95 %, 3 models".
func basis(e *claim.Effect) string {
	switch {
	case e.Seeds == 0 && e.Interval != nil:
		return "95\u00a0%, over samples"
	case e.Seeds == 0:
		return "exact"
	case e.Seeds == 1:
		return "one model"
	case e.Interval == nil:
		return fmt.Sprintf("%d models", e.Seeds)
	}
	return fmt.Sprintf("95\u00a0%%, %d models", e.Seeds)
}

// shareText returns how many of the models show an effect, with a confidence interval for
// their share.
func shareText(s *claim.Share) string {
	percent := func(p float64) string { return strconv.FormatFloat(100*p, 'f', 0, 64) }
	return fmt.Sprintf("%d of %d models have the effect (95\u00a0%%: %s to %s\u00a0%%)",
		s.K, s.N, percent(s.Interval.Low), percent(s.Interval.High))
}

// compared formats a number that an effect is compared with, in the effect's unit.
func compared(r *claim.Reference, unit string) string {
	return withUnit(significant(r.Value), unit)
}

// effectText returns a full description of an effect: its name, its estimate, and the
// numbers that it is compared with.
func effectText(e *claim.Effect) string {
	parts := []string{fmt.Sprintf("%s: %s (%s)", e.What, amount(e), basis(e))}
	if e.Reached != nil {
		parts = append(parts, shareText(e.Reached))
	}
	if e.Document != nil {
		parts = append(parts, fmt.Sprintf("document %s (%s)", compared(e.Document, e.Unit), e.Document.What))
	}
	if e.Control != nil {
		parts = append(parts, fmt.Sprintf("control %s (%s)", compared(e.Control, e.Unit), e.Control.What))
	}
	return strings.Join(parts, "; ")
}

// beside reports which numbers a claim's conditions have: Effect is true if at least one
// condition has an effect, Document and Control if at least one effect is compared with
// such a number.
type beside struct{ Effect, Document, Control bool }

func besideAny(conditions []claim.Condition) (b beside) {
	for _, c := range conditions {
		if e := c.Effect; e != nil {
			b.Effect, b.Document, b.Control = true, b.Document || e.Document != nil, b.Control || e.Control != nil
		}
	}
	return b
}

// commonEffect returns the name of the conditions' effects if all have the same name, and
// "" otherwise.
func commonEffect(conditions []claim.Condition) (what string) {
	for _, c := range conditions {
		switch {
		case c.Effect == nil:
		case what == "":
			what = c.Effect.What
		case what != c.Effect.What:
			return ""
		}
	}
	return what
}

// withUnit appends a unit to a number, with a no-break space if the unit is short.
func withUnit(number, unit string) string {
	switch {
	case unit == "":
		return number
	case utf8.RuneCountInString(unit) <= 2:
		return number + "\u00a0" + unit
	}
	return number + " " + unit
}

// withInterval returns a number with its interval: "0.551 ± 0.004". Both are rounded to
// the first digit of the half width, or to the second if its first two digits are at most
// 35. An interval that is not centred on the number is written "0.55 (0.52 to 0.61)".
func withInterval(x float64, i *claim.Interval) string {
	if i == nil {
		return significant(x)
	}
	half, centre := (i.High-i.Low)/2, (i.High+i.Low)/2
	if math.Abs(centre-x) > 0.01*half {
		return fmt.Sprintf("%s (%s to %s)", significant(x), significant(i.Low), significant(i.High))
	}
	size := max(math.Abs(x), half)
	if half < 1e-6*size || size == 0 { // for example if all seeds agree
		return significant(x) + " ± " + significant(half)
	}
	scale, exponent := 1.0, ""
	if size < 1e-3 || size >= 1e5 {
		e := int(math.Floor(math.Log10(size)))
		scale, exponent = math.Pow10(e), fmt.Sprintf("e%d", e)
	}
	lead := int(math.Floor(math.Log10(half / scale)))
	places := -lead
	if half/scale < 3.55*math.Pow10(lead) {
		places++
	}
	fixed := func(x float64) string { return strconv.FormatFloat(x/scale, 'f', max(places, 0), 64) }
	text := fixed(x) + " ± " + fixed(half)
	if exponent != "" {
		text = "(" + text + ")" + exponent
	}
	return minus(text)
}

// significant returns a number to four significant digits, with an exponent if it is
// below 1e-3 or at least 1e5. An integer of six digits is written in full.
func significant(x float64) string {
	if size := math.Abs(x); size >= 1e5 && size < 1e6 && x == math.Trunc(x) {
		return minus(fmt.Sprintf("%d,%03d", int(x)/1000, int(size)%1000))
	}
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'e', 3, 64), 64)
	if size := math.Abs(x); size == 0 || size >= 1e-3 && size < 1e5 {
		return minus(strconv.FormatFloat(x, 'f', -1, 64))
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
	n, _ := strconv.Atoi(exponent)
	return minus(fmt.Sprintf("%se%d", mantissa, n))
}
