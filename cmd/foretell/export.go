package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"foretell/exchange"
	"foretell/internal/interrupt"
	"foretell/process"

	"github.com/spf13/cobra"
)

// exported is the value of `export --json` and `import --json`.
type exported struct {
	Model  string `json:"model"`            // as the user named it
	Format string `json:"format,omitempty"` // of export
	Out    string `json:"out,omitempty"`    // the file or folder; left out for a server

	Parameters int `json:"parameters,omitempty"` // of import
}

func newExport() *cobra.Command {
	var format, out string
	var params []string
	cmd := &cobra.Command{
		Use:   "export MODEL",
		Short: "Write a model or the evaluations of a run for another tool",
		Long:  exportHelp(),
		Example: `  foretell export runs/first --format onnx --out first.onnx
  foretell export runs/first --format transformerlens --out lens
  foretell export runs/first --format tensorboard --out logs/first
  foretell export runs/first --format mlflow`,
		Args: oneArgument(modelArgument),
		RunE: func(cmd *cobra.Command, args []string) error {
			return export(cmd, args[0], format, out, params)
		},
		ValidArgsFunction: completeModel,
	}
	cmd.Flags().StringVar(&format, "format", "", "one of the formats above")
	cmd.Flags().StringVar(&out, "out", "", "the `file` (overwrites), or the new folder")
	addParams(cmd, &params, "a hand-written model", handWritten())
	completeFlag(cmd, "format", cobra.FixedCompletions(formatNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// formatNames returns the names of the formats of `export`.
func formatNames() (names []string) {
	for _, f := range exchange.Formats() {
		names = append(names, f.Name)
	}
	return names
}

// exportHelp is the long help of `export`.
func exportHelp() string {
	var b strings.Builder
	b.WriteString("Write a model, or the evaluations of a run, in the format of another tool:\n\n")
	for _, f := range exchange.Formats() {
		printf(&b, "  %-16s%s\n", f.Name, f.Summary)
	}
	b.WriteString(`
A format that cannot express the network refuses it and names the key. The same
model gives the same bytes. mlflow reads the environment variables of MLflow; it is
the only command that opens a network connection. docs/python.md shows how each
format is loaded. For MODEL see ` + "`foretell predict --help`" + `; tensorboard, wandb and
mlflow take the folder of a run.`)
	return b.String()
}

func export(cmd *cobra.Command, arg, format, out string, params []string) error {
	f, err := exchange.FindFormat(format)
	if err != nil {
		return wrongUsage(fmt.Errorf("--format: %w", err))
	}
	switch {
	case f.Place == exchange.Server && out != "":
		return wrongUsage(fmt.Errorf("--out has no meaning for %s, which sends to a server; leave it out", f.Name))
	case f.Place != exchange.Server && out == "":
		return wrongUsage(fmt.Errorf("export: --out is missing; give the name of a %s", f.Place))
	}
	source := exchange.Source{Name: arg}
	if _, err := os.Stat(filepath.Join(arg, "metrics.jsonl")); err == nil {
		source.Run = arg
	}
	if err := aboutOut(f.Check(source, out)); err != nil {
		return err
	}
	if !f.OfRun {
		m, err := openModel(cmd, arg, params)
		if err != nil {
			return err
		}
		source.Model, source.Origin = m.Float32(), m.Origin()
	}
	interrupt.Keep(cmd.Context(), "interrupted") // the program ends only after partial files are removed
	if err := aboutOut(f.Export(cmd.Context(), source, out)); err != nil {
		return err
	}
	return show(cmd, exported{Model: arg, Format: f.Name, Out: out}, 1, func(w io.Writer) {
		if out == "" {
			out = os.Getenv("MLFLOW_TRACKING_URI")
		}
		printf(w, "wrote %s\n", out)
	})
}

// aboutOut puts --out before an error of the system about the output. It keeps nil.
func aboutOut(err error) error {
	var system *os.PathError
	if errors.As(err, &system) {
		return fmt.Errorf("--out: %w", err)
	}
	return err
}

func newImport() *cobra.Command {
	var o exchange.ImportOptions
	var named, out string
	var params []string
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Read a model of TransformerLens, nanoGPT or Hugging Face",
		Long: `Read a model of another tool and write it to a new folder, which every command
takes as MODEL. FILE is a file of safetensors or of torch.save, with or without an
optimiser's state, a folder that ` + "`foretell export --format transformerlens`" + ` wrote,
or a Hugging Face GPT-2 folder. Files of torch.save can contain code; it is never
run, and a file that has anything but tensors, dictionaries, lists, numbers and
texts is refused.

--config gives the configuration if FILE does not have it: for TransformerLens the keys
of its HookedTransformerConfig, for nanoGPT the arguments of its GPTConfig, as JSON
or YAML. --process names the process that the model predicts, so that it can be
compared with the optimum.`,
		Example: `  foretell import ckpt.pt --process mess3 --out models/mine
  foretell import state_dict.pt --config config.json --out models/lens`,
		Args: oneArgument("FILE, such as ckpt.pt"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return importModel(cmd, args[0], o, named, params, out)
		},
	}
	flags := cmd.Flags()
	formats := exchange.ImportFormats()
	flags.StringVar(&o.Format, "format", "", strings.Join(formats, ", ")+" (default by the names of the tensors)")
	flags.StringVar(&o.Config, "config", "", "the `file` of the configuration, if FILE does not have it")
	flags.StringVar(&named, "process", "", "the model predicts this process: its `name`, or a file that defines it")
	flags.StringVar(&out, "out", "", "the new `folder`")
	addParams(cmd, &params, "the process", zoo())
	completeFlag(cmd, "format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "process",
		func(cmd *cobra.Command, _ []string, to string) ([]string, cobra.ShellCompDirective) {
			return completeProcess(cmd, nil, to)
		})
	return cmd
}

func importModel(
	cmd *cobra.Command, arg string, o exchange.ImportOptions, named string, params []string, out string,
) error {
	if out == "" {
		return wrongUsage(errors.New("import: --out is missing; give the name of a new folder"))
	}
	if o.Format != "" {
		if err := oneOf("--format", o.Format, exchange.ImportFormats()...); err != nil {
			return err
		}
	}
	spec, err := specNamed(named, params)
	if err != nil {
		return err
	}
	m, err := exchange.Import(arg, o)
	if err != nil {
		return err
	}
	if err := exchange.Save(out, m, spec); err != nil {
		return err
	}
	found := exported{Model: arg, Out: out, Parameters: m.Config.Parameters()}
	return show(cmd, found, 1, func(w io.Writer) {
		printf(w, "wrote %s, %d parameters\n", out, found.Parameters)
	})
}

// specNamed returns the process that a name and parameters give, or nil without a name.
func specNamed(name string, params []string) (*process.Spec, error) {
	if name == "" {
		if len(params) > 0 {
			return nil, wrongUsage(errors.New("--param is for the process; name it with --process"))
		}
		return nil, nil
	}
	s, err := findProcess(name, params)
	if err != nil {
		return nil, err
	}
	spec, err := s.Spec()
	return &spec, err
}
