#!/usr/bin/env bash
# usage: causality_drift.sh SOURCE_DIR BUILD_DIR
# Programs on 4 nodes whose clocks are up to 1000 s apart and drift. Corrected by what the trace itself knows of the
# clocks, from MPI_Init and MPI_Finalize, no message of the heat solver is received before it is sent. MPI_Init alone is
# not enough for a program of some seconds.
set -uo pipefail
. "${0%/*}/script_checks.sh"
source=$1 build=$2
export OVNI_BUILD_DIR=$build OVNI_VCLUSTER_DIR=$dir/vc
vcluster=$source/scripts/vcluster causality=$source/scripts/causality
trap '"$vcluster" down; rm -rf "$dir"' EXIT
"$vcluster" can || exit $?
cd "$dir" || exit 1

iterations=600 messages=3600 # each iteration has 6 over the 3 borders
# Rates of clocks in parts per 10^9.
cat >drifting <<'END'
case $(hostname) in
    node1) export OVNI_TEST_CLOCK=0:50000:0 ;;
    node2) export OVNI_TEST_CLOCK=777:-20000:0 ;;
    node3) export OVNI_TEST_CLOCK=0:1000:0 ;;
esac
exec "$@"
END
# heat WORDS...: the solver on the nodes, behind those words, must say what it says elsewhere.
heat() {
    check 0 "$vcluster" run --npernode 1 "$@" "$build/tests/apps/heat" 64 64 $iterations
    [ ! -e plain ] || cmp -s plain out || note "$*: another result"
}
violations() { awk '$1 == "violations" {print $2}' out; }

check 0 "$vcluster" up 4 --skew-ns 0,1234567891,-500000000,1000000000000
heat
cp out plain
heat sh drifting "$build/bin/ovnirun"
check 0 "$causality" --ignore ovni
expect 1 out "^matched $messages\$"
expect 1 out '^unmatched 0$'
[ "$(violations)" -ge $((messages / 4)) ] || note "only $(violations) violations in raw clocks"
check 0 "$causality" --expect-none ovni
expect 1 out "^matched $messages\$"

# At the end of 3 s clocks are wrong by up to 210 us, much longer than a message takes.
for sync in both init; do
    rm -rf ovni
    check 0 "$vcluster" run --npernode 1 sh drifting "$build/bin/ovnirun" --sync $sync "$build/tests/apps/ping_pong" 1000 3000
    check "$([ $sync = both ]; echo $?)" "$causality" --expect-none ovni
    expect 1 out "^matched 6000\$"
done
finish
