#!/usr/bin/env bash
# usage: trace_hydra.sh VCLUSTER BUILD_DIR SOURCE    a job of MPICH on two nodes: one run, one clock, all messages.
set -euo pipefail
vcluster=$1 build=$2 source=$3
fail() { echo "trace_hydra: $1" >&2; exit 1; }
skip() { echo "$1"; exit 77; }

command -v mpiexec.hydra >/dev/null && command -v mpicc.mpich >/dev/null || skip "there is no MPICH"
[ -e "$build/lib/libovni-mpi-mpich.so" ] || skip "there is no tracing library for MPICH"
"$vcluster" can || exit $?

work=$(mktemp -d)
export OVNI_VCLUSTER_DIR=$work/vcluster
trap '"$vcluster" down; rm -rf "$work"' EXIT
cd "$work"
mpicc.mpich -o ring "$source" || skip "mpicc.mpich builds no program"
"$vcluster" up 2 --skew-ns 0,1234567891
# MPI_Finalize of MPICH 4.0 hangs now and then between nodes, in any program: what is recorded by then is enough.
status=0
timeout -k 5 20 "$vcluster" hydra -ppn 1 -n 2 "$build/bin/ovnirun" ./ring >said 2>&1 || status=$?
[ $status = 7 ] || [ $status = 124 ] || fail "status $status: $(cat said)"
"$vcluster" exec node0 pkill -KILL -x ring || true
"$vcluster" exec node1 pkill -KILL -x ring || true
for node in node0 node1; do "$vcluster" exec $node "$build/bin/ovnirecover" --all --yes >>said 2>&1 || fail "ovnirecover on $node: $(cat said)"; done
[ "$(find ovni -name stream.obs | wc -l)" = 2 ] || fail "not two streams: $(find ovni) $(cat said)"
"$build/bin/ovniemu" ovni >emulated 2>&1 || fail "not emulated: $(cat emulated)"
grep -q '4 messages with 16 bytes' emulated || fail "messages are missing: $(cat emulated)"
grep -q 'clocks of 2 of 2 hosts: right to' emulated || fail "clocks are not measured: $(cat emulated)"
if grep -q 'before they are sent' emulated; then fail "clocks are wrong: $(cat emulated)"; fi
