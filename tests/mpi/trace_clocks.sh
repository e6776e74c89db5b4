#!/usr/bin/env bash
# usage: trace_clocks.sh VCLUSTER BUILD_DIR    the clocks of the nodes, measured in the traced job itself.
set -uo pipefail
. "${0%/*}/script_checks.sh"
vcluster=$1 build=$2 points=$(realpath "${0%/*}")/clock_points.py
export OVNI_VCLUSTER_DIR=$dir/vc
trap '"$vcluster" down; rm -rf "$dir"' EXIT
"$vcluster" can || exit $?
cd "$dir" || exit 1
app=$build/tests/apps/clock_points

# traced STATUS LAYOUT... -- OPTIONS_AND_WORDS...
traced() {
    local want=$1 layout=()
    shift
    while [ "$1" != -- ]; do layout+=("$1") && shift; done
    shift
    rm -rf ovni
    check "$want" "$vcluster" run "${layout[@]}" "$build/bin/ovnirun" "$@"
}
# points NODE=COUNT...: on one rank of each node, with the truth within their bounds.
points() { python3 "$points" ovni "$("$vcluster" skew)" "$@" || note "$what: points"; }

check 0 "$vcluster" up 2 --skew-ns 0,-1234567891
traced 0 --npernode 3 -- "$app"
points node0=2 node1=2
expect 0 err ovni-mpi
# A world that is spawned has another reference.
traced 0 -n 2 --map-by node -- "$build/tests/apps/spawn"
points node0=2 node1=2
check 0 "$vcluster" down

check 0 "$vcluster" up 4 --skew-ns 0,1234567891,-500000000,1000000000000
traced 0 --npernode 1 -- "$app" measure measure barrier measure
points node0=5 node1=5 node2=5 node3=5
expect 0 err ovni-mpi
traced 0 --npernode 1 -- --mpi-functions barrier "$app" barrier
points node0=2 node1=2 node2=2 node3=2
traced 0 --npernode 1 -- --sync init "$app" measure
points node0=2 node1=2 node2=2 node3=2
traced 0 --npernode 1 -- --sync off "$app" measure
points
traced 0 --npernode 1 -- --sync both "$app" elsewhere
points node0=2 node1=2 node2=2 node3=2
expect 4 err 'clocks in MPI_Pcontrol: level 3 is for the thread that called MPI_Init'
traced 2 --npernode 1 -- --sync sometimes "$app"

# Rank 0 says what all do.
rm -rf ovni
check 0 "$vcluster" run --npernode 1 sh -c '[ $(hostname) != node2 ] || export OVNI_SYNC=off; exec "$@"' sh "$build/bin/ovnirun" "$app"
points node0=2 node1=2 node2=2 node3=2

# Clocks that drift, by 50 and -20 ppm.
rm -rf ovni
check 0 "$vcluster" run --npernode 1 sh -c '
    case $(hostname) in node1) export OVNI_TEST_CLOCK=0:50000:0 ;; node2) export OVNI_TEST_CLOCK=777:-20000:0 ;; esac
    exec "$@"' sh "$build/bin/ovnirun" "$app" sleep measure
points node0=3 node1=3@0:50000 node2=3@777:-20000 node3=3

# Ranks that come late: the others go on without them.
traced 0 --npernode 1 -- --sync-timeout 0.3 "$app" sleep@2
points node0=2 node1=2 node2=1 node3=2
expect 1 err 'ovni-mpi'
expect 1 err '^ovni-mpi: clocks in MPI_Finalize: rank 2 did not answer within 0.3 s, its node has no point there$'
traced 0 --npernode 1 -- --sync-timeout 0.3 "$app" sleep@0
points node0=2 node1=1 node2=1 node3=1
expect 3 err 'ovni-mpi'
expect 1 err '^ovni-mpi: clocks in MPI_Finalize: rank 3 got no answer within 0.3 s, its node has no point there$'
traced 0 --npernode 1 -- --sync-timeout 0.3 "$app" sleep@2 measure barrier measure
points node0=4 node1=4 node2=3 node3=4
expect 1 err 'ovni-mpi'

# Ranks that never come: the job ends as it would without tracing, and each rank keeps its first point.
for end in kill exit; do
    "$vcluster" run --npernode 1 "$app" $end@3 >"$dir/out" 2>"$dir/err"
    traced $? --npernode 1 -- "$app" $end@3
    points node0=1+ node1=1+ node2=1+ node3=1
done
finish
