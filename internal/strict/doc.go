// Package strict reads and writes configuration: YAML in which every mistake is an error
// on one line that says where it is, what is wrong and what would be right, and which is
// read back as it was written.
//
//	config.yaml:7:3: unknown key "learning_rate" in train; did you mean "lr"? (known: seed, batch_size, lr)
//	config.yaml:8:3: train.batch_size: "many" is not a whole number
//	train.lr=fast: train.lr: "fast" is not a number
//
// A document is parsed, changed by assignments of the command line, decoded into a
// struct that already holds the defaults, and then checked by the struct's owner, who
// says by a [FieldError] which value is at fault; [Document.Explain] adds where it was
// given:
//
//	document, err := strict.Parse("config.yaml", data)
//	…
//	err = document.Set("train.lr=1e-3")
//	…
//	err = document.Decode(&config)
//	…
//	if config.Train.LR <= 0 {
//		return document.Explain(strict.Fieldf("train.lr", "= %g is not positive", config.Train.LR))
//	}
//
// The type of the Go value decides what a scalar means, so the surprises of YAML's own
// guesses do not arise: 1e-4 is a number where a number is wanted, and no is text where
// text is wanted. Left out on purpose, each with an error that says so: several
// documents in a file, anchors and merge keys, tags, keys that are not scalars, texts
// over several lines but for simple ones behind |, tabs within texts. The last two
// go-yaml, which reads, takes for something else than YAML does, and so they are refused
// where that would matter.
//
// [Marshal] writes what [Unmarshal] reads, and has read it back before it returns. What
// takes go-yaml more than proportional time has a limit, so that no document of up to
// [MaxBytes] takes more than about a second.
package strict
