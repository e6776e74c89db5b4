#!/usr/bin/env bash
# usage: comm_fails.sh MPIRUN RANKS PROGRAM    checks messages and exit statuses of run_mpi_main.
set -uo pipefail
mpirun=$1 ranks=$2 program=$3
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failures=0

# check STATUS WORDS...: runs the program, then lines of `expect` look at its output.
check() {
    local want=$1 got
    shift
    what="$*"
    "$mpirun" -n "$ranks" "$program" "$@" >"$dir/out" 2>"$dir/err" </dev/null
    got=$?
    [ "$got" = "$want" ] || { echo "$what: status $got instead of $want"; failures=1; cat "$dir/err"; }
}
# expect COUNT STREAM TEXT
expect() {
    local got
    got=$(grep -c -- "$3" "$dir/$2")
    [ "$got" = "$1" ] || { echo "$what: '$3' $got times in $2 instead of $1"; failures=1; cat "$dir/$2"; }
}

check 0 fine
expect 1 err 'comm_fails: INFO: said by one rank'
check 1 agreed
expect 1 err 'comm_fails: agreed failure'
check 1 alone
expect 1 err 'comm_fails: lonely failure'
check 3 status
check 0 --help
expect 1 out 'usage: comm_fails HOW'
check 2 --unknown
expect 1 err 'comm_fails: .*unknown'
exit $failures
