package exchange_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"foretell/exchange"
	"foretell/model"
)

// A model is written as a checkpoint of nanoGPT and read back.
func Example() {
	dir, err := os.MkdirTemp("", "exchange")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	m, err := model.New[float32](model.Config{
		DModel: 8, NLayers: 1, NHeads: model.Heads{2}, NCtx: 4, DVocab: 3, TieUnembed: true,
	}, 1)
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(dir, "ckpt.pt")
	source := exchange.Source{Name: "mine", Model: m}
	if err := exchange.Export(context.Background(), "nanogpt", source, path); err != nil {
		log.Fatal(err)
	}
	back, err := exchange.Import(path, exchange.ImportOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(back.Checksum() == m.Checksum())
	// Output: true
}
