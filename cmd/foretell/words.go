package main

import (
	"fmt"

	"foretell/token"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// wordAnnotation marks flags whose value is a sequence of tokens, perhaps in a file.
const wordAnnotation = "foretell_word"

// addWord gives a command a flag for a sequence of tokens.
func addWord(cmd *cobra.Command, word *string, flag, about string) {
	cmd.Flags().StringVar(word, flag, "", about)
	takesWords(cmd, flag)
}

// takesWords lets a flag of a command read its sequences from files and stdin.
func takesWords(cmd *cobra.Command, flag string) {
	f := cmd.Flags().Lookup(flag)
	f.Usage += "; @FILE reads a file, - reads stdin"
	f.Annotations = map[string][]string{wordAnnotation: nil}
	completeNothing(cmd, flag)
}

// readWords replaces @FILE and - in flags by the sequences in the file or stdin.
func readWords(cmd *cobra.Command) (err error) {
	reader := "" // the flag that has read stdin
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if _, takes := f.Annotations[wordAnnotation]; !takes || err != nil {
			return
		}
		list, many := f.Value.(pflag.SliceValue)
		given := []string{f.Value.String()}
		if many {
			given = list.GetSlice()
		}
		for i, text := range given {
			if text == "-" && reader != "" {
				err = wrongUsage(fmt.Errorf("--%s: --%s reads standard input already; give a file", f.Name, reader))
				return
			} else if text == "-" {
				reader = f.Name
			}
			if given[i], err = token.ReadWord(text, cmd.InOrStdin()); err != nil {
				err = fmt.Errorf("--%s: %w", f.Name, err)
				return
			}
		}
		if many {
			err = list.Replace(given)
		} else {
			err = f.Value.Set(given[0])
		}
	})
	return err
}
