#!/usr/bin/env bash
# usage: pipeline.sh SOURCE_DIR BUILD_DIR
# Traces the heat solver on 4 virtual nodes with clocks up to 1000 s apart, which the job and ovnisync measure, emulates with 1 to 4 ranks:
# the program's result is as without tracing, the trace is accepted, and the bytes are the same for any number of ranks.
set -euo pipefail
source=$1 build=$2
"$source/scripts/vcluster" can || exit $?

work=$(mktemp -d)
export OVNI_VCLUSTER_DIR=$work/vcluster
trap '"$source/scripts/vcluster" down; rm -rf "$work"' EXIT
cd "$work"
fail() { echo "pipeline: $1" >&2; exit 1; }
cluster() { "$source/scripts/vcluster" run "$@"; }

"$source/scripts/vcluster" up 4 --skew-ns 0,1234567891,-500000000,1000000000000
cluster -n 4 "$build/tests/apps/heat" 64 64 40 >plain
trace() { # OPTIONS of ovnirun
    cluster -n 4 "$build/bin/ovnirun" --cpu virtual "$@" "$build/tests/apps/heat" 64 64 40 >traced
    cmp plain traced || fail "tracing changed the result"
    [ "$(ls -d ovni/loom.* | wc -l)" = 4 ] || fail "not one loom per node: $(ls ovni)"
}
trace --sync off
if cluster -n 2 "$build/bin/ovniemu-mpi" -o uncorrected ovni 2>said; then
    grep -q "no clock offset" said || fail "nothing is said of 4 nodes without a table of offsets"
fi
trace
cluster -n 2 "$build/bin/ovniemu-mpi" -l -o own ovni 2>said || { cat said >&2; fail "not accepted with the clocks that the job measured"; }
grep -q "clocks of 4 of 4 hosts: right to +-" said || fail "nothing is said of clocks: $(cat said)"
cluster --npernode 1 "$build/bin/ovnisync"
for ranks in 1 2 3 4; do
    cluster -n $ranks "$build/bin/ovniemu-mpi" -l -o "out$ranks" ovni 2>said || { cat said >&2; fail "$ranks ranks: not accepted"; }
    for file in thread cpu; do
        for kind in prv pcf row; do cmp "out1/$file.$kind" "out$ranks/$file.$kind" || fail "$ranks ranks: other bytes"; done
    done
done
# All ranks leave the barrier at the end of MPI_Init within much less than the skews, if the clocks are corrected.
for output in own out1; do
    duration=$(sed -n '1s/.*):0*\([0-9]*\)_ns.*/\1/p' "$output/thread.prv")
    [ "$duration" -lt 60000000000 ] || fail "$output lasts $duration ns: clocks were not corrected"
done
