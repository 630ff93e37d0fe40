#!/usr/bin/env bash
# Self-contained Slurm on loopback: own munge key+socket, 1 slurmctld, N slurmd, no systemd, no cgroups, no slurmdbd.
# Usage: start.sh DIR [NODES=2] [CPUS_PER_NODE=1]
# Needs Debian's munge, slurmctld, slurmd and slurm-client. Ends with "up", or with the logs on stderr.
set -euo pipefail
DIR=$(realpath -m "$1"); N=${2:-2}; CPUS=${3:-1}
umask 022
PORT0=${SLURM_TEST_PORT:-26817}
HOST=$(hostname -s)
# Listen on 127.0.0.1 alone, if this machine's name means that address.
BIND=$(getent hosts "$HOST" | grep -q '^127\.' && echo CommunicationParameters=NoInAddrAny,NoCtldInAddrAny || true)
mkdir -p "$DIR"/{state,log,run}
chmod 755 "$DIR" "$DIR"/*
# --- munge: private key, private socket (never /etc/munge) ---
( umask 077; dd if=/dev/urandom of="$DIR/munge.key" bs=1024 count=1 status=none )
munged --key-file="$DIR/munge.key" --socket="$DIR/run/munge.socket" --pid-file="$DIR/run/munged.pid" \
       --log-file="$DIR/log/munged.log" --seed-file="$DIR/run/munge.seed" --num-threads=2
cat > "$DIR/slurm.conf" <<C
ClusterName=test
SlurmctldHost=$HOST(127.0.0.1)
SlurmctldPort=$PORT0
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$DIR/run/munge.socket,cred_expire=5
StateSaveLocation=$DIR/state
SlurmctldPidFile=$DIR/run/slurmctld.pid
SlurmctldLogFile=$DIR/log/slurmctld.log
SlurmdSpoolDir=$DIR/spool.%n
SlurmdPidFile=$DIR/run/slurmd.%n.pid
SlurmdLogFile=$DIR/log/slurmd.%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$DIR/log/jobcomp.txt
MpiDefault=none
SwitchType=switch/none
$BIND
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=5,sched_min_interval=50000,bf_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
ReturnToService=2
JobRequeue=1
SlurmdTimeout=5
TCPTimeout=2
MessageTimeout=5
InactiveLimit=0
KillWait=5
MaxArraySize=${MAX_ARRAY_SIZE:-1001}
MaxJobCount=20000
MinJobAge=300
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
NodeName=n[1-$N] NodeHostname=$HOST NodeAddr=127.0.0.1 Port=[$((PORT0+1))-$((PORT0+N))] CPUs=$CPUS RealMemory=1000 State=UNKNOWN
PartitionName=lab Nodes=ALL Default=YES MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=REQUEUE GraceTime=3
PartitionName=high Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=10 PreemptMode=OFF
C
: > "$DIR/log/jobcomp.txt"
export SLURM_CONF="$DIR/slurm.conf"
slurmctld -c -f "$SLURM_CONF"
for i in $(seq 1 "$N"); do mkdir -p "$DIR/spool.n$i"; slurmd -N "n$i" -f "$SLURM_CONF"; done
for t in $(seq 1 150); do
  [ "$(sinfo -h -N -p lab -o '%t' 2>/dev/null | grep -c '^idle$')" = "$N" ] && { echo "slurm up: $N nodes idle; export SLURM_CONF=$SLURM_CONF"; exit 0; }
  sleep 0.1
done
echo "slurm did not come up" >&2; sinfo -N >&2 || true; tail -n 20 "$DIR"/log/*.log >&2; exit 1
