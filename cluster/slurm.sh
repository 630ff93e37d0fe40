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
{{.Command}} --task $(($1 + SLURM_ARRAY_TASK_ID)) --per-task {{.Job.PerTask}} --workers {{.Job.CPUs}} \
	--attempt "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}.${SLURM_RESTART_COUNT:-0}" &
program=$! limit= signalled=
trap 'signalled=yes; kill -TERM $program' TERM
trap 'signalled=yes limit=yes; kill -TERM $program' USR1
wait $program
status=$?
if [ -n "$signalled" ]; then # the signal ended only the wait
	wait $program
	status=$?
fi
if [ -n "$limit" ] && [ $status -eq 130 ]; then
	echo "queued again because of its time limit"
	scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit $status
