package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"foretell/internal/text"
	"foretell/run"
)

// Reply is the answer to a request, as it is sent.
type Reply struct {
	Kind    string // the media type of Body
	Command string // the command line that prints the same value; "" if no command does
	Name    string // of a file to be saved; else ""
	Body    []byte
}

// Request answers what a page asks for, whatever carries the request:
//
//	ask/NAME       a question in JSON → its answer in JSON, with the command
//	save/NAME.svg  the same question → a file: .svg, .csv, .html or another form
//	points         [Cloud] → binary, see [Engine.Points]
//	do/NAME        train, pause, resume, reproduce or stop
//
// It returns the errors of [Engine.Ask].
func (e *Engine) Request(ctx context.Context, path string, body []byte) (Reply, error) {
	to, name, _ := strings.Cut(path, "/")
	switch to {
	case "ask":
		return e.reply(ctx, name, body)
	case "save":
		return e.saved(ctx, name, body)
	case "points":
		return e.placed(ctx, body)
	case "do":
		return e.done(name, body)
	}
	return Reply{}, ErrUnknown
}

// Failure returns an error as an HTTP status and the body of an answer,
// {"error": "one line"}. The body is nil for an answer that is not wrong, but not there.
func Failure(err error) (status int, body []byte) {
	var gone *run.StepError
	switch {
	case errors.As(err, &gone) && gone.Passed():
		// A run that trains keeps few steps, so a page may come too late. The page is not
		// wrong, and a browser would report an error for any other status.
		return 204, nil
	case errors.Is(err, ErrUnknown):
		status = 404
	case errors.Is(err, ErrBusy):
		status = 429
	case errors.Is(err, ErrTooLong):
		status = 504
	default:
		status = 400
	}
	body, err = encoded(map[string]string{"error": text.Error(err, nil)})
	if err != nil {
		panic(err) // a map of texts has JSON
	}
	return status, body
}

// kinds are the types of saved files, by ending.
var kinds = map[string]string{
	".svg": "image/svg+xml", ".html": "text/html; charset=utf-8", ".csv": "text/csv; charset=utf-8",
	".json": "application/json", ".dot": "text/vnd.graphviz", ".md": "text/markdown; charset=utf-8",
	".npz": "application/zip", ".tex": "application/x-tex", ".txt": "text/plain; charset=utf-8",
}

// reply answers a question in JSON.
func (e *Engine) reply(ctx context.Context, name string, body []byte) (r Reply, err error) {
	q, err := NewQuestion(name, body)
	if err != nil {
		return r, err
	}
	r.Kind, r.Command = kinds[".json"], e.line(q)
	r.Body, err = e.answers.find(ctx, name+" "+string(body), lifeOf(q), func(ctx context.Context) ([]byte, error) {
		a, err := e.answer(ctx, q)
		if err != nil {
			return nil, err
		}
		return encoded(a.Value)
	})
	return r, err
}

// encoded returns a value in JSON.
func encoded(value any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(value)
	return b.Bytes(), err
}

// saved answers a question with a file.
func (e *Engine) saved(ctx context.Context, file string, body []byte) (Reply, error) {
	name, ending, _ := strings.Cut(file, ".")
	ending = "." + ending
	if kinds[ending] == "" {
		return Reply{}, ErrUnknown
	}
	data, err := e.File(ctx, name, ending, body)
	return Reply{Kind: kinds[ending], Name: name + ending, Body: data}, err
}

// placed answers with the points of a cloud.
func (e *Engine) placed(ctx context.Context, body []byte) (Reply, error) {
	var q Cloud
	if err := decode(body, &q); err != nil {
		return Reply{}, err
	}
	data, err := e.answers.find(ctx, "points "+string(body), lifeOf(&q),
		func(ctx context.Context) ([]byte, error) { return e.Points(ctx, &q) })
	return Reply{Kind: "application/octet-stream", Body: data}, err
}

// act is something that a page can make the laboratory do. Its fields are in a JSON
// object; it returns a value for the page.
type act func(e *Engine, fields []byte) (any, error)

// acts are what pages can do, by name.
var acts = map[string]act{
	"train":  acting(func(e *Engine, t Training) (any, error) { return e.Train(t) }),
	"pause":  acting(func(e *Engine, r Run) (any, error) { return r, e.Pause(r.Run) }),
	"resume": acting(func(e *Engine, r Run) (any, error) { return r, e.Resume(r.Run) }),
}

// acting returns an act that takes fields of type T.
func acting[T any](do func(e *Engine, fields T) (any, error)) act {
	return func(e *Engine, fields []byte) (any, error) {
		var of T
		if err := decode(fields, &of); err != nil {
			return nil, err
		}
		return do(e, of)
	}
}

// done does something.
func (e *Engine) done(name string, body []byte) (r Reply, err error) {
	do := acts[name]
	if do == nil {
		do = reportActs[name]
	}
	if do == nil {
		return r, ErrUnknown
	}
	value, err := do(e, body)
	if err != nil {
		return r, err
	}
	r.Kind = kinds[".json"]
	r.Body, err = encoded(value)
	return r, err
}
