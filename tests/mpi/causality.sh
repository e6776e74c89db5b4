#!/usr/bin/env bash
# usage: causality.sh SOURCE_DIR BUILD_DIR MPIRUN    messages that are received before they are sent, on nodes with wrong clocks.
set -uo pipefail
. "${0%/*}/script_checks.sh"
source=$1 build=$2 mpirun=$3
export OVNI_BUILD_DIR=$build OVNI_VCLUSTER_DIR=$dir/vc
vcluster=$source/scripts/vcluster causality=$source/scripts/causality
trap '"$vcluster" down; rm -rf "$dir"' EXIT
"$vcluster" can || exit $?
cd "$dir" || exit 1
run() { check 0 "$vcluster" run --npernode 1 "$@"; }

# Two of three clocks are wrong by a second: of every round trip one message seems to arrive before it leaves.
check 0 "$vcluster" up 3 --skew-ns 0,1000000000,-1000000000
run "$build/bin/ovnirun" "$build/tests/apps/ping_pong" 1000
run "$build/bin/ovnisync"
check 0 "$causality" --ignore ovni
expect 1 out '^matched 4000$'
expect 1 out '^unmatched 0$'
expect 1 out '^violations 2000$'
expect 1 out '^worst 99[0-9]\{7\} ns$'
check 1 "$causality" --ignore --expect-none ovni
for corrected in "" "--clocks ovni/clock-offsets.txt"; do
    # shellcheck disable=SC2086
    check 0 "$causality" $corrected --expect-none ovni
    expect 1 out '^matched 4000$'
    expect 1 out '^violations 0$'
    expect 1 out '^worst 0 ns$'
done
check 2 "$causality" --ignore --clocks ovni/clock-offsets.txt ovni
check 2 "$causality"
check 1 "$causality" --clocks missing ovni
check 1 "$causality" --ignore missing
check 0 "$vcluster" down

# Programs that use all kinds of messages, and threads, on one node: every message is matched, and none is early.
for program in "3 calls_c" "2 calls_cpp"; do
    read -r ranks name <<<"$program"
    rm -rf counts ovni
    mkdir counts
    check 0 "$mpirun" -n "$ranks" "$build/bin/ovnirun" "$build/tests/apps/$name" counts
    check 0 "$causality" --ignore --expect-none ovni
    sent=$(awk '$1 == "sent" {n += $4} END {print n}' counts/traffic.*)
    same "messages of $name" "$sent" "$(awk '$1 == "matched" {n += $2} $1 == "unmatched" {n += $2 / 2} END {print n}' out)"
done
finish
