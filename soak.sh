#!/bin/sh
# Long test campaigns: every fuzz target for some time; the error bounds of the kernels
# over all of float32; hostile names and command lines; the memory of an exhaustive
# analysis; kills, failing calls, and changes of a run by other programs; the laboratory
# under load; and the full profile of mess3.
#
# usage: soak.sh [TIME PER FUZZ TARGET, such as 10m]
set -eu
time=${1:-10m}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for package in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		echo "== $package $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 5x "$package" 2>&1 | tee "$log"
		# On a busy machine Go's fuzzing can fail at the end of its time without a
		# failing input (go.dev/issue/75804).
		if grep -q '^--- FAIL\|^FAIL' "$log"; then
			grep -q '^ *context deadline exceeded$' "$log" || exit 1
			! grep -q 'Failing input written' "$log" || exit 1
			echo "== no failing input; the time was up"
		fi
	done
done
# A million configurations read back as they were written.
go test -run '^$' -fuzz '^FuzzMarshal$' -fuzztime 1000000x -fuzzminimizetime 5x ./internal/strict
go test -run '^$' -fuzz '^FuzzWritten$' -fuzztime 1000000x -fuzzminimizetime 5x ./train
go test ./train -run TestEveryConfigurationIsReadBack -rapid.checks=5000
FORETELL_EXHAUSTIVE=1 go test -timeout 4h ./internal/kernel
FORETELL_EXHAUSTIVE=1 go test -run TestHostileNames ./cmd/foretell
FORETELL_EXHAUSTIVE=1 go test -timeout 1h -run TestKilledAtEachCall ./report
FORETELL_EXHAUSTIVE=1 go test -timeout 4h -v ./internal/hostile
FORETELL_EXHAUSTIVE=1 go test -run TestBudget -v ./probe
FORETELL_EXHAUSTIVE=1 go test -timeout 4h ./run
FORETELL_EXHAUSTIVE=1 go test -run 'TestLoadOfALecture|TestWatchedRunIsAsFast' -v ./lab
go run ./cmd/foretell reproduce mess3 --profile full
