#!/usr/bin/env bash
# usage: simgrid.sh SOURCE_DIR BUILD_DIR    ovniemu-mpi on simulated nodes writes what ovniemu writes.
set -uo pipefail
. "${0%/*}/script_checks.sh"
source=$1 build=$2
export OVNI_BUILD_DIR=$build
[ -e "$build/lib/ovniemu-simgrid.so" ] || { echo "skipped: this build has no SimGrid"; exit 77; }
command -v smpirun >/dev/null || { echo "skipped: smpirun is not there"; exit 77; }
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

check 0 "$build/bench/bench-trace" --looms 16 --threads 2 --events 20000 --ranked trace
check 0 "$build/bin/ovniemu" -o serial trace
check 0 "$source/scripts/simgrid" 16 -o switch --statistics statistics.json trace
check 0 diff -r serial switch
same "ranks in statistics.json" 16 "$(grep -o '"windows"' statistics.json | wc -l)"
check 0 "$source/scripts/simgrid" 16 --tree -o tree trace
check 0 diff -r serial tree
check 2 "$source/scripts/simgrid" sixteen trace
check 2 "$source/scripts/simgrid" 17 --tree trace
finish
