package report

import (
	"fmt"

	"foretell/claim"
	"foretell/sweep"
)

// Trainings returns the training runs of a paper's rows as a study, whose folder is the
// report's. A paper whose rows train no models is an error.
func Trainings(p claim.Paper, profile claim.Profile, rows []claim.Row) (*sweep.Manifest, error) {
	trainings, err := claim.Trainings(rows)
	if err != nil {
		return nil, err
	}
	if len(trainings) == 0 {
		return nil, fmt.Errorf("%s trains no models in its %s profile; leave out --engine", p.Name, profile)
	}
	list := make([]sweep.Named, len(trainings))
	for i, t := range trainings {
		list[i] = sweep.Named{Name: t.Name, Config: t.Config, Snapshots: t.Snapshots, Watch: t.Watch}
	}
	return sweep.List(fmt.Sprintf("the models of %s, %s profile", p.Name, profile), list)
}

// Ready returns the rows that the report in a folder lacks and whose training runs are
// all complete, and says what the other rows wait for. states are the states of
// the study of [Trainings].
func Ready(
	dir string, rows []claim.Row, r Report, states []sweep.Progress,
) (ready []claim.Row, waiting []claim.Waiting, err error) {
	_, missing, err := Judged(dir, rows, r)
	if err != nil {
		return nil, nil, err
	}
	complete := map[string]bool{}
	for _, p := range states {
		complete[p.Name] = p.State == sweep.Complete
	}
	ready, waiting = claim.Ready(missing, func(run string) bool { return complete[run] })
	return ready, waiting, nil
}
