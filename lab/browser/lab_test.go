package browser

import (
	"bufio"
	"cmp"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// program builds foretell once, with the engine of pages without a server, and returns
// its path.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "foretell-browser-*")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "foretell")
	for _, args := range [][]string{
		{"run", "./lab/web/pack"}, {"build", "-tags", "pages", "-o", path, "./cmd/foretell"},
	} {
		build := exec.Command("go", args...)
		build.Dir = filepath.Join("..", "..")
		if out, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w: %s", err, out)
		}
	}
	return path, nil
})

func TestMain(m *testing.M) {
	status := m.Run()
	if path, err := program(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(status)
}

// laboratory is a running foretell lab.
type laboratory struct {
	dir  string // its current folder; runs are below runs
	link string // what it prints
}

// startLab starts foretell lab in a new folder, after the given foretell commands. It
// ends with the test.
func startLab(t *testing.T, commands ...[]string) *laboratory {
	t.Helper()
	return startLabWith(t, nil, commands...)
}

// startLabWith is startLab with flags.
func startLabWith(t *testing.T, flags []string, commands ...[]string) *laboratory {
	t.Helper()
	l := &laboratory{dir: t.TempDir()}
	for _, args := range commands {
		l.foretell(t, args...)
	}
	server := l.command(t, append([]string{"lab"}, flags...)...)
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if err := server.Wait(); server.ProcessState.ExitCode() != 0 {
			t.Errorf("foretell lab ended with %v", err)
		}
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if text := strings.TrimSpace(lines.Text()); strings.HasPrefix(text, "http://") {
			l.link = text
			return l
		}
	}
	t.Fatalf("foretell lab printed no link: %v", lines.Err())
	return nil
}

// command returns a command in the folder of the laboratory.
func (l *laboratory) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = l.dir
	return cmd
}

// foretell runs a command in the folder of the laboratory, and returns what it prints.
func (l *laboratory) foretell(t *testing.T, args ...string) string {
	t.Helper()
	out, err := l.command(t, args...).Output()
	if err != nil {
		var said []byte
		if ended, ok := err.(*exec.ExitError); ok {
			said = ended.Stderr
		}
		t.Fatalf("foretell %s: %v: %s", strings.Join(args, " "), err, said)
	}
	return string(out)
}

// at returns the link to a page: pairs of names and values of the address.
func (l *laboratory) at(pairs ...string) string {
	query := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		query.Set(pairs[i], pairs[i+1])
	}
	return l.link + cmp.Or("&"+query.Encode(), "")
}

// waitFor waits until a JavaScript expression is true in a page. The page's patience
// bounds the wait.
func waitFor(p *Page, expression string) {
	p.t.Helper()
	p.t.Logf("waiting for %s", expression)
	Eval[bool](p, fmt.Sprintf(`new Promise(resolve => {
		const look = () => { try { if (%s) return resolve(true) } catch {} setTimeout(look, 50) }
		look()
	})`, expression))
}

// settle waits until a page has waited for no answer during ten looks, so that an answer
// that leads to the next question is not taken for the last.
func settle(p *Page) {
	p.t.Helper()
	Eval[bool](p, `new Promise(resolve => {
		let still = 0
		const look = () => {
			still = document.querySelector(".waiting") ? 0 : still + 1
			still === 10 ? resolve(true) : setTimeout(look, 50)
		}
		look()
	})`)
}

// text returns the text of the first element of a selector.
func textOf(p *Page, selector string) string {
	return Eval[string](p, fmt.Sprintf(`document.querySelector(%q)?.textContent ?? ""`, selector))
}

// press clicks the button with a text.
func press(p *Page, text string) {
	Eval[bool](p, fmt.Sprintf(`(() => {
		const button = [...document.querySelectorAll("button")].find(b => b.textContent.trim() === %q)
		button?.click()
		return Boolean(button)
	})()`, text))
}

// audited fails the test for what axe-core finds in a page, and if it is wider than the
// window.
func audited(t *testing.T, p *Page, view View, name string) {
	t.Helper()
	for _, v := range p.Audit() {
		t.Errorf("%s at %d, %s: %+v", name, view.Width, view.Theme, v)
	}
	if wide := Eval[int](p, "document.documentElement.scrollWidth"); wide > view.Width {
		t.Errorf("%s: the page is %d wide in a window of %d", name, wide, view.Width)
	}
}

// refused runs a command that must fail, and returns what it says.
func (l *laboratory) refused(t *testing.T, args ...string) string {
	t.Helper()
	out, err := l.command(t, args...).CombinedOutput()
	if err == nil {
		t.Errorf("foretell %s: no error", strings.Join(args, " "))
	}
	return string(out)
}
