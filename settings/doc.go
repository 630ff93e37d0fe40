// Package settings knows the settings of training configurations: which settings
// differ between runs, which texts mean the same, and how a setting is named.
//
//	one, err := settings.Read("runs/first")
//	other, err := settings.Read("runs/second")
//	for _, path := range settings.Differing([]settings.Settings{one, other}) {
//		fmt.Println(path, one.Shown(path), other.Shown(path))
//	}
//
// A setting has a path, such as train.lr, and a text. Numbers are in their shortest form,
// so 1e-3 and 0.001 have the same text. A configuration may leave settings out. Settings
// that a run's config.yaml leaves out are zero, false or empty, apart from a few with
// another default, which the package knows. Parameters of a process that are left out
// have the default of the process, which it does not know.
package settings
