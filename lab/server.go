//go:build !js

package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"foretell/document"
	"foretell/internal/limit"
)

// Server is the engine's backend over HTTP.
//
//	POST /PATH             a request, see [Engine.Request]; the command is in a header
//	GET  /events?run=R     a stream of events, see [Engine.Follow]
//	GET  /events?report=R  and about the recomputation of a report's rows
//	GET  /                 the pages
//
// Every request passes [gate] first.
type Server struct {
	engine  *Engine
	gate    *gate
	streams chan struct{} // a token for each open stream
	slowest time.Duration // a reader that takes nothing for so long is dropped
}

const (
	mostBody    = 1 << 20
	mostStreams = 512
)

// NewServer returns the server of an engine that is reached at the given hosts, such as
// 127.0.0.1:8080. Token is the secret in the link that opens the pages.
func NewServer(e *Engine, token string, hosts []string) *Server {
	return &Server{
		engine: e, gate: newGate(token, hosts), streams: make(chan struct{}, mostStreams), slowest: slowest,
	}
}

// Handler returns the handler of all requests.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /", s.request)
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("GET /theme.css", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = io.WriteString(w, document.ThemeCSS()) // the client may be gone
	})
	mux.Handle("GET /", files())
	return s.dropSlow(s.gate.protect(mux))
}

// Serve answers requests on a listener until ctx ends, and then ends the streams.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	const second = time.Second
	server := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 5 * second, ReadTimeout: 30 * second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 1 << 14, BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog: log.New(io.Discard, "", 0), // its messages contain what clients send
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), second)
	defer cancel()
	if server.Shutdown(last) != nil {
		return server.Close()
	}
	return nil
}

// read reads the body of a request, at most mostBody bytes of JSON.
func read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind != "application/json" {
		return nil, &statusError{http.StatusUnsupportedMediaType, "the body must be application/json"}
	}
	body, err := limit.Read(http.MaxBytesReader(w, r.Body, mostBody+1), "the body", "a request", mostBody)
	var large *http.MaxBytesError
	if errors.As(err, &large) || limit.Unread(err) {
		return nil, &statusError{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes", mostBody)}
	}
	return body, err
}

// statusError is an error with its HTTP status.
type statusError struct {
	status int
	text   string
}

func (e *statusError) Error() string { return e.text }

// fail answers with an error.
func fail(w http.ResponseWriter, err error) {
	status, body := Failure(err)
	var known *statusError
	if errors.As(err, &known) {
		status = known.status
	}
	if body != nil {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone
}

// commandHeader is the header with the command line that gives the same answer.
const commandHeader = "Foretell-Command"

func (s *Server) request(w http.ResponseWriter, r *http.Request) {
	var answer Reply
	body, err := read(w, r)
	if err == nil {
		answer, err = s.engine.Request(r.Context(), strings.TrimPrefix(r.URL.Path, "/"), body)
	}
	if err != nil {
		fail(w, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", answer.Kind)
	if answer.Command != "" {
		h.Set(commandHeader, strconv.QuoteToASCII(answer.Command))
	}
	if answer.Name != "" { // a page in a file that a browser opened would have the rights of these pages
		h.Set("Content-Disposition", "attachment; filename="+answer.Name)
	}
	_, _ = w.Write(answer.Body) // the client may be gone
}

const (
	slowest   = 10 * time.Second // a reader that takes nothing for so long is dropped
	keepAlive = 5 * time.Second  // an empty event shows that a reader is there
)

// dropSlow ends the connection of a reader that takes nothing of an answer or a stream
// for a time. The system buffers what is sent, so that the time begins when its buffers
// are full.
func (s *Server) dropSlow(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&impatient{w, s.slowest}, r)
	})
}

// impatient writes with a deadline for each piece.
type impatient struct {
	http.ResponseWriter
	slowest time.Duration
}

const piece = 32 << 10 // bytes

// Write implements [io.Writer].
func (w *impatient) Write(p []byte) (n int, err error) {
	for err == nil && n < len(p) {
		// An error here is one of a closed connection, which Write returns, too.
		_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.slowest))
		var wrote int
		wrote, err = w.ResponseWriter.Write(p[n:min(n+piece, len(p))])
		n += wrote
	}
	return n, err
}

// Unwrap is for [http.ResponseController].
func (w *impatient) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// events streams what happens to a run or a report. The id of an event row is its step; a
// reader that connects again with the id of its last event gets the rows after it.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	of := Followed{Run: query.Get("run"), Report: query.Get("report"), After: -1}
	if id, err := strconv.Atoi(r.Header.Get("Last-Event-ID")); err == nil {
		of.After = id
	}
	if err := s.engine.canFollow(of); err != nil {
		fail(w, err)
		return
	}
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		fail(w, ErrBusy)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := stream{w, http.NewResponseController(w)}
	if out.ctl.SetReadDeadline(time.Time{}) == nil { // the deadline of the request would end the stream
		_ = s.engine.follow(r.Context(), of, out.send, out.wait) // the reader is gone
	}
}

// stream writes events.
type stream struct {
	w   io.Writer
	ctl *http.ResponseController
}

// send writes an event. An id of −1 is left out.
func (s stream) send(event string, id int, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	message := fmt.Sprintf("event: %s\n", event)
	if id >= 0 {
		message += fmt.Sprintf("id: %d\n", id)
	}
	return s.put(message + "data: " + string(data) + "\n\n")
}

func (s stream) put(message string) error {
	if _, err := io.WriteString(s.w, message); err != nil {
		return err
	}
	return s.ctl.Flush()
}

// wait waits for a change. It returns false if the reader is gone.
func (s stream) wait(ctx context.Context, changed <-chan struct{}) bool {
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-changed:
			return true
		case <-tick.C:
			if s.put(": \n\n") != nil {
				return false
			}
		}
	}
}
