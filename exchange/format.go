package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"foretell/internal/durable"
	"foretell/internal/npz"
	"foretell/internal/strict"
	"foretell/model"
)

// Source is what is exported.
type Source struct {
	Name   string                      // the path or name that the user gave
	Model  *model.Transformer[float32] // not needed for formats of a run's evaluations
	Origin model.Origin                // the configuration and step of the weights, for formats that keep them
	Run    string                      // the folder of the run; empty if the model is not given by its run's folder
}

// Place says where a format's output goes.
type Place string

// The places.
const (
	File   Place = "file"
	Folder Place = "folder" // a new one
	Server Place = "server" // named by an environment variable
)

// Format is a form of output for another tool.
type Format struct {
	Name    string
	Place   Place
	Summary string // for a list of formats
	OfRun   bool   // whether it holds the evaluations of a run, instead of a model

	// Exactly one of these is not nil, as Place says.
	file   func(w io.Writer, s Source) error
	folder func(ctx context.Context, dir string, s Source) error
	server func(ctx context.Context, s Source) error
}

// formats lists all formats.
var formats = []Format{
	{
		Name: "safetensors", Place: File, file: writeSafetensors,
		Summary: "weights under TransformerLens's names, with the configuration",
	},
	{
		Name: "transformerlens", Place: Folder, folder: writeLens,
		Summary: "state_dict.pt and config.json for HookedTransformer",
	},
	{Name: "nanogpt", Place: File, file: writeNano, Summary: "ckpt.pt for nanoGPT's model.py and sample.py"},
	{
		Name: "huggingface", Place: Folder, folder: writeHub,
		Summary: "config.json and model.safetensors for GPT2LMHeadModel",
	},
	{Name: "npz", Place: File, file: writeNPZ, Summary: "weights for NumPy, under TransformerLens's names"},
	{Name: "onnx", Place: File, file: writeONNX, Summary: "a graph from tokens to logits, for ONNX Runtime"},
	{
		Name: "tensorboard", Place: Folder, folder: writeTensorBoard, OfRun: true,
		Summary: "evaluations as an event file",
	},
	{
		Name: "wandb", Place: Folder, folder: writeWandB, OfRun: true,
		Summary: "evaluations, and a script that logs them to Weights & Biases",
	},
	{
		Name: "mlflow", Place: Server, server: sendMLflow, OfRun: true,
		Summary: "evaluations, sent to the server MLFLOW_TRACKING_URI",
	},
}

// Formats returns the formats of [Export].
func Formats() []Format { return append([]Format{}, formats...) }

// FindFormat returns the format with a name. For an unknown name it returns an error that
// lists the names.
func FindFormat(name string) (Format, error) {
	var names []string
	for _, f := range formats {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, errors.New(strict.NotOneOf(name, names))
}

// ErrNoRun reports that a format needs the folder of a run.
var ErrNoRun = errors.New("is not the folder of a run")

// Check returns the error that [Format.Export] would return before it writes anything:
// the output is there already or cannot be written, or the source is not a run although
// the format needs one ([ErrNoRun]).
func (f Format) Check(s Source, out string) error {
	if f.OfRun && s.Run == "" {
		return fmt.Errorf("%s %w, and %s takes the evaluations of a run", s.Name, ErrNoRun, f.Name)
	}
	switch f.Place {
	case File:
		return durable.CheckOutput(out)
	case Folder:
		return checkNew(out)
	}
	return nil
}

// checkNew returns an error unless a folder can be made at a path.
func checkNew(dir string) error {
	if dir = strings.TrimRight(dir, string(os.PathSeparator)); dir == "" {
		return errors.New("the name of a folder is empty")
	}
	_, err := os.Lstat(dir)
	switch {
	case err == nil:
		return fmt.Errorf("%s exists already; give the name of a new folder", dir)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return nil
}

// Export writes a source in a format: to a file, which is replaced, or to a new folder,
// or to a server, for which out is not used. A file or folder is complete or absent. The
// error names the field of the configuration that the format cannot express.
func (f Format) Export(ctx context.Context, s Source, out string) error {
	if err := f.Check(s, out); err != nil {
		return err
	}
	switch f.Place {
	case File:
		return f.writeFile(ctx, s, out)
	case Folder:
		return newFolder(out, func(dir string) error { return f.folder(ctx, dir, s) })
	}
	return f.server(ctx, s)
}

// writeFile writes a file. The error for a network that the format cannot express does
// not name the file.
func (f Format) writeFile(ctx context.Context, s Source, out string) error {
	var failed error
	err := durable.OutputFrom(ctx, out, func(w io.Writer) error {
		failed = f.file(w, s)
		return failed
	})
	if field := (*strict.FieldError)(nil); err != nil && ctx.Err() == nil && errors.As(failed, &field) {
		return failed
	}
	return err
}

// newFolder makes a folder, with the folders that lead to it, from what fill writes.
func newFolder(dir string, fill func(dir string) error) error {
	dir = strings.TrimRight(dir, string(os.PathSeparator))
	if at := strings.LastIndexByte(dir, os.PathSeparator); at > 0 {
		if err := os.MkdirAll(dir[:at], 0o777); err != nil {
			return err
		}
	}
	return durable.Dir(dir, fill)
}

// Export is [Format.Export] of the format with a name.
func Export(ctx context.Context, format string, s Source, out string) error {
	f, err := FindFormat(format)
	if err != nil {
		return err
	}
	return f.Export(ctx, s, out)
}

func writeSafetensors(w io.Writer, s Source) error { return s.Model.WriteFrom(w, s.Origin) }

func writeHub(_ context.Context, dir string, s Source) error { return s.Model.SaveHuggingFace(dir) }

func writeNPZ(w io.Writer, s Source) error {
	var arrays []npz.Array
	for _, t := range s.Model.Weights.Tensors {
		arrays = append(arrays, npz.Array{Name: t.Name, Shape: t.Shape, Data: t.Data})
	}
	return npz.Write(w, arrays)
}

// refused returns the error for a network that a format cannot express.
func refused(format, field, reason string, args ...any) error {
	return fmt.Errorf("%s: %w", format, strict.Fieldf("model."+field, reason, args...))
}
