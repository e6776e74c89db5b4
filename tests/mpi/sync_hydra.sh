#!/usr/bin/env bash
# usage: sync_hydra.sh VCLUSTER OVNISYNC    under MPICH's launcher: the true offsets of 4 virtual nodes are within the bounds.
set -euo pipefail
vcluster=$1 ovnisync=$2
fail() { echo "sync_hydra: $1" >&2; exit 1; }
skip() { echo "$1"; exit 77; }

command -v mpiexec.hydra >/dev/null || skip "there is no mpiexec.hydra"
OVNI_MPI=mpich "$ovnisync" --version 2>/dev/null | grep -q MPICH || skip "ovnisync is not built for MPICH"
"$vcluster" can || exit $?

work=$(mktemp -d)
export OVNI_VCLUSTER_DIR=$work/vcluster
trap '"$vcluster" down; rm -rf "$work"' EXIT
cd "$work"
"$vcluster" up 4 --skew-ns 0,1234567891,-500000000,1000000000000
# MPI_Finalize of MPICH 4.0 hangs now and then between nodes, in any program; the files are there by then.
timeout -k 5 60 "$vcluster" hydra -ppn 1 "$ovnisync" -o offsets >said 2>&1 &
job=$!
while kill -0 $job 2>/dev/null && ! grep -q '^written: offsets' said; do sleep 0.1; done
for ((i = 0; i < 50; ++i)); do
    kill -0 $job 2>/dev/null || break
    sleep 0.1
done
is_hanging=no
kill $job 2>/dev/null && is_hanging=yes
status=0
wait $job || status=$?
[ $status = 0 ] || [ $is_hanging = yes ] || fail "status $status: $(cat said)"
grep -q '^written: offsets' said || fail "nothing was measured: $(cat said)"
grep -q '^nodes: 4, ' said || fail "not 4 nodes: $(cat said)"
"$vcluster" skew >truth
while read -r node skew; do
    read -r low high < <(awk -v node="$node" '$1 == node { print $3, $4 }' said) || fail "$node is not in the summary: $(cat said)"
    [ "$low" -le $((-skew)) ] && [ $((-skew)) -le "$high" ] || fail "$node runs $skew ns ahead, which is not within $low to $high"
done <truth
