//go:build unix

package sweep_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"foretell/sweep"
)

// childStudy names the study that a child process of the tests trains.
const childStudy = "FORETELL_TEST_STUDY"

// childMode says what the child does with the study: status, or else train it.
const childMode = "FORETELL_TEST_MODE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childStudy); dir != "" {
		trainChild(dir)
		return
	}
	os.Exit(m.Run())
}

// trainChild trains a study, and prints a line for each step.
func trainChild(dir string) {
	s, err := sweep.Open(dir)
	switch {
	case err != nil:
	case os.Getenv(childMode) == "status":
		err = printStatus(s)
	default:
		_, err = s.Train(context.Background(), sweep.Options{
			Workers: 2, Advance: func(done, _ int) { fmt.Println(done) },
		})
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// printStatus prints the states and results of a study's runs.
func printStatus(s *sweep.Study) error {
	states, err := s.States()
	if err != nil {
		return err
	}
	found, err := s.Results(context.Background(), states)
	if err == nil {
		fmt.Println(found.Counts, found.Runs)
	}
	return err
}

// Of 200 runs none is lost and none is doubled if the program is killed twenty times, and
// each has the bits of the undisturbed study.
func TestKilledStudy(t *testing.T) {
	var rates []string
	for i := range 100 {
		rates = append(rates, fmt.Sprintf("%.4f", 0.001*float64(i+1)))
	}
	m, err := study(t, "", 2, "train.lr="+strings.Join(rates, ","))
	if err != nil {
		t.Fatal(err)
	}
	whole, killed := begin(t, t.TempDir(), m), begin(t, t.TempDir(), m)
	if _, err := whole.Train(t.Context(), sweep.Options{}); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 0))
	kills := 0
	for range 20 {
		if killAfter(t, killed.Dir, 50+random.IntN(250)) {
			kills++
		}
	}
	states, err := killed.Train(t.Context(), sweep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c := sweep.Count(states); c.Complete != 200 || kills < 15 {
		t.Errorf("%d kills: %v", kills, c)
	}
	if got, want := fingerprints(t, killed), fingerprints(t, whole); !reflect.DeepEqual(got, want) {
		t.Error("the killed study has other results")
	}
	for folder, want := range map[string]int{"runs": 200, "attempts": 0, "failed": 0} {
		entries, err := os.ReadDir(killed.Dir + "/" + folder)
		if err != nil || len(entries) != want {
			t.Errorf("%s has %d entries, %v; want %d", folder, len(entries), err, want)
		}
	}
}

// killAfter trains the study in a child process and kills it after a number of steps. It
// reports whether the child was killed before it had ended.
func killAfter(t *testing.T, dir string, steps int) bool {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childStudy+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	killed := false
	for n := 0; lines.Scan(); n++ {
		if n == steps {
			killed = true
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := child.Wait(); err != nil && !killed {
		t.Fatal(err)
	}
	return killed
}
