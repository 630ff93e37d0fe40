package claim

import (
	"fmt"
	"slices"
	"strings"
)

// Progress is how far a study is.
type Progress struct {
	Label string // what is being done, such as "training seed 1" or "testing M1"
	Row   string // the id of the row under test; empty while models train

	Steps, AllSteps int // of training: taken, those of earlier studies in the folder too, and all
	Work, AllWork   int // of tests, by [Row.Work]: done, and all
}

// planWork adds up what there is to do besides training, of which nothing is done yet.
func (s *Study) planWork(rows []Row) {
	s.at = Progress{}
	for _, row := range rows {
		s.at.AllWork += row.Work
	}
}

// Tell tells the user what is being done.
func (s *Study) Tell(label string) {
	s.reports.Lock()
	defer s.reports.Unlock()
	s.tell(label)
}

// tell reports how far the study is. Its caller holds the lock.
func (s *Study) tell(label string) {
	s.at.Label = label
	if s.Progress != nil {
		s.Progress(s.at)
	}
}

// begin tells that a row is tested, whose work has its parts before it.
func (s *Study) begin(row Row) {
	s.reports.Lock()
	defer s.reports.Unlock()
	s.row, s.before, s.parts = row, s.at.Work, 0
	s.at.Row = row.ID
	s.tell("testing " + row.ID)
}

// Part tells that one more of n equal parts of the row's test is done, which is an n-th
// of [Row.Work]. What parts have not told, the end of the test does.
func (s *Study) Part(n int) {
	s.reports.Lock()
	defer s.reports.Unlock()
	s.parts = min(s.parts+1, n)
	if work := s.before + s.row.Work*s.parts/n; work > s.at.Work {
		s.at.Work = work
		s.tell(s.at.Label)
	}
}

// end tells that a row's test is done, if there was work to do.
func (s *Study) end() {
	if s.row.Work > 0 {
		s.parts = 0
		s.Part(1)
	}
}

// takeSteps reports steps of a model that trains, perhaps beside others.
func (s *Study) takeSteps(t Training, steps int) {
	s.reports.Lock()
	defer s.reports.Unlock()
	if !slices.Contains(s.training, t.Name) {
		s.training = append(s.training, t.Name)
	}
	s.at.Steps, s.at.Row = s.at.Steps+steps, ""
	s.tell("training " + s.trained())
}

// mostNamed is how many models of those that train side by side are named.
const mostNamed = 3

// trained names the models that train, in the order in which they began: "seed 1", or
// "2 models: seed 1; seed 2".
func (s *Study) trained() string {
	var names []string
	for _, name := range s.training[:min(len(s.training), mostNamed)] {
		names = append(names, s.planned[name].Label)
	}
	if len(s.training) == 1 {
		return names[0]
	}
	if len(s.training) > mostNamed {
		names = append(names, "…")
	}
	return fmt.Sprintf("%d models: %s", len(s.training), strings.Join(names, "; "))
}

// endSteps reports the steps of a model that did not have to be taken, if there are any.
func (s *Study) endSteps(t Training, steps int) {
	s.reports.Lock()
	defer s.reports.Unlock()
	s.training = slices.DeleteFunc(s.training, func(name string) bool { return name == t.Name })
	if steps > 0 {
		s.at.Steps, s.at.Row = s.at.Steps+steps, ""
		s.tell("trained " + t.Label)
	}
}
