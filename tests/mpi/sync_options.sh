#!/usr/bin/env bash
# usage: sync_options.sh MPIRUN OVNISYNC    options and errors of ovnisync on one node.
set -uo pipefail
. "${0%/*}/script_checks.sh"
trap 'rm -rf "$dir"' EXIT
run=("$1" -n 3 "$2")
cd "$dir" || exit 1

host=$(hostname)
host=${host%%.*}
{
    printf '%-10s %-20s %-20s %-20s %-20s\n' rank hostname offset_median offset_mean offset_std
    printf '%-10s %-20s %-20s %-20s %-20s\n' 0 "$host" 0 0.000000 0.000000
} >expected

check 0 "${run[@]}"
cmp expected ovni/clock-offsets.txt || note "the table of one node is not the one with offset 0"
expect 1 out 'nodes: 1, greatest bound: +-0 ns'
OVNI_TRACEDIR=trace check 0 "${run[@]}" -n 10
cmp expected trace/clock-offsets.txt || note "OVNI_TRACEDIR does not count"
check 0 "${run[@]}" -o a/b/offsets -v
cmp expected a/b/offsets || note "-o does not count"
same "files beside the table" "clocks.json offsets" "$(echo $(ls a/b))"
check 0 "${run[@]}" -d 3 -w 0 -o drift
same "header of the drift table" "$(printf '%-20s %-20s' wallclock "$host")" "$(head -1 drift)"
same "rows of the drift table" 4 "$(wc -l <drift)"
same "nodes in clocks.json" "$host" "$(python3 -c 'import json; print(*(n["host"] for n in json.load(open("clocks.json"))["nodes"]))')"

check 0 "${run[@]}" --help
expect 1 out '^usage: mpirun -n N ovnisync'
run=("$1" -n 2 "$2")
check 2 "${run[@]}" word
expect 1 err "ovnisync: ERROR: unexpected word 'word'"
check 2 "${run[@]}" -n 0
expect 1 err 'ovnisync: ERROR: -n is a number from 1 to 100000000, not .0'
check 2 "${run[@]}" -d often
expect 1 err "ovnisync: ERROR: -d is a number from 1 on, not .often"
check 2 "${run[@]}" -o a/clocks.json
if "${run[@]}" --samples a/samples.h5 -d 2 -w 0 -o a/drift >out 2>err; then
    same "the first bytes of an HDF5 file" HDF "$(head -c 4 a/samples.h5 | tail -c 3)"
    expect 1 out '^written: a/drift, a/clocks.json, a/samples.h5$'
    check 2 "${run[@]}" --samples same -o same
else
    expect 1 err 'ovnisync: ERROR: --samples: this ovnisync was built without HDF5'
fi
check 2 "${run[@]}" -n 2147483647
expect 1 err 'ovnisync: ERROR: -n is a number from 1 to 100000000, not .2147483647'
check 2 "${run[@]}" --samples ./a/../same -o same
check 1 "${run[@]}" -o /dev/null
expect 1 err 'ovnisync: ERROR: /dev/null: exists and is not a regular file'
[ -c /dev/null ] || note "/dev/null is no device any more"
mkdir links && ln -s ../linked links/offsets && touch linked
check 0 "${run[@]}" -n 10 -o links/offsets
cmp expected linked || note "the file that a link names is not the table"
[ -L links/offsets ] || note "the link has been replaced"

# Interrupted, rows that are there get their name, and nothing else is left. mpirun asks its ranks to end after this
# many seconds, and kills them as much later; its usual second is too short on a busy machine.
mkdir rows
"$1" --mca odls_base_sigkill_timeout 6 -n 3 "$2" -n 10 -d 100000 -w 1 -o rows/drift >out 2>err &
for ((i = 0; i < 300; ++i)); do
    [ "$(cat rows/drift.tmp.* 2>/dev/null | wc -l)" -lt 3 ] || break
    sleep 0.1
done
kill -TERM $!
for ((i = 0; i < 300; ++i)); do
    [ "$(echo $(ls rows))" != drift ] || break
    sleep 0.1
done
kill -KILL $! 2>/dev/null
wait $! 2>/dev/null
same "files of an interrupted run" drift "$(echo $(ls rows))"
[ "$(wc -l <rows/drift)" -ge 3 ] || note "rows of an interrupted run are lost"
mkdir directory
check 1 "${run[@]}" -o directory
expect 1 err 'ovnisync: ERROR: directory: is a directory'
check 1 "${run[@]}" -o expected/offsets
expect 1 err 'ovnisync: ERROR: expected: '
finish
