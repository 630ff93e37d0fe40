//go:build js

// Tab is the engine of the laboratory in a browser, for pages without a server. It is
// compiled to WebAssembly and runs in a Web Worker, whose script (lab/web/src/worker)
// gives it a file system in memory and carries requests and answers:
//
//	foretell.request(path, body, answer)   calls answer(status, kind, command, bytes) once
//	foretell.follow(fields, send)          calls send(event, id, json) until it ends
//
// Both return a function that gives up. A status means what the server means by it.
package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall/js"

	"foretell/internal/limit"
	"foretell/lab"
)

// at are the folders of the file system in memory.
var at = lab.Folders{Runs: "runs", Reports: "reports"}

// archive is a file of the file system in memory with the runs that the pages begin with,
// if there are any.
const (
	archive     = "runs.zip"
	mostArchive = 1 << 28 // bytes
)

func main() {
	e, err := open()
	if err != nil {
		panic(err)
	}
	js.Global().Set("foretell", js.ValueOf(map[string]any{
		"request": js.FuncOf(func(_ js.Value, args []js.Value) any {
			path, body, answer := args[0].String(), args[1].String(), args[2]
			return background(func(ctx context.Context) { request(ctx, e, path, body, answer) })
		}),
		"follow": js.FuncOf(func(_ js.Value, args []js.Value) any {
			return background(func(ctx context.Context) { follow(ctx, e, args[0].String(), args[1]) })
		}),
	}))
	js.Global().Call("ready")
	select {}
}

// open returns the engine, with the runs of the archive.
func open() (*lab.Engine, error) {
	data, err := limit.ReadFile(archive, "the archive of runs", mostArchive)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		files, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err == nil {
			err = os.CopyFS(at.Runs, files)
		}
		if err == nil {
			err = os.Remove(archive)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", archive, err)
		}
	}
	return lab.NewInTab(at, pause)
}

// background calls f in a goroutine, and returns a JavaScript function that ends its
// context.
func background(f func(context.Context)) js.Func {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		f(ctx)
	}()
	var give js.Func
	give = js.FuncOf(func(js.Value, []js.Value) any {
		cancel()
		give.Release()
		return nil
	})
	return give
}

// request answers a request.
func request(ctx context.Context, e *lab.Engine, path, body string, answer js.Value) {
	reply, err := e.Request(ctx, path, []byte(body))
	status := 200
	if err != nil {
		status, reply.Body = lab.Failure(err)
	}
	data := js.Global().Get("Uint8Array").New(len(reply.Body))
	js.CopyBytesToJS(data, reply.Body)
	answer.Invoke(status, reply.Kind, reply.Command, data)
}

// follow sends events until the page gives up.
func follow(ctx context.Context, e *lab.Engine, fields string, send js.Value) {
	of := lab.Followed{After: -1}
	if json.Unmarshal([]byte(fields), &of) != nil {
		return
	}
	// An error says that the page has given up, or that there is nothing to follow.
	_ = e.Follow(ctx, of, func(event string, id int, value any) error {
		data, err := json.Marshal(value)
		if err == nil {
			send.Invoke(event, id, string(data))
		}
		return err
	})
}

// pause lets the browser call what has arrived.
func pause() {
	back := make(chan struct{})
	var resume js.Func
	resume = js.FuncOf(func(js.Value, []js.Value) any {
		resume.Release()
		close(back)
		return nil
	})
	js.Global().Call("soon", resume)
	<-back
}
