package train

import "foretell/internal/strict"

// Family is a configuration file that assignments turn into configurations that differ in
// some settings, such as the learning rate. The file is read and parsed once.
type Family struct {
	document *strict.Document
	text     []byte
	resolve  func(Config) (Config, error)
}

// LoadFamily reads a configuration file for [Family.With]. If the file has a section with
// the given name in addition to the sections of a [Config], it is decoded into v, a
// pointer to a struct with the section's defaults; given reports whether the file has it.
// An error gives the file, the line and the column.
func LoadFamily(path, section string, v any) (f *Family, given bool, err error) {
	document, text, err := parseFile(path)
	if err != nil {
		return nil, false, err
	}
	f = &Family{document, text, resolveWithFiles}
	taken := document.Take(section)
	if taken == nil {
		return f, false, nil
	}
	return f, true, taken.Decode(v)
}

// Text returns the contents of the file.
func (f *Family) Text() []byte { return f.text }

// With applies assignments like "train.lr=1e-3" to the configuration, reads the files
// that its process names, and resolves it, as [Load] does. Assignments of earlier calls
// have no effect. If the file lacks a value that an assignment requires, the error names
// the last assignment without which there would be no error.
func (f *Family) With(assignments ...string) (Config, error) {
	c, decoded, err := f.once(assignments)
	if decoded == nil || strict.InAssignment(err) {
		return c, err
	}
	for i := len(assignments) - 1; i >= 0 && err != nil; i-- {
		if _, _, before := f.once(assignments[:i]); before == nil {
			return c, decoded.Blame(assignments[i], err)
		}
	}
	return c, err
}

// once applies the assignments and resolves the configuration. decoded is nil if the
// configuration cannot be decoded.
func (f *Family) once(assignments []string) (c Config, decoded *strict.Document, err error) {
	document := f.document
	if len(assignments) > 0 {
		document = document.Clone()
	}
	for _, a := range assignments {
		if err := document.Set(a); err != nil {
			return c, nil, err
		}
	}
	if err := document.Decode(&c); err != nil {
		return c, nil, err
	}
	if err := checkNonzero(document, c); err != nil {
		return c, document, document.Explain(err)
	}
	c, err = f.resolve(c)
	return c, document, document.Explain(err)
}
