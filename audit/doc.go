// Package audit tests forecasts that you already have, by betting against them.
//
// Take the place of each outcome among what was forecast, its rank: 0 if it is below all
// that was thought possible, 0.5 if it is the median, 1 if it is above all. If the
// forecasts are right, nobody can know more about the next rank than that it is uniform
// on [0, 1]. So somebody offers bets at the odds of the uniform distribution, and a
// bettor who begins with a wealth of 1 predicts each rank before it is seen, by a density
// f. The wealth is multiplied by f at the rank that comes. Against right forecasts this
// is a fair game: the expected wealth is 1 at any time (a test martingale), and whatever
// the strategy, the probability that it ever reaches c is at most 1/c (Ville's
// inequality). A wealth of 3,400 is therefore evidence of 3,400 : 1. It is called an
// e-value, and it is valid at any time, also if you look each day and stop when you like:
//
//	ranks, err := audit.FromQuantiles(levels, forecasts, outcomes)
//	result, err := ranks.Audit(audit.Options{Season: 7})
//	fmt.Println(result.Sentence("day"))
//
// The logarithm of the wealth has a second meaning. A forecaster that had corrected its
// forecasts by the density f, rank by rank, would have gained log f in log score each
// time. So log wealth divided by the number of values is a gain in nats a value that the
// forecasts left on the table, on these values. That gain was reached, so at least as
// much was possible. Nothing is promised for other values.
//
// # Three kinds of forecasts
//
//   - [FromDistributions]: the ranks of full forecast distributions.
//   - [FromQuantiles]: quantiles, such as q10 … q90. A rank is known up to the interval
//     between two levels, and the bets are on the interval.
//   - [FromPoints]: single numbers. They state no uncertainty, so what can be tested is
//     whether the errors are exchangeable: whether their order carries information. The
//     rank of an error among the errors so far is then uniform (a conformal test
//     martingale). The gain in nats is over the forecast that adds the errors so far, all
//     equally probable, to your numbers.
//
// Full distributions are reduced to 42 cells, narrow at both ends. The bettor predicts
// the probability of each cell, so no density is infinite, and the expected wealth is 1
// exactly.
//
// # The bets
//
// A bettor has three stages. The first learns how the ranks are distributed: a Bayesian
// mixture of 255 normal laws of the normal score Φ⁻¹(rank), by shift and spread, and of
// histograms. It recalibrates the rank. The other two stages, one after the other, bet on
// how the recalibrated rank depends on the ones before: for each lag, a mixture of
// correlations of normal scores, of dependences of their size, and of a table of thirds;
// a bet that errors resemble the average of recent ones; and your [Bettor], such as a
// context tree. All weights are fixed in advance.
//
// # The findings
//
// Each [Fault] has an e-value: the wealth of a bettor that allows this fault, divided by
// the wealth, if that is above 1, of a bettor that allows every other fault. Evidence
// that another fault explains as well does not count. (A shape can imitate a shift or a
// spread, so it counts against these only as far as it explains more. Faults of the
// distribution must show with the bets on order, yours excepted, and without them.) A
// fault is found if its e-value is at least 20 times the number of faults looked for, and
// the e-value of the whole is at least 20. Under the hypothesis the average of their
// e-values has an expected value of at most 1, so the probability that anything is found
// is at most 1/20. That holds if the forecasts are right. If they are wrong, the name of
// the fault is the best explanation among those that were tried, and what is not found
// may still be there.
//
// # More than one step ahead
//
// The errors of right forecasts h steps ahead may depend on each other over fewer than h
// steps. [Options.Horizon] audits each h-th rank apart, and averages the h e-values. The
// average is an e-value for a length that was fixed in advance, not at any time.
//
// Sources: Shafer 2021, Testing by betting; Henzi & Ziegel 2022, Valid sequential
// inference on probability forecast performance; Arnold, Henzi & Ziegel 2023,
// Sequentially valid tests for forecast calibration; Vovk, Gammerman & Shafer 2022,
// Algorithmic learning in a random world (conformal test martingales).
package audit
