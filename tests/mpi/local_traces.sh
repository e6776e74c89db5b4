#!/usr/bin/env bash
# usage: local_traces.sh SOURCE_DIR BUILD_DIR
# Traces on 3 virtual nodes, each into a directory on a disk of its own, and emulates them there: the outputs are those of the same
# streams in one directory, wherever they are written to; what nobody can read is named.
set -euo pipefail
source=$1 build=$2
"$source/scripts/vcluster" can || exit $?

work=$(mktemp -d)
export OVNI_VCLUSTER_DIR=$work/vcluster
trap '"$source/scripts/vcluster" down; rm -rf "$work"' EXIT
cd "$work"
fail() { echo "local_traces: $1" >&2; exit 1; }
cluster() { "$source/scripts/vcluster" run "$@"; }
on() { "$source/scripts/vcluster" exec "$@"; }
expect() { # STATUS TEXT COMMAND...
    local wanted=$1 text=$2 status=0
    shift 2
    "$@" >said 2>&1 || status=$?
    [ $status = "$wanted" ] && grep -q -- "$text" said || { cat said >&2; fail "status $status of '$*', not $wanted and '$text'"; }
}
same() { # OUTPUTS...
    local output file
    for output; do
        for file in {thread,cpu}.{prv,pcf,row}; do cmp "whole/$file" "$output/$file" || fail "$output: other bytes"; done
    done
}

"$source/scripts/vcluster" up 3 --skew-ns 0,1234567891,-500000000
disk=$OVNI_VCLUSTER_DIR/local
trace() { cluster -n 3 "$build/bin/ovnirun" -o "$disk/ovni" "$@" "$build/tests/apps/heat" 64 64 20 >/dev/null; }
emulate() { # RANKS OUTPUT OPTIONS...
    local ranks=$1 output=$2
    shift 2
    cluster -n $ranks "$build/bin/ovniemu-mpi" -o "$output" --local "$disk/ovni" "$@"
}

# The second run moves the first away on every node.
trace
trace
for node in node0 node1 node2; do
    [ "$(on $node ls "$disk" | xargs)" = "ovni ovni.1" ] || fail "$node has $(on $node ls "$disk" | xargs)"
    [ "$(on $node ls "$disk/ovni" | grep -c loom)" = 1 ] || fail "not one loom on $node"
    mkdir -p whole
    on $node cp -r "$disk/ovni/." whole
done
"$build/bin/ovniemu" -l whole 2>said || { cat said >&2; fail "not accepted"; }

emulate 3 shared -l 2>said || { cat said >&2; fail "not accepted where it is"; }
grep -q "clocks of 3 of 3 hosts" said || fail "nothing is said of clocks: $(cat said)"
emulate 3 "$disk/out" --hdf5 "$disk/out.h5" 2>said || { cat said >&2; fail "outputs that rank 0 alone sees"; }
grep -q "out: not all ranks see it or can open files in it, rank 0 writes for all, on the node node0" said || fail "nothing is said of that: $(cat said)"
[ "$(on node1 ls "$disk" | xargs)" = "ovni ovni.1" ] || fail "node1 has got outputs"
on node0 cp -r "$disk/out" gathered
same shared gathered

expect 1 "are in no directory that this emulation reads" emulate 2 two
[ ! -e two ] || fail "outputs of two nodes of three"
expect 0 "have no stream" emulate 2 two --keep-going

# All nodes see all looms: each reads those that are named after it.
cluster -n 3 "$build/bin/ovniemu-mpi" --local whole -o own 2>said || { cat said >&2; fail "a directory that all see"; }
same own
expect 1 "none of them is its own, node2" cluster -n 2 "$build/bin/ovniemu-mpi" --local whole -o foreign

# Two nodes that have streams of one loom.
pid=$(basename whole/loom.node0/proc.*)
on node1 mkdir "$disk/ovni/loom.node0"
on node1 cp -r "whole/loom.node0/$pid" "$disk/ovni/loom.node0/proc.x"
expect 1 "proc.x/thread.*its loom node0 is on the node node0 (rank 0), too" emulate 3 foreign
expect 0 "proc.x.*is left out" emulate 3 foreign --keep-going
same foreign
