package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"foretell/bench"
)

// sizes are what a peer must know of a reference model.
type sizes struct {
	Model  string `json:"model"`
	DVocab int    `json:"d_vocab"`
	NCtx   int    `json:"n_ctx"`
	DModel int    `json:"d_model"`
	NHeads []int  `json:"n_heads"` // of each layer
	DHead  int    `json:"d_head"`
	DMLP   int    `json:"d_mlp"` // 0 without MLP
	Norm   bool   `json:"norm"`  // layer norm before each part and the output
	Batch  int    `json:"batch"`

	parameters int // of foretell's model, without the bias of the output, which no peer has
}

// sizesOf returns the sizes of a reference model.
func sizesOf(m bench.Model) (sizes, error) {
	config, err := m.Config.Resolve()
	if err != nil {
		return sizes{}, err
	}
	c := config.Model
	s := sizes{
		Model: m.Name, DVocab: c.DVocab, NCtx: c.NCtx, DModel: c.DModel, NHeads: c.NHeads, DHead: c.DHead,
		DMLP: c.DMLP, Norm: c.NormalizationType == "LN", Batch: config.Train.BatchSize, parameters: c.Parameters(),
	}
	if c.AttnOnly {
		s.DMLP = 0
	}
	if c.HasUnembedBias() {
		s.parameters -= c.DVocab
	}
	return s, nil
}

// engine is a peer that is ready to run.
type engine struct {
	name  string
	modes []string
	env   []string
	// command returns the program that trains a model for some seconds, and its arguments.
	command func(s sizes, mode string, threads int, seconds float64) []string
	// tied says that the model is a GPT-2, whose output matrix is the token embedding.
	tied bool
}

// misses says what the engine has that the model has not, so that it cannot express the
// model; it is empty if it can.
func (e engine) misses(s sizes) string {
	if e.tied && (!s.Norm || s.DMLP != 4*s.DModel || s.NHeads[0]*s.DHead != s.DModel) {
		return "layer norm, an MLP of width 4·d_model and heads that share d_model"
	}
	return ""
}

// patience is how long a run may take in addition to the time for which it trains.
const patience = time.Minute

// speed runs the engine for one model and returns its tokens per second.
func (e engine) speed(s sizes, mode string, threads int, seconds float64) (float64, error) {
	limit := patience + time.Duration(seconds*float64(time.Second))
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	args := e.command(s, mode, threads, seconds)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(), e.env...)
	cmd.Env = append(cmd.Env, fmt.Sprintf("OMP_NUM_THREADS=%d", threads), fmt.Sprintf("GOMAXPROCS=%d", threads))
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return 0, fmt.Errorf("it did not end within %v", limit)
	}
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, lastLine(exit.Stderr))
		}
		return 0, err
	}
	want := s.parameters
	if e.tied {
		want -= s.DVocab * s.DModel
	}
	return read(lastLine(out), want, s.DVocab)
}

// read reads the line that a peer prints, and returns its tokens per second if it has
// trained the model: if it has the number of parameters, and its loss begins within 5 %
// of ln d_vocab and falls.
func read(line []byte, parameters, vocab int) (float64, error) {
	var result struct {
		Speed      float64 `json:"tokens_per_second"`
		Parameters int     `json:"parameters"`
		First      float64 `json:"first_loss"`
		Last       float64 `json:"last_loss"`
	}
	uniform := math.Log(float64(vocab))
	switch err := json.Unmarshal(line, &result); {
	case err != nil:
		return 0, fmt.Errorf("it printed %.60q: %w", line, err)
	case result.Parameters != parameters:
		return 0, fmt.Errorf("it has %d parameters, want %d", result.Parameters, parameters)
	case !(math.Abs(result.First-uniform) <= 0.05*uniform):
		return 0, fmt.Errorf("its first loss is %.4g, want ln %d = %.4g", result.First, vocab, uniform)
	case !(result.Last < result.First):
		return 0, fmt.Errorf("its loss went from %.4g to %.4g, want a fall", result.First, result.Last)
	}
	return result.Speed, nil
}

// lastLine returns the last line of an output, in which a peer's result is; libraries may
// print lines before it.
func lastLine(out []byte) []byte {
	out = bytes.TrimSpace(out)
	return out[bytes.LastIndexByte(out, '\n')+1:]
}

// sources says where the peers come from, and limits their instruction set.
type sources struct {
	python, modes, gomlx, llmc, isa string
}

// builders make a peer ready; programs that they compile are written into dir.
var builders = map[string]func(from sources, dir string) (engine, error){
	"torch": sources.torch, "gomlx": sources.goMLX, "llmc": sources.llmC,
}

// limits are the environment variables that limit peers, and the libraries that multiply
// their matrices, to an instruction set.
var limits = map[string][]string{
	"": nil,
	"avx2": {
		"ATEN_CPU_CAPABILITY=avx2", "OPENBLAS_CORETYPE=Haswell", "ONEDNN_MAX_CPU_ISA=AVX2",
		"MKL_ENABLE_INSTRUCTIONS=AVX2", "GOMLX_SIMD_AVX512=0",
	},
}

// engine makes the peer of a name ready.
func (from sources) engine(name, dir string) (engine, error) {
	build, ok := builders[name]
	if !ok {
		return engine{}, unknown(name)
	}
	env, ok := limits[from.isa]
	if !ok {
		return engine{}, fmt.Errorf("-isa %s: peers can only be limited to avx2", from.isa)
	}
	e, err := build(from, dir)
	e.name, e.env = name, env
	return e, err
}

// PyTorch's models, and the script that times their steps.
//
//go:embed torch_model.py
var torchModels string

//go:embed torch_bench.py
var torchScript string

func (from sources) torch(string) (engine, error) {
	python := strings.Fields(from.python)
	if len(python) == 0 {
		return engine{}, errors.New("-python names no command")
	}
	return engine{
		modes: strings.Split(from.modes, ","),
		command: func(s sizes, mode string, threads int, seconds float64) []string {
			return append(python[:len(python):len(python)], "-c", torchModels+torchScript,
				strconv.Itoa(threads), mode, fmt.Sprint(seconds), s.json())
		},
	}, nil
}

func (from sources) goMLX(dir string) (engine, error) {
	program := filepath.Join(dir, "gomlx")
	cmd := exec.Command("go", "build", "-C", from.gomlx, "-o", program, ".")
	if runtime.GOARCH == "amd64" {
		cmd.Env = append(os.Environ(), "GOEXPERIMENT=simd")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return engine{}, fmt.Errorf("-gomlx %s: %w: %s", from.gomlx, err, lastLine(out))
	}
	return engine{
		modes: []string{"ops", "graph"},
		command: func(s sizes, mode string, _ int, seconds float64) []string {
			return []string{program, mode, fmt.Sprint(seconds), s.json()}
		},
	}, nil
}

// json returns the sizes as a JSON object.
func (s sizes) json() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // numbers and a name
	}
	return string(text)
}

//go:embed llmc/bench.c
var llmcDriver string

// llmC compiles the driver with the flags of llm.c's Makefile.
func (from sources) llmC(dir string) (engine, error) {
	if from.llmc == "" {
		return engine{}, errors.New("give the folder of a checkout of github.com/karpathy/llm.c with -llmc")
	}
	if _, err := os.Stat(filepath.Join(from.llmc, "train_gpt2.c")); err != nil {
		return engine{}, fmt.Errorf("-llmc: %w; want a checkout of github.com/karpathy/llm.c", err)
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		return engine{}, fmt.Errorf("%w (Debian: gcc, libc6-dev)", err)
	}
	program, processor := filepath.Join(dir, "llmc"), "-march=native"
	if from.isa == "avx2" {
		processor = "-march=haswell"
	}
	cmd := exec.Command("gcc", "-Ofast", processor, "-fopenmp", "-DOMP", "-w", "-I", from.llmc,
		"-x", "c", "-", "-o", program, "-lm")
	cmd.Stdin = strings.NewReader(llmcDriver)
	if out, err := cmd.CombinedOutput(); err != nil {
		return engine{}, fmt.Errorf("gcc: %w: %s", err, lastLine(out))
	}
	return engine{
		tied: true, modes: []string{"-"},
		command: func(s sizes, _ string, _ int, seconds float64) []string {
			args := []string{program, fmt.Sprint(seconds)}
			for _, n := range []int{s.DVocab, s.NCtx, s.DModel, s.NHeads[0], len(s.NHeads), s.Batch} {
				args = append(args, strconv.Itoa(n))
			}
			return args
		},
	}, nil
}
