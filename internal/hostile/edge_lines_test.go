package hostile

import (
	"iter"
	"strings"
)

// edges are templates of valid command lines with a large amount of work. {a|b} means one
// command with a and one with b; [Edges] expands them. The tests create the files that
// they name.
var edges = []string{
	// Processes with many states, many tokens, or both.
	"process {show|check} ring-{64|512|1024}.yaml{| --json}",
	"process show ring-{64|512|1024}.yaml --out new.{svg|html|csv|json|dot}",
	"process show ring-{512|1024}.yaml --graph {states|beliefs|geometry|attention} --out new.svg",
	"process show ring-{512|1024}.yaml --all",
	"process beliefs ring-{64|512|1024}.yaml --tokens @word.txt",
	"process beliefs ring-512.yaml --tokens @word.txt{ --json| --out new.svg| --out new.csv}",
	"process floor ring-{64|512|1024}.yaml --positions {64|1048576}",
	"process floor ring-512.yaml --positions 64{ --json| --out new.svg| --out new.html| --out new.csv}",
	"process {show|check|floor|sample} iid --param n={2000|65536}",
	"process show iid --param n={2000|65536} --out new.{svg|html|csv}",
	"process show iid --param n=2000 --all",
	"process {show|check|floor} sine --param period=256 --param levels=256",
	"process {show|check|floor} periodic --param pattern=@pattern.txt",
	"process {show|check|floor} markov --param P=@matrix.json",

	// Parameters of processes without hidden states.
	"process {show|sample} random_chains --param tokens=512",
	"process floor random_chains --param tokens={16|512} --param lags=[1,2,3,4,5,6,7,8]",
	"process {show|check|floor|sample} switching_delay --param delays=[1000,1024]",
	"process {show|floor} brackets --param depth=64 --param tags={30|4096}",
	"process {show|floor} routing --param numbers=4096",
	"process {show|sample} mackey_glass --param points=1048576",
	"process {show|sample} recording --param signal=@{signal|short}.csv",
	"process {show|floor} mixture --param components=@components.json --param weights=@weights.json",
	"process {show|check|floor} factored --param first=mess3_mixture --param second=golden_mean_5_3",

	// Long floors and large samples.
	"process floor {coin|mess3|rrxor|fractal2|frdn|moon|interleaved|routing} --positions 1048576",
	"process floor {sine|brackets|switching_delay|random_chains} --positions 1048576",
	"process sample mess3 -n 1000000000{| --json| --out new.csv| --out new.json| --out new.svg}",
	"process sample {iid --param n=65536|ring-1024.yaml} -n 1000000 --length 1000{ --json| --out new.csv}",
	"process sample mess3 -n 1000 --length 16777216{| --json| --out new.csv| --out new.svg}",

	// Training runs.
	"train small.yaml --out new --set model.{n_ctx=16384|n_layers=200|d_model=8192|d_mlp=500000|n_heads=8}",
	"train small.yaml --out new --set train.{batch_size=1000000|num_steps=1000000000|evaluate_sequences=10000000}",
	"train small.yaml --out new --set train.objective=exact --set train.batch_size=0 --set model.n_ctx={10|14}",
	"train long.yaml --out new --set train.evaluate_sequences={65536|1000000}",

	// Models: a small run, and handwritten models.
	"generate run --tokens 0 -n 16777216 --slide{| --json| --out new.csv}",
	"probe run{| --json| --steer --concat| --out new.html} --length 12",
	"patch run --pairs {100000|1000000}{| --out new.html}",
	"ablate run --with resample --length 12{| --out new.svg}",
	"walk run --tokens 0,1,2,0,1,2,0,1,2,0 --size 64 --out new.{html|tex}",
	"plot run --out new.{svg|html}",
	"predict craft:coin --tokens 2,0,1 --param n_ctx={65536|1048576}",
	"generate craft:coin --tokens 2 --param n_ctx=4096 -n 16777216 --slide",
	"probe craft:{coin|induction|switching-delay|brackets} --param n_ctx=256 --out new.html",
	"patch craft:{coin|induction} --param n_ctx=128 --pairs 100000",
	"ablate craft:{coin|routing|delay} --param n_ctx=256",
	"walk craft:coin --tokens 2,0,1 --param n_ctx=65536 --size 64 --out new.html",
	"craft show craft:induction --param n_ctx=2048",

	// Measurements of speed.
	"bench {train mess3|sample mess3|prefixes|kernel} --seconds 3600",
	"bench sample mess3 --seconds 3600 --length 16777216",
}

// Edges returns command lines, without the program's name, that ask for as much as the
// program accepts. The order is always the same.
func Edges() iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for _, template := range edges {
			for _, line := range expand(template) {
				if !yield(strings.Fields(line)) {
					return
				}
			}
		}
	}
}

// expand returns all lines of a template: one for each choice of the alternatives in
// braces.
func expand(template string) []string {
	before, rest, found := strings.Cut(template, "{")
	if !found {
		return []string{template}
	}
	alternatives, after, _ := strings.Cut(rest, "}")
	var lines []string
	for alternative := range strings.SplitSeq(alternatives, "|") {
		for _, end := range expand(after) {
			lines = append(lines, before+alternative+end)
		}
	}
	return lines
}
