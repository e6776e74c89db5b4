#!/usr/bin/env bash
# usage: script_usage.sh SCRIPTS    every script prints its usage with --help, and ends with 2 on a wrong command line.
set -uo pipefail
scripts=$1 failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

for script in setup build demo lint test applications bench soak fuzz vcluster sync-check causality generate_mpi_wrappers.py generate_mpi_model.py; do
    said=$("$scripts/$script" --help) || fail "$script --help: status $?"
    grep -q '^usage: ' <<<"$said" || fail "$script --help prints no usage: $said"
done
for script in setup build demo lint applications bench soak fuzz vcluster sync-check causality generate_mpi_wrappers.py generate_mpi_model.py; do
    "$scripts/$script" --foo >/dev/null 2>&1
    status=$?
    [ $status = 2 ] || fail "$script --foo: status $status instead of 2"
done
exit $((failures > 0))
