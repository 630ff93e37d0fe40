package main

import (
	"fmt"
	"io"
	"strconv"

	"foretell/lesson"

	"github.com/spf13/cobra"
)

func newLessons() *cobra.Command {
	return &cobra.Command{
		Use:   "lessons [NUMBER]",
		Short: "Lessons of ten minutes each: beliefs, floors, attention, a look inside, forecasts",
		Long: `List the lessons, or print one as Markdown. Each has commands with their output, to be
typed in one folder, and an exercise with its answer. ` + "`foretell lab`" + ` has the same
lessons as pages, which show in the other pages what a step is about.`,
		Example: "  foretell lessons\n  foretell lessons 1",
		Args:    arguments(0, 1, "at most one NUMBER"), ValidArgsFunction: completeLesson,
		RunE: func(cmd *cobra.Command, args []string) error {
			var numbers []int
			for _, arg := range args {
				n, err := strconv.Atoi(arg)
				if err != nil {
					return wrongUsage(fmt.Errorf("lessons: %q is not the number of a lesson, such as 1", arg))
				}
				numbers = append(numbers, n)
			}
			list, err := lesson.List(numbers...)
			if err != nil {
				return wrongUsage(fmt.Errorf("lessons: %w", err))
			}
			return show(cmd, list, 2, func(out io.Writer) {
				if len(numbers) > 0 {
					_, _ = io.WriteString(out, list[0].Markdown()) // out keeps all in memory
					return
				}
				for _, l := range list {
					printf(out, "%d\t%s\t%s\n", l.Number, l.Title, l.About)
				}
			})
		},
	}
}

// completeLesson offers the lessons by number.
func completeLesson(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var offers []string
	if list, err := lesson.List(); err == nil && len(args) == 0 {
		for _, l := range list {
			offers = append(offers, cobra.CompletionWithDesc(strconv.Itoa(l.Number), l.Title))
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}
