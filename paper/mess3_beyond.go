package paper

import (
	"fmt"
	"math"
	"strings"

	"foretell/probe"
	"foretell/process"

	"gonum.org/v1/gonum/mat"
)

// headsAsked is how many heads theory asks for.
func headsAsked(h *process.HMM) (int, error) {
	spectrum, err := h.Spectrum()
	if err != nil {
		return 0, err
	}
	return spectrum.Heads().Future, nil
}

// beyondConditions are each process of beyondMess3 with the heads that theory asks
// for and with one fewer.
func beyondConditions(p Profile) []condition {
	var list []condition
	for _, b := range beyondMess3 {
		for _, heads := range beyondHeads(source{name: b.name}) {
			for _, seed := range p.Seeds {
				list = append(list, smallCondition(p, source{name: b.name}, Shape{1, heads}, seed))
			}
		}
	}
	return list
}

// beyondHeads returns one head fewer than theory asks for, and that number.
func beyondHeads(s source) []int {
	h, err := s.hmm()
	if err != nil {
		panic("paper: " + err.Error())
	}
	asked, err := headsAsked(h)
	if err != nil {
		panic("paper: " + err.Error())
	}
	return []int{asked - 1, asked}
}

// beyondCell is a process with a number of heads, by seed.
type beyondCell struct {
	heads                     int
	first                     *subject  // of the first seed
	kl, missed                []float64 // by seed, as what follows
	constrained, random, full []float64 // R² on the intermediate stage
	profiles, even            []float64 // relative error, of the trained and of the untrained model
	spread                    []float64 // standard deviation of attention over words, relative to its mean
}

// testBeyond is M15.
func testBeyond(s *Study, c *Claim) error {
	table := Table{
		Title: fmt.Sprintf("means over %d seeds (± standard deviation); the upper row of a process has one head fewer than theory asks for", len(s.Profile.Seeds)),
		Columns: []string{
			"process", "eigenvalues", "heads", "KL to the optimum (nats)", "missed", "intermediate → constrained beliefs: R²", "random init", "→ beliefs instead", "profiles λⁿ from the heads: relative error", "random init", "spread of attention over words",
		},
	}
	var rows [][]float64
	var obtained []string
	holds, lower := true, true
	var drawn [][2]beyondCell
	for _, b := range beyondMess3 {
		on := source{name: b.name}
		heads := beyondHeads(on)
		var cells [2]beyondCell
		for i := range cells {
			cell, err := s.beyondCell(on, heads[i])
			if err != nil {
				return err
			}
			cells[i] = cell
			table.Rows = append(table.Rows, []string{
				b.name, eigenvalues(cell.first.hmm), fmt.Sprint(cell.heads),
				fmt.Sprintf("%.2e ± %.0e", mean(cell.kl), standardDeviation(cell.kl)), fmt.Sprintf("%.1f %%", 100*mean(cell.missed)),
				fmt.Sprintf("%.4f", mean(cell.constrained)), fmt.Sprintf("%.4f", mean(cell.random)), fmt.Sprintf("%.4f", mean(cell.full)), fmt.Sprintf("%.1f %%", 100*mean(cell.profiles)), fmt.Sprintf("%.1f %%", 100*mean(cell.even)), fmt.Sprintf("%.0f %%", 100*mean(cell.spread)),
			})
			for j, seed := range s.Profile.Seeds {
				rows = append(rows, []float64{
					float64(len(drawn)), float64(cell.heads), float64(seed), cell.kl[j], cell.missed[j], cell.constrained[j], cell.random[j], cell.full[j], cell.profiles[j], cell.even[j], cell.spread[j],
				})
			}
		}
		fewer, asked := cells[0], cells[1]
		ratio := mean(fewer.kl) / mean(asked.kl)
		holds = holds && ratio >= 2 && mean(asked.constrained) >= 0.95 && mean(asked.constrained) > max(mean(fewer.constrained), mean(asked.random)) &&
			mean(asked.profiles) <= 0.2 && mean(asked.profiles) < mean(fewer.profiles)
		lower = lower && ratio > 1
		obtained = append(obtained, fmt.Sprintf("%s, %s asked for: with one fewer KL is %.1f times as high (%s); R² %.3f, as asked %.3f; profiles off by %.0f %%, as asked %.0f %%",
			b.name, count(asked.heads, "head"), ratio, bySeed(fewer.kl, asked.kl), mean(fewer.constrained), mean(asked.constrained), 100*mean(fewer.profiles), 100*mean(asked.profiles)))
		drawn = append(drawn, cells)
	}
	c.Tables, c.Setting, c.Obtained = append(c.Tables, table), s.Profile.describe(s.Profile.Small), strings.Join(obtained, "; ")
	switch {
	case holds:
		c.Verdict = Holds
	case lower:
		c.Verdict = Differs
	default:
		c.Verdict = Fails
	}
	c.Notes = append(c.Notes,
		"The number of heads is the least with which one layer of attention that does not look at tokens can build the constrained belief for contexts of any length: as many as the profiles λⁿ span dimensions, and one more where no positive λ outlasts those that change sign.",
		"The column of profiles fits each (Re λⁿ and Im λⁿ for a complex λ, n ≥ 1) by a combination of the heads' mean attention over all pairs d > s, the first source left out; the error is the root of the squares left over those to be fitted. More heads fit better whatever they do; the column “random init” says how well as many untrained ones fit. Theory says that this vanishes when the heads suffice and do not look at tokens; the last column, the standard deviation of attention over words relative to its mean, says how much they do.",
		"The processes were chosen twice: with little noise (two tokens in ten replaced) the constrained geometry is far from linear in the beliefs, and a model can do without it; see the log.")
	if err := s.addBeyond(c, drawn); err != nil {
		return err
	}
	return s.addCSV(c, "beyond", []string{"process", "heads", "seed", "kl", "missed", "r2_constrained", "r2_constrained_random", "r2_full", "profile_error", "profile_error_random", "attention_spread"}, rows)
}

// bySeed says how many times as high a is as b, from the least to the most of the seeds:
// the ratio of means may be that of one.
func bySeed(a, b []float64) string {
	least, most := math.Inf(1), 0.0
	for i := range a {
		least, most = min(least, a[i]/b[i]), max(most, a[i]/b[i])
	}
	return fmt.Sprintf("by seed %.1f to %.1f", least, most)
}

func (s *Study) beyondCell(on source, heads int) (beyondCell, error) {
	cell := beyondCell{heads: heads}
	for i, seed := range s.Profile.Seeds {
		m := s.subjects[smallCondition(s.Profile, on, Shape{1, heads}, seed)]
		if i == 0 {
			cell.first = m
		}
		fit, err := fitProfiles(m, m.patterns)
		if err != nil {
			return cell, err
		}
		even, err := fitProfiles(m, m.untrained)
		if err != nil {
			return cell, err
		}
		st := m.mid()
		cell.kl, cell.missed = append(cell.kl, m.kl), append(cell.missed, m.missed())
		cell.constrained, cell.random = append(cell.constrained, st.constrained.Trained.HeldOut.R2), append(cell.random, st.constrained.Random.HeldOut.R2)
		cell.full, cell.profiles = append(cell.full, st.full.Trained.HeldOut.R2), append(cell.profiles, fit.relative)
		cell.even = append(cell.even, even.relative)
		spread := 0.0
		for _, p := range m.patterns[:heads] {
			spread += relativeSpread(p) / float64(heads)
		}
		cell.spread = append(cell.spread, spread)
	}
	return cell, nil
}

// profileFit is how far the heads' attention can make the lag profiles that the
// constrained belief asks for.
type profileFit struct {
	wanted   [][]float64 // [profile][n−1], n = 1 … T−2
	made     [][]float64 // the best combination of the heads, mean over sources at each lag
	relative float64     // root of the squares left, over those wanted
}

// fitProfiles combines the heads of the first layer to each profile λⁿ of a mode
// that some future sees, by least squares over all pairs d > s but those of the
// first source, where attention collects what is left of each row. The patterns are the
// subject's or those of its random initialisation.
func fitProfiles(m *subject, patterns []probe.Pattern) (*profileFit, error) {
	spectrum, err := m.hmm.Spectrum()
	if err != nil {
		return nil, err
	}
	heads, T := patterns[:m.Heads], m.prefixes.Length
	var attention []float64 // (pairs, heads)
	var lags []int
	eachPair(T, func(d, src int) {
		if src == 0 {
			return
		}
		for _, p := range heads {
			attention = append(attention, p.Mean[d*T+src])
		}
		lags = append(lags, d-src)
	})
	design := mat.NewDense(len(lags), len(heads), attention)
	var svd mat.SVD
	if !svd.Factorize(design, mat.SVDThin) {
		return nil, fmt.Errorf("%s: the singular value decomposition of its attention did not converge", m.label())
	}
	f := &profileFit{}
	left, all := 0.0, 0.0
	for _, mode := range spectrum.Modes {
		if mode.Future == 0 || mode.Eigenvalue == 0 {
			continue
		}
		for _, part := range profileParts(mode) {
			wanted := mat.NewVecDense(len(lags), nil)
			for i, n := range lags {
				wanted.SetVec(i, part(n))
			}
			var weights, made mat.VecDense
			svd.SolveVecTo(&weights, wanted, svd.Rank(1e-6))
			made.MulVec(design, &weights)
			sums, counts := make([]float64, T-2), make([]float64, T-2)
			for i, n := range lags {
				left += math.Pow(wanted.AtVec(i)-made.AtVec(i), 2)
				all += math.Pow(wanted.AtVec(i), 2)
				sums[n-1] += made.AtVec(i)
				counts[n-1]++
			}
			target := make([]float64, T-2)
			for n := range sums {
				sums[n] /= counts[n]
				target[n] = part(n + 1)
			}
			f.wanted, f.made = append(f.wanted, target), append(f.made, sums)
		}
	}
	f.relative = math.Sqrt(left / all)
	return f, nil
}

// profileParts returns λⁿ as functions of n: of a pair the real and the imaginary
// part.
func profileParts(m process.Mode) []func(n int) float64 {
	parts := []func(n int) float64{func(n int) float64 { return real(m.Profile(n, 0)) }}
	if m.Pair() {
		parts = append(parts, func(n int) float64 { return imag(m.Profile(n, 0)) })
	}
	return parts
}

// eigenvalues prints those of T that are not 1.
func eigenvalues(h *process.HMM) string {
	spectrum, err := h.Spectrum()
	if err != nil {
		return err.Error()
	}
	var list []string
	for _, m := range spectrum.Modes[1:] {
		if m.Pair() {
			list = append(list, fmt.Sprintf("%.2g·exp(±%.0f°i)", m.Modulus(), m.Phase()*180/math.Pi))
			continue
		}
		list = append(list, fmt.Sprintf("%.2g", real(m.Eigenvalue)))
	}
	return strings.ReplaceAll(strings.Join(list, ", "), "-", "−")
}
