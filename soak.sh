#!/bin/sh
# Long campaigns: every fuzz target for a while, the error bounds of the kernels
# over all of float32, the memory of an exhaustive analysis, and the full profile
# of every paper.
#
# usage: soak.sh [TIME PER FUZZ TARGET, such as 10m]
set -eu
time=${1:-10m}
for package in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		echo "== $package $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 5x "$package"
	done
done
FORETELL_EXHAUSTIVE=1 go test -timeout 4h ./internal/kernel
FORETELL_EXHAUSTIVE=1 go test -run TestBudget -v ./probe
go run ./cmd/foretell reproduce mess3 --profile full
