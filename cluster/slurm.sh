#!/bin/bash
# {{.Job.Title}}: {{.Job.Items}} runs in {{.Tasks}} tasks of at most {{.Job.PerTask}}.
# Submit it with `{{.Job.By}} --engine slurm`, which also knows the tasks' numbers.
#SBATCH --output="{{.Output}}"
#SBATCH --open-mode=append
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={{.Job.CPUs}}
#SBATCH --time={{.Minutes}}
#SBATCH --requeue
#SBATCH --signal=B:USR1@90
{{- range .Job.Options}}
#SBATCH --{{.}}
{{- end}}

# Slurm queues a task again if its node fails or if it is preempted. 90 seconds before the
# time limit it sends USR1: the program then writes checkpoints and exits with status 130,
# and the task queues itself again. Attempts that do not get as far as a checkpoint end
# with another status after the third.
program= asked= limit=
end() { # a second signal would end the program while it writes checkpoints
	[ -z "$program" ] || [ -n "$asked" ] || { asked=yes; kill -TERM $program; }
}
trap 'signalled=yes; end' TERM
trap 'signalled=yes limit=yes; end' USR1
signalled=
{{.Command}} --task $(($1 + SLURM_ARRAY_TASK_ID)) --per-task {{.Job.PerTask}} --workers {{.Job.CPUs}} \
	--attempt "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}.${SLURM_RESTART_COUNT:-0}" &
program=$!
[ -z "$signalled" ] || end
while :; do
	signalled=
	wait $program
	status=$?
	[ -n "$signalled" ] || break # the signal ended only the wait
done
if [ -n "$limit" ] && [ $status -eq 130 ]; then
	echo "queued again because of its time limit"
	scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit $status
