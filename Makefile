# make test runs all tests that a change must pass. It needs only Go and make: tests that
# need more are skipped if it is missing, and listed and counted at the end.
# make test-all first installs what they need, as root or with sudo, and skips nothing.
# make soak runs what takes hours: long fuzzing and the full profile.
# make mutants also takes hours: it changes the code of the packages that compute, one
# place at a time, and lists the changes that the package's tests do not notice.

# Tools run at the versions and checksums of tools/go.mod, which is a separate module.
TOOL        = go tool -modfile=tools/go.mod
FUZZTIME   ?= 10m
# The sample of make mutants: make mutants PACKAGES=./token COUNT=20 SEED=2
PACKAGES   ?= ./process ./theory ./probe ./model ./claim ./craft ./token ./train ./walk ./intervene ./figure ./paper/coin \
	./contexttree ./fit ./audit ./series \
	./internal/kernel ./internal/linalg ./internal/random ./internal/portable
COUNT      ?= 100
SEED       ?= 1
# Debian packages that tests need.
NEEDED      = gcc libc6-dev chromium texlive-latex-base qemu-user-static python3-torch python3-pandas python3-yaml python3-matplotlib python3-onnx \
	munge slurmctld slurmd slurm-client

# The documents and the profile of make results.
DOCUMENTS  ?= mess3 coin abc beliefs induction signals entropy
PROFILE    ?= full

# The folder for make install, as in make install PREFIX=~/.local.
PREFIX ?= /usr/local

.PHONY: test test-all needed onnxruntime check race arm64 wasm elsewhere i386 lab module-tests pages build man install dist generate goldens golden-outputs soak mutants results render-results

test: check
	@mkdir -p .cache && rm -f .cache/needs
	$(MAKE) race
	$(MAKE) arm64
	$(MAKE) wasm
	$(MAKE) elsewhere
	$(MAKE) i386
	$(TOOL) gotestsum --format pkgname --hide-summary skipped --jsonfile .cache/tests.json -- ./...
	$(MAKE) module-tests
	@grep -ho 'needs: skipped: [^"\\]*' .cache/tests.json .cache/tests-*.json >> .cache/needs || true
	@sed 's/^needs: //' .cache/needs
	@echo "$$(wc -l < .cache/needs) skipped because something is missing; make test-all installs it"

test-all: needed
	CI=true $(MAKE) test

needed: onnxruntime
	$$([ $$(id -u) = 0 ] || echo sudo) sh -c 'apt-get update && apt-get install -y --no-install-recommends $(NEEDED)'

# ONNX Runtime, 250 MB unpacked, by npm, which is not among the Debian packages because
# many machines have another Node.js. Its own script would only fetch a library for GPUs.
onnxruntime:
	npm install --prefix .cache/node --ignore-scripts --no-audit --no-fund onnxruntime-node@1.23.2

check:
	go vet ./...
	$(TOOL) staticcheck ./...
	@unformatted=$$($(TOOL) gofumpt -l .); if [ -n "$$unformatted" ]; then echo "gofumpt would change: $$unformatted"; exit 1; fi
	go mod tidy -diff
	go -C tools mod tidy -diff
	go -C internal/kernel/asm mod tidy -diff
	@for module in $(MODULES); do (set -x; cd $$module && go mod tidy -diff && go vet ./... && $(MODULETOOL) staticcheck ./...) || exit 1; done
	$(TOOL) actionlint -shellcheck= -pyflakes= .github/workflows/*.yml

# Runs the race detector, which needs cgo, on what an interrupted training run leaves
# running.
race:
	@mkdir -p .cache; if [ "$$(go env CGO_ENABLED)" = 1 ] && command -v "$$(go env CC)" >/dev/null; then \
		go test -race -run 'InterruptedWork|Closed|PoolIsLeft' ./train; \
	elif [ -n "$$CI" ]; then echo "race needs a C compiler; nothing is skipped when CI is set"; exit 1; \
	else echo "needs: skipped: race needs a C compiler (Debian: gcc, libc6-dev)" >> .cache/needs; fi

# Tests the kernels, and the bits of training, processes and tokens, on emulated arm64.
QEMU = GOARCH=arm64 go test -short -exec qemu-aarch64-static
arm64:
	GOARCH=arm64 go vet ./internal/kernel
	@mkdir -p .cache; if command -v qemu-aarch64-static >/dev/null; then $(MAKE) emulated; \
	elif [ -n "$$CI" ]; then echo "arm64 needs qemu-aarch64-static; nothing is skipped when CI is set"; exit 1; \
	else echo "needs: skipped: arm64 needs qemu-aarch64-static (Debian: qemu-user-static)" >> .cache/needs; fi

emulated:
	$(QEMU) ./internal/kernel ./internal/portable ./internal/random ./internal/linalg
	$(QEMU) -run 'Bits|PyTorch' ./train
	$(QEMU) -run 'Bits|MackeyGlass|Sine' ./process
	$(QEMU) -run BitsAreTheseEverywhere ./token

# Tests the kernels and the bits of training in WebAssembly under Node.js, with the
# kernels as modules; lab/browser does so in Chromium. A host that does not know the
# kernels runs the Go loops.
WASM = GOOS=js GOARCH=wasm go test -short
NODE = node --stack-size=8192 $(CURDIR)/internal/kernel/wasm_node.js
wasm:
	GOOS=js GOARCH=wasm go vet -tags wasmkernel ./internal/kernel ./lab/tab
	@mkdir -p .cache; if command -v node >/dev/null; then $(MAKE) innode; \
	elif [ -n "$$CI" ]; then echo "wasm needs node; nothing is skipped when CI is set"; exit 1; \
	else echo "needs: skipped: wasm needs node (Debian: nodejs)" >> .cache/needs; fi

innode:
	$(WASM) -tags wasmkernel -exec "$(NODE)" ./internal/kernel
	$(WASM) -tags wasmkernel -exec "$(NODE)" -run SameBitsEverywhere ./train
	$(WASM) -exec "$$(go env GOROOT)/lib/wasm/go_js_wasm_exec" -run BitsAreTheseEverywhere ./internal/kernel

elsewhere:
	GOARCH=arm64 go build ./...
	GOOS=darwin GOARCH=arm64 go build ./...
	GOOS=windows go build ./...
	GOARCH=386 go build ./...
	GOOS=js GOARCH=wasm go build ./internal/kernel ./train
	GOOS=wasip1 GOARCH=wasm go build ./internal/kernel ./train

# Tests the bits of training on 32-bit x86, if the processor can run it.
i386:
	@case $$(uname -m) in x86_64|i?86) GOARCH=386 go test -run 'Bits/generic/.*/3$$' ./train;; esac

# The bundler of the laboratory's front end, its tests in a browser, and the comparison
# with GoMLX are modules of their own. Their tests read files of other modules, which Go's
# test cache does not notice (-count=1).
MODULES    = lab/web/bundle lab/browser bench/peer/gomlx
MODULETOOL = go tool -modfile=$(CURDIR)/tools/go.mod
module-tests:
	@mkdir -p .cache; for module in $(MODULES); do (cd $$module && $(MODULETOOL) gotestsum --format pkgname --hide-summary skipped \
		--jsonfile $(CURDIR)/.cache/tests-$$(basename $$module).json -- -count=1 ./...) || exit 1; done

# Bundles lab/web/src into lab/web/dist, which is committed.
lab:
	go -C lab/web/bundle run .

# Without cgo, which pflag would pull in through net, the program is one static file and
# runs in 1 GB of address space (ulimit -v) instead of 2 GB, with the same bits.
build: pages
	CGO_ENABLED=0 go build -tags pages -o foretell ./cmd/foretell

# The engine of pages without a server, which the program embeds with -tags pages.
pages:
	go run ./lab/web/pack

man: build
	./foretell man --out man >/dev/null

install: build
	mkdir -p $(DESTDIR)$(PREFIX)/bin
	install -m 755 foretell $(DESTDIR)$(PREFIX)/bin/foretell
	./foretell man --out $(DESTDIR)$(PREFIX)/share/man/man1

# Archives of the program for all systems, with checksums, in the folder dist. The same
# commit gives the same bytes.
dist:
	go run ./internal/dist -out dist

# Generates the assembly of internal/kernel.
generate:
	go generate ./internal/kernel

# Computes reference values with PyTorch and NumPy, and the widths of a font's characters.
# Needs the Debian packages python3-torch, python3-fonttools and fonts-liberation.
goldens:
	/usr/bin/python3 train/testdata/torch_golden.py
	/usr/bin/python3 figure/testdata/liberation_widths.py

# Compares outputs that a rebuild must not change: of commands and quick reproductions.
golden-outputs: build
	@mkdir -p .cache
	./golden-outputs.sh ./foretell > .cache/golden-outputs.sum
	diff golden-outputs.sum .cache/golden-outputs.sum && echo "no difference"

soak:
	./soak.sh $(FUZZTIME)

mutants:
	nice -n 19 go run ./internal/mutant -count $(COUNT) -seed $(SEED) $(PACKAGES)

# Tests every claim of the documents, and writes what was found into docs/results, into
# the table of README.md and into the laboratory's page Reproduce. The full profile takes
# hours. Reports and models are kept in .cache/results: if interrupted, it resumes, and
# the next time it tests only the rows that are new or whose rule has changed.
# make results DOCUMENTS="coin abc" PROFILE=quick takes two minutes.
results:
	CGO_ENABLED=0 go build -buildvcs=auto -o .cache/results/foretell ./cmd/foretell
	@for document in $(DOCUMENTS); do \
		dir=.cache/results/$(PROFILE)/$$document; \
		args=$$(go run ./report/publish -needed $$document -profile $(PROFILE) $$dir) || exit 1; \
		if [ -n "$$args" ]; then echo "reproduce $$args"; .cache/results/foretell reproduce $$args || exit 1; fi; \
	done
	go run ./report/publish -commit "$$(git describe --always --dirty --abbrev=12 --exclude '*')" \
		$(DOCUMENTS:%=.cache/results/$(PROFILE)/%)
	go test ./lab -run TestPrintedValues -update
	$(MAKE) lab

# Writes docs/results again from what is kept there (docs/results/*.json), and marks as
# stale what has changed since. It runs nothing: seconds.
render-results:
	go run ./report/publish
