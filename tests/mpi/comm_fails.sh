#!/usr/bin/env bash
# usage: comm_fails.sh MPIRUN RANKS PROGRAM    checks messages and exit statuses of run_mpi_main.
set -uo pipefail
. "${0%/*}/script_checks.sh"
trap 'rm -rf "$dir"' EXIT
run=("$1" -n "$2" "$3")

check 0 "${run[@]}" fine
expect 1 err 'comm_fails: INFO: said by one rank'
check 1 "${run[@]}" agreed
expect 1 err 'comm_fails: ERROR: agreed failure'
check 1 "${run[@]}" alone
expect 1 err 'comm_fails: ERROR: lonely failure'
check 3 "${run[@]}" status
check 0 "${run[@]}" --help
expect 1 out 'usage: comm_fails HOW'
check 2 "${run[@]}" --unknown
expect 1 err 'comm_fails: .*unknown'
finish
