// Package web holds the pages of the laboratory.
package web

import "embed"

// Files has the folder dist.
//
//go:embed dist
var Files embed.FS
