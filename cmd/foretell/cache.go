package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"foretell/inspect"
	"foretell/internal/limit"

	"github.com/spf13/cobra"
)

// Limits of --words.
const (
	mostCached      = 1 << 20  // sequences
	mostCachedBytes = 64 << 20 // bytes of a file
)

// cacheOptions are the flags of `cache`.
type cacheOptions struct {
	inspect.CacheRequest
	words  string
	params []string
	out    outFile
}

func newCache() *cobra.Command {
	var o cacheOptions
	cmd := &cobra.Command{
		Use:   "cache MODEL",
		Short: "Write activations for NumPy, with words, probabilities and beliefs",
		Long: `Run a model on words, which are sequences and all their beginnings, and write an
.npz file of arrays with a row for each word, in the same order: the word, its
probability, the belief and the prediction of the optimal predictor after it, the
model's prediction, and activations.

--hook takes TransformerLens's names of activations. A short name, such as
resid_post, stands for that activation of every layer; resid_pre, z, pattern,
mlp_post and normalized are others. --words all takes all words of up to --length
tokens, a number draws that number of sequences from the process as probe does, and a
file has a sequence on each line. docs/python.md says what the arrays are, and
computes the R² of probe from them. For MODEL see ` + "`foretell predict --help`" + `.`,
		Example: `  foretell cache runs/first --hook resid_post --words all --out acts.npz
  foretell cache runs/first --hook resid_pre,z --words 1000 --out acts.npz`,
		Args:              oneArgument(modelArgument),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
		ValidArgsFunction: completeModel,
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&o.Hooks, "hook", []string{"resid_post"}, "`names` of activations, separated by commas")
	flags.StringVar(&o.words, "words", "all", "all, a number of sequences, or a `file` of sequences")
	flags.IntVar(&o.Length, "length", 0, "length of the longest words (default the model's n_ctx)")
	o.out.add(cmd, "write the arrays", ".npz")
	addParams(cmd, &o.params, "a hand-written model", handWritten())
	completeNothing(cmd, "hook", "length")
	return cmd
}

func (o *cacheOptions) run(cmd *cobra.Command, arg string) error {
	if o.out.path == "" {
		return wrongUsage(errors.New("cache: --out is missing; give the name of a file, such as acts.npz"))
	}
	if _, err := endingOf("--out", o.out.path, o.out.endings); err != nil {
		return err
	}
	if err := checkOutput("--out", o.out.path); err != nil {
		return err
	}
	m, err := openModel(cmd, arg, o.params)
	if err != nil {
		return err
	}
	if err := o.readWords(cmd, m); err != nil {
		return err
	}
	done := lateModel(cmd, m)
	found, err := m.Cache(cmd.Context(), o.CacheRequest)
	done()
	if err != nil {
		return aboutArguments(err)
	}
	if err := o.out.stream(cmd, found.WriteNPZ); err != nil {
		return err
	}
	return show(cmd, found, 2, func(out io.Writer) {
		printf(out, "%d words of up to %d tokens of %s: %s before compression\n",
			found.Words, found.Length, found.Process, limit.Size(float64(found.Bytes)))
		for _, hook := range found.Hooks {
			printf(out, "  %s\n", hook)
		}
	})
}

// readWords reads the value of --words.
func (o *cacheOptions) readWords(cmd *cobra.Command, m *inspect.Model) (err error) {
	if o.words == "all" {
		return nil
	}
	if n, err := strconv.Atoi(o.words); err == nil {
		o.Sequences = n
		return inRange("--words", n, 1, mostCached)
	}
	if cmd.Flags().Changed("length") {
		return wrongUsage(errors.New("--length has no meaning with a file of words; leave it out"))
	}
	text, err := limit.ReadFile(o.words, "a file of sequences", mostCachedBytes)
	if err != nil {
		return fmt.Errorf("--words: %w", err)
	}
	if o.Words, err = m.ParseWords(string(text)); err != nil {
		return fmt.Errorf("--words: %s: %w", o.words, err)
	}
	return nil
}
