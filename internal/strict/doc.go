// Package strict reads and writes configuration in YAML. Every mistake is an error on one
// line that gives the position, the problem and the correct form; written files read back
// unchanged.
//
//	config.yaml:7:3: unknown key "learning_rate" in train; did you mean "lr"? (known: seed, batch_size, lr)
//	config.yaml:8:3: train.batch_size: "many" is not a whole number
//	train.lr=fast: train.lr: "fast" is not a number
//
// A document is parsed, modified by assignments from the command line, decoded into a
// struct that holds the defaults, and then checked by the owner of the struct. The owner
// reports a wrong value as a [FieldError]; [Document.Explain] adds its position:
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
// The Go type of a value determines how a scalar is read, which avoids the surprises of
// YAML's own guesses: 1e-4 is a number if a number is wanted, and no is text if text is
// wanted. The following are not supported, and each has an error that says so: several
// documents in a file, anchors and merge keys, tags, keys that are not scalars or follow
// a question mark, and control characters, which are written by their number in double
// quotes.
//
// The underlying parser is go.yaml.in/yaml. It reads a document of up to [MaxBytes] in
// about a second. [Marshal] writes documents for [Unmarshal], and reads each one back
// before it returns.
package strict
