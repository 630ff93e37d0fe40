package claim

import (
	"fmt"
	"slices"
	"strings"
)

// Progress is how far a study has got.
type Progress struct {
	Label string // the current activity, such as "training seed 1" or "testing M1"
	Row   string // id of the row being tested; empty during training

	Steps, AllSteps int // training steps taken, including steps of earlier studies in the folder, and in total
	Work, AllWork   int // work of tests done and in total, in units of [Row.Work]

	// Products and AllProducts are roughly the multiply-adds of these training steps. Time
	// is nearer to them than to steps, since steps of large models take longer.
	Products, AllProducts float64
}

// planWork adds up the work of all tests and resets the study's progress.
func (s *Study) planWork(rows []Row) {
	s.at = Progress{}
	for _, row := range rows {
		s.at.AllWork += row.Work
	}
}

// Tell reports the current activity to the user.
func (s *Study) Tell(label string) {
	s.reports.Lock()
	defer s.reports.Unlock()
	s.tell(label)
}

// tell reports the study's progress. The caller holds the lock.
func (s *Study) tell(label string) {
	s.at.Label = label
	if s.Progress != nil {
		s.Progress(s.at)
	}
}

// begin reports that the test of a row begins.
func (s *Study) begin(row Row) {
	s.reports.Lock()
	defer s.reports.Unlock()
	s.row, s.before, s.parts = row, s.at.Work, 0
	s.at.Row = row.ID
	s.tell("testing " + row.ID)
}

// Part reports that one of n equal parts of the row's test is done, 1/n of [Row.Work].
// The end of the test reports any remaining parts.
func (s *Study) Part(n int) {
	s.reports.Lock()
	defer s.reports.Unlock()
	s.parts = min(s.parts+1, n)
	if work := s.before + s.row.Work*s.parts/n; work > s.at.Work {
		s.at.Work = work
		s.tell(s.at.Label)
	}
}

// end reports that a row's test is done, if the row has any work.
func (s *Study) end() {
	if s.row.Work > 0 {
		s.parts = 0
		s.Part(1)
	}
}

// takeSteps reports that a model has taken training steps. Other models may be training
// at the same time.
func (s *Study) takeSteps(t Training, steps int) {
	s.reports.Lock()
	defer s.reports.Unlock()
	if !slices.Contains(s.training, t.Name) {
		s.training = append(s.training, t.Name)
	}
	s.countSteps(t, steps)
	s.tell("training " + s.trained())
}

// mostNamed is the largest number of models, and of conditions, that a sentence names.
const mostNamed = 3

// trained names the models being trained, in the order in which they began: "seed 1", or
// "2 models: seed 1; seed 2".
func (s *Study) trained() string {
	var names []string
	for _, name := range s.training[:min(len(s.training), mostNamed)] {
		names = append(names, s.planned[name].label)
	}
	if len(s.training) == 1 {
		return names[0]
	}
	if len(s.training) > mostNamed {
		names = append(names, "…")
	}
	return fmt.Sprintf("%d models: %s", len(s.training), strings.Join(names, "; "))
}

// endSteps records that a model's training has ended. It reports the given number of its
// steps that were not reported before: all its steps if an earlier study had trained the
// model.
func (s *Study) endSteps(t Training, steps int) {
	s.reports.Lock()
	defer s.reports.Unlock()
	s.training = slices.DeleteFunc(s.training, func(name string) bool { return name == t.Name })
	if steps > 0 {
		s.countSteps(t, steps)
		s.tell("trained " + t.Label)
	}
}

// countSteps counts steps that a model has taken. The caller holds the lock.
func (s *Study) countSteps(t Training, steps int) {
	s.at.Row = ""
	s.at.Steps += steps
	s.at.Products += float64(steps) / float64(t.Config.Train.NumSteps) * s.planned[t.Name].products
}
