//go:build !js

package lab

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// gate refuses every request that does not come from the pages of this server. A server
// on the loopback interface can be reached by every page in the user's browser and by
// every user of the machine. A request passes if
//
//   - its Host is exactly one of the server's own, so that a name that an attacker points
//     at this machine (DNS rebinding) does not pass;
//   - its Origin, if it has one, is the server's own, and the browser does not say that
//     another site sent it (Sec-Fetch-Site), whatever its method;
//   - it has the session's cookie. Only the link that the program prints, with its
//     token, sets the cookie.
type gate struct {
	token   [sha256.Size]byte // hash of the token
	session string            // value of the cookie
	hosts   []string
}

// newGate returns a gate for a token and hosts in lower case, each with its port, which
// is * if it may be any.
func newGate(token string, hosts []string) *gate {
	session := sha256.Sum256([]byte("session " + token))
	return &gate{token: sha256.Sum256([]byte(token)), session: hex.EncodeToString(session[:]), hosts: hosts}
}

// tokenKey is the key of the token in the link.
const tokenKey = "token"

// policy allows the pages to load from this server alone, no script or style in the
// markup, and no text as markup (Trusted Types).
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; " +
	"connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// protect returns a handler that calls next for requests that pass.
func (g *gate) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch reason := g.refuse(r); {
		case reason != "":
			http.Error(w, reason, http.StatusForbidden)
		case g.opens(r):
			g.admit(w, r)
		case !g.admitted(r):
			http.Error(w, "Open the link that foretell lab has printed in its terminal.", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// refuse returns why a request does not come from a page of this server, or "".
func (g *gate) refuse(r *http.Request) string {
	if !g.has(r.Host) {
		return "The host of this request is not this server's."
	}
	if origin := r.Header.Values("Origin"); len(origin) > 1 || len(origin) == 1 && origin[0] != "http://"+r.Host {
		return "The request comes from another origin."
	}
	site, mode := r.Header.Values("Sec-Fetch-Site"), r.Header.Get("Sec-Fetch-Mode")
	switch {
	case len(site) == 0: // not a browser, or an old one
	case len(site) > 1:
		return "The request says twice where it comes from."
	case site[0] == "same-origin":
	case site[0] == "none" && mode == "navigate" && r.Method == http.MethodGet: // an address that was typed
	default:
		return "The request comes from another site."
	}
	return ""
}

// has reports whether a host is one of the server's own.
func (g *gate) has(host string) bool {
	return slices.ContainsFunc(g.hosts, func(own string) bool {
		name, anyPort := strings.CutSuffix(own, "*")
		port, called := strings.CutPrefix(host, name)
		if !anyPort || !called {
			return host == own
		}
		_, err := strconv.ParseUint(port, 10, 16)
		return err == nil
	})
}

// opens reports whether a request is the printed link.
func (g *gate) opens(r *http.Request) bool {
	if r.Method != http.MethodGet || r.URL.Path != "/" {
		return false
	}
	given := sha256.Sum256([]byte(r.URL.Query().Get(tokenKey)))
	return subtle.ConstantTimeCompare(given[:], g.token[:]) == 1
}

// admit sets the cookie, and sends the browser to the address without the token.
func (g *gate) admit(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieOf(r.Host), Value: g.session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	query := r.URL.Query()
	query.Del(tokenKey)
	to := url.URL{Path: "/", RawQuery: query.Encode()}
	http.Redirect(w, r, to.String(), http.StatusSeeOther)
}

// admitted reports whether a request has the session's cookie.
func (g *gate) admitted(r *http.Request) bool {
	for _, cookie := range r.CookiesNamed(cookieOf(r.Host)) {
		if subtle.ConstantTimeCompare([]byte(cookie.Value), []byte(g.session)) == 1 {
			return true
		}
	}
	return false
}

// cookieOf returns the name of the cookie. Cookies do not know ports, so that servers on
// several ports need several names.
func cookieOf(host string) string {
	_, port, err := net.SplitHostPort(host)
	if err != nil {
		return "foretell"
	}
	return "foretell-" + port
}

// HostsOf returns the hosts by which a server on an address may be called: the address
// itself, and localhost if it is a loopback address. A Unix socket is called by the
// loopback address of any port, because a browser reaches it through a port that the user
// forwards. It needs the token all the same.
func HostsOf(address net.Addr) []string {
	if address.Network() == "unix" {
		return []string{"127.0.0.1:*", "localhost:*", "[::1]:*"}
	}
	host, port, err := net.SplitHostPort(address.String())
	if err != nil {
		return nil
	}
	hosts := []string{net.JoinHostPort(host, port)}
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		hosts = append(hosts, net.JoinHostPort("localhost", port))
	}
	return hosts
}

// IsLoopback reports whether an address to listen on, HOST:PORT or unix:PATH, can be
// reached from this machine alone.
func IsLoopback(address string) bool {
	if _, socket := SocketPath(address); socket {
		return true
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(strings.TrimSpace(host))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
