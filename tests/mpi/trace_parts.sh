#!/usr/bin/env bash
# usage: trace_parts.sh VCLUSTER BUILD_DIR    jobs on several nodes of which only some ranks are traced.
set -uo pipefail
. "${0%/*}/script_checks.sh"
vcluster=$1 build=$2 points=$(realpath "${0%/*}")/clock_points.py
export OVNI_VCLUSTER_DIR=$dir/vc
trap '"$vcluster" down; rm -rf "$dir"' EXIT
"$vcluster" can || exit $?
cd "$dir" || exit 1
app=$build/tests/apps/clock_points

# traced RANKS WORDS...: 8 ranks on 4 nodes, of which RANKS, as " 0 3 ", are traced. On a busy machine ranks answer late.
traced() {
    local ranks=$1
    shift
    rm -rf ovni
    check 0 "$vcluster" run ${OVNI_TEST_NO_WAY:+-x OVNI_TEST_NO_WAY} --npernode 2 sh -c '
        case "'"$ranks"'" in *" $OMPI_COMM_WORLD_RANK "*) set -- "'"$build"'/bin/ovnirun" --sync-timeout 20 "$@" ;; esac
        exec "$@"' sh "$app" "$@"
}
points() { python3 "$points" ovni "$("$vcluster" skew)" "$@" || note "$what: points"; }
# streams N: that many, which the emulator takes.
streams() {
    local found
    found=$(find ovni -name stream.json | wc -l)
    [ "$found" = "$1" ] || note "$what: $found streams, not $1"
    check 0 "$build/bin/ovniemu" ovni
}

check 0 "$vcluster" up 4 --skew-ns 0,1234567891,-500000000,1000000000000

# Half of each node: the clocks of all nodes are measured.
traced ' 0 2 4 6 ' measure barrier measure
expect 1 err '^ovni-mpi: ranks 1, 3, 5, 7 are not traced: '
expect 1 err ovni-mpi
streams 4
points node0=4 node1=4 node2=4 node3=4

# Nodes without a traced rank, that of rank 0 among them: the reference is the first that has one.
traced ' 2 3 7 ' barrier measure
expect 1 err '^ovni-mpi: ranks 0-1, 4-6 are not traced: '
streams 3

traced ' 5 '
streams 1

# Files in the trace directory, which all nodes share, do as well.
export OVNI_TEST_NO_WAY=pmix
traced ' 1 3 5 7 ' measure
expect 1 err '^ovni-mpi: ranks 0, 2, 4, 6 are not traced, or cannot be found: '
expect 1 err ovni-mpi
streams 4
traced ' 0 1 2 3 4 5 6 7 '
expect 0 err ovni-mpi
streams 8
points node0=2 node1=2 node2=2 node3=2

finish
