#!/usr/bin/env bash
# Outputs that a rebuild must not change: --json and text of the commands below, and the
# claims, figures, data and runs of the quick reproductions of coin, abc, beliefs and
# mess3. Prints one line per output, its SHA-256 and its name. Times, and what depends
# on the machine, are left out.
#
# usage: golden-outputs.sh FORETELL [FOLDER]    the program; the folder for its outputs
#
#   make golden-outputs                         compares with golden-outputs.sum
#   ./golden-outputs.sh ./foretell out > golden-outputs.sum
#
# To see how outputs differ, run it with two programs and two folders, and compare the
# folders. It takes about seven minutes on two cores.
set -euo pipefail
program=$(realpath "$1")
folder=${2:-$(mktemp -d)}
mkdir -p "$folder"
cd "$folder"

# keep NAME COMMAND… saves what a command prints, and its exit status.
keep() {
	local to=commands/$1 status=0
	shift
	"$program" "$@" >"$to" 2>"$to.err" </dev/null || status=$?
	sed -E 's/"seconds":[-+.e0-9]+/"seconds":0/g' -i "$to"
	echo "exit status $status" >>"$to"
	rm -f "$to.err"
}

mkdir -p commands
keep process-list process list
keep process-list.json process list --json
for name in $(sed -E 's/ .*//' commands/process-list | grep -v '^exit$'); do
	keep "show-$name" process show "$name"
	keep "all-$name" process show "$name" --all
	keep "show-$name.json" process show "$name" --json
	keep "check-$name.json" process check "$name" --json
	keep "floor-$name.json" process floor "$name" --positions 5 --json
	keep "beliefs-$name" process beliefs "$name" --tokens 0,1,0
	keep "beliefs-$name.json" process beliefs "$name" --tokens 0,1,0 --json
	keep "sample-$name.json" process sample "$name" -n 3 --length 30 --seed 7 --json
	keep "states-$name.dot" process show "$name" --format dot
	for what in states beliefs geometry attention; do
		keep "$what-$name.svg" process show "$name" --format svg --graph "$what"
	done
done
keep floor-mess3 process floor mess3 --param x=0.05 --param a=0.85 --positions 10
keep sample-mess3 process sample mess3 -n 2 --length 12

cat >mess3.yaml <<'YAML'
process: {name: mess3, params: {x: 0.05, a: 0.85}}
model:   {d_model: 16, n_layers: 1, n_heads: 2, d_mlp: 32, n_ctx: 6, normalization_type: LN, initializer_range: 0.02}
train:   {seed: 3, batch_size: 32, num_steps: 200, lr: 3e-3, lr_schedule: cosine}
YAML
cat >rrxor.yaml <<'YAML'
process: {name: rrxor}
model:   {d_model: 12, n_layers: 2, n_heads: [1, 2], n_ctx: 7, positional_embedding_type: rotary, d_head: 6}
train:   {batch_size: 16, num_steps: 100, lr: 1e-2, optimizer: adamw, weight_decay: 0.01, loss_positions: [6, 7], loss_weights: [1, 2]}
YAML
cat >switching.yaml <<'YAML'
process: {name: switching_delay}
model:   {d_model: 16, n_layers: 1, n_heads: 1, n_ctx: 64}
train:   {batch_size: 8, num_steps: 30, lr: 1e-3, optimizer: sgd, momentum: 0.9}
YAML
cat >coin.yaml <<'YAML'
process: {name: coin, params: {a: 2, b: 5, bos: 1}}
model:   {d_model: 8, n_layers: 1, n_heads: 1, n_ctx: 12, act_fn: relu}
train:   {batch_size: 16, num_steps: 50, lr: 1e-2, max_grad_norm: 1}
YAML
cat >long.yaml <<'YAML'
process: {name: mess3}
model:   {d_model: 8, n_layers: 1, n_heads: 1, n_ctx: 14}
train:   {batch_size: 16, num_steps: 20, lr: 1e-3}
YAML
for run in mess3 rrxor switching coin; do
	keep "train-$run.json" train $run.yaml --out runs/$run --json
	keep "predict-$run.json" predict runs/$run --tokens 2,1,0 --json
	keep "predict-$run" predict runs/$run --tokens 0,1,0
	keep "probe-$run.json" probe runs/$run --json
	keep "walk-$run.json" walk runs/$run --tokens 0,1 --json
done
keep generate-mess3.json generate runs/mess3 --tokens 0,1 --slide --seed 5 --json
keep generate-rrxor.json generate runs/rrxor --tokens 0,1 -n 5 --temperature 0.7 --top-p 0.9 --json
keep generate-coin generate runs/coin --tokens 2,1 --temperature 0
keep probe-mess3 probe runs/mess3 --steer
keep probe-mess3-steer.json probe runs/mess3 --steer --concat --target constrained --json
keep probe-rrxor-steer.json probe runs/rrxor --steer --concat --json
keep probe-mess3-piotrowski2025.json probe runs/mess3 --convention piotrowski2025 --json
keep probe-mess3-each.json probe runs/mess3 --convention each,word --json
keep probe-mess3-linear.json probe runs/mess3 --target linear --json
keep runs-check.json runs check runs/mess3 runs/rrxor --json
keep runs-list.json runs list runs --json
keep train-long.json train long.yaml --out runs/long --json
keep probe-long.json probe runs/long --json
for format in text markdown latex html; do
	keep "walk.$format" walk runs/mess3 --tokens 0,1,2 --format $format
done
for name in coin coin-attention; do
	keep "predict-craft-$name.json" predict craft:$name --param a=2 --param b=5 --param n_ctx=32 --tokens 2,1,1,0 --json
	keep "walk-craft-$name.json" walk craft:$name --param n_ctx=4 --param error=0.1 --tokens 2,1,1,0 --json
done
induction=(craft:induction --param "lags=[2,5]" --param heads=1 --param n_ctx=16)
keep predict-craft-induction.json predict "${induction[@]}" --tokens 0,1,2,0,1,1,1,2,0,0,1,2 --json
keep generate-craft-induction.json generate "${induction[@]}" --tokens 0,1,2 --temperature 0.7 --top-k 2 --json
keep craft-show-induction.json craft show "${induction[@]}" --json
for paper in coin abc beliefs mess3; do
	keep "reproduce-$paper.json" reproduce $paper --out reports/$paper --json
	sed -E -e 's/"seconds": ?[-+.e0-9]+/"seconds":0/' -e '/"environment": \[/,/^  \]/d' -i reports/$paper/claims.json
done

# Files that name the machine, the command or the day are left out.
find . -type f ! -name env.json ! -name 'report.*' ! -name .lock | LC_ALL=C sort | xargs sha256sum
