package lesson_test

import (
	"fmt"
	"log"

	"foretell/lesson"
)

// A lesson is a list of steps.
func ExampleList() {
	lessons, err := lesson.List()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d. %s\n", lessons[0].Number, lessons[0].Title)
	for _, step := range lessons[0].Steps {
		fmt.Printf("   %s: %d blocks\n", step.Title, len(step.Blocks))
	}
	// Output:
	// 1. What a belief is
	//    1. What a belief is: 6 blocks
	//    One token by hand: 5 blocks
	//    Why it matters: 3 blocks
	//    Exercise: 3 blocks
}
