package browser

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
)

// Kind is the kind of a fault.
type Kind string

// The kinds.
const (
	Console   Kind = "console"   // an error on the console; a file that is missing is one
	Exception Kind = "exception" // one that nothing catches, or a rejected promise
	Policy    Kind = "policy"    // a violation of the Content-Security-Policy
	Request   Kind = "request"   // a request to another server than the page's
)

// Fault is something that went wrong in a page.
type Fault struct {
	Kind Kind
	Text string
}

// Faults returns the faults of a page since it was opened or since the last call.
func (p *Page) Faults() []Fault {
	p.t.Helper()
	Eval[bool](p, "new Promise(done => setTimeout(done, 0, true))") // what was thrown is reported before this
	p.seen.Lock()
	defer p.seen.Unlock()
	faults := p.seen.faults
	p.seen.faults = nil
	return faults
}

// Requests returns the addresses of all requests of a page, in their order.
func (p *Page) Requests() []string {
	p.seen.Lock()
	defer p.seen.Unlock()
	return slices.Clone(p.seen.requests)
}

// seen collects events of a page.
type seen struct {
	sync.Mutex
	server   string // scheme and host of the page
	requests []string
	faults   []Fault
}

// listen receives an event of the page.
func (s *seen) listen(event any) {
	s.Lock()
	defer s.Unlock()
	switch event := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if event.Type == runtime.ConsoleAPICalledTypeError || event.Type == runtime.ConsoleAPICalledTypeAssert {
			s.add(Console, words(event.Args))
		}
	case *log.EventEntryAdded:
		// The browser asks for an icon by itself, at a time that nobody knows.
		if event.Entry.Level == log.EntryLevelError && !strings.HasSuffix(event.Entry.URL, "/favicon.ico") {
			s.add(Console, strings.TrimSpace(event.Entry.Text+" "+event.Entry.URL))
		}
	case *runtime.EventExceptionThrown:
		s.add(Exception, thrown(event.ExceptionDetails))
	case *audits.EventIssueAdded:
		if issue := event.Issue.Details.ContentSecurityPolicyIssueDetails; issue != nil {
			s.add(Policy, violated(issue))
		}
	case *network.EventRequestWillBeSent:
		s.request(event.Request.URL)
	case *network.EventWebSocketCreated:
		s.request(event.URL)
	}
}

func (s *seen) add(kind Kind, text string) { s.faults = append(s.faults, Fault{kind, text}) }

// request notes a request, unless it does not leave the page.
func (s *seen) request(address string) {
	for _, scheme := range []string{"data:", "blob:", "about:"} {
		if strings.HasPrefix(address, scheme) {
			return
		}
	}
	s.requests = append(s.requests, address)
	if socket, ok := strings.CutPrefix(address, "ws"); ok {
		address = "http" + socket
	}
	if !strings.HasPrefix(address, s.server+"/") {
		s.add(Request, address)
	}
}

// words are the arguments of a call of the console.
func words(args []*runtime.RemoteObject) string {
	var all []string
	for _, arg := range args {
		if arg.Value == nil {
			all = append(all, arg.Description)
			continue
		}
		all = append(all, plain(arg.Value))
	}
	return strings.Join(all, " ")
}

// plain is a JSON value as text: a string is not quoted.
func plain(value []byte) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return string(value)
	}
	return text
}

// thrown is the text of an exception, with its place.
func thrown(details *runtime.ExceptionDetails) string {
	text := details.Text
	if details.Exception != nil {
		text += " " + words([]*runtime.RemoteObject{details.Exception})
	}
	return fmt.Sprintf("%s (%s:%d)", strings.Join(strings.Fields(text), " "), details.URL, details.LineNumber+1)
}

// violated is the directive of a violation, and what it kept out.
func violated(issue *audits.ContentSecurityPolicyIssueDetails) string {
	kind := issue.ContentSecurityPolicyViolationType
	return strings.TrimSpace(fmt.Sprintf("%s: %s %s", issue.ViolatedDirective, kind, issue.BlockedURL))
}
