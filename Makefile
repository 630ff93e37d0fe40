# make test is all that a change must pass; it installs what it needs.
# make soak runs what takes hours: long fuzzing and the full profile.

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOFUMPT     = mvdan.cc/gofumpt@v0.12.0
FUZZTIME   ?= 10m

.PHONY: test check latex arm64 i386 build generate goldens golden-outputs soak

test: check latex
	go test ./...
	$(MAKE) arm64
	GOARCH=arm64 go build ./...
	GOOS=darwin GOARCH=arm64 go build ./...
	GOOS=windows go build ./...
	GOARCH=386 go build ./...
	$(MAKE) i386

check:
	go vet ./...
	go run $(STATICCHECK) ./...
	@unformatted=$$(go run $(GOFUMPT) -l .); if [ -n "$$unformatted" ]; then echo "gofumpt would change: $$unformatted"; exit 1; fi
	go mod tidy -diff

# For the walks in LaTeX, which must compile.
latex:
	@command -v pdflatex >/dev/null || { apt-get update && apt-get install -y --no-install-recommends texlive-latex-base; }

# The kernels, and the bits of training and of signals, on arm64, emulated.
arm64:
	@command -v qemu-aarch64-static >/dev/null || { apt-get update && apt-get install -y --no-install-recommends qemu-user-static; }
	GOARCH=arm64 go vet ./internal/kernel
	GOARCH=arm64 go test -short -exec qemu-aarch64-static ./internal/kernel ./internal/portable ./internal/random ./internal/linalg
	GOARCH=arm64 go test -short -exec qemu-aarch64-static -run 'Bits|PyTorch' ./train
	GOARCH=arm64 go test -short -exec qemu-aarch64-static -run 'MackeyGlass|Sine' ./process
	GOARCH=arm64 go test -short -exec qemu-aarch64-static -run BitsAreTheseEverywhere ./token

# The bits of training with words of 32 bits, where the processor runs them.
i386:
	@case $$(uname -m) in x86_64|i?86) GOARCH=386 go test -run 'Bits/generic/.*/3$$' ./train;; esac

build:
	go build -o foretell ./cmd/foretell

# The assembly of internal/kernel from its generator.
generate:
	go generate ./internal/kernel

# References from PyTorch and NumPy, and a font's widths; needs Debian's python3-torch,
# python3-fonttools and fonts-liberation.
goldens:
	/usr/bin/python3 train/testdata/torch_golden.py
	/usr/bin/python3 figure/testdata/liberation_widths.py

# What a rebuild may not move: outputs of all commands and of the quick reproductions.
golden-outputs: build
	@mkdir -p .cache
	./golden-outputs.sh ./foretell > .cache/golden-outputs.sum
	diff golden-outputs.sum .cache/golden-outputs.sum && echo "no difference"

soak:
	./soak.sh $(FUZZTIME)
