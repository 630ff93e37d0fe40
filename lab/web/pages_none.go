//go:build !pages

package web

import "embed"

// Engine returns false: this program was built without the tag pages.
func Engine() (fs embed.FS, ok bool) { return fs, false }
