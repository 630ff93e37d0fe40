package settings_test

import (
	"fmt"

	"foretell/settings"
)

func Example() {
	var list []settings.Settings
	for _, config := range []string{
		"train: {lr: 1e-3, seed: 1}", "train: {lr: 0.001, seed: 2, momentum: 0}", "train: {lr: 0.01, seed: 2}",
	} {
		s, err := settings.Parse("config.yaml", []byte(config))
		if err != nil {
			fmt.Println(err)
		}
		list = append(list, s)
	}
	fmt.Println(settings.Differing(list))
	fmt.Println(settings.Column(list, "train.lr"))
	for _, label := range settings.Labels(list) {
		fmt.Println(label)
	}
	// Output:
	// [train.lr train.seed]
	// [0.001 0.001 0.01]
	// lr=0.001, seed=1
	// lr=0.001, seed=2
	// lr=0.01, seed=2
}
