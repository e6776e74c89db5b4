#!/usr/bin/env bash
# usage: check.sh COMPILER SOURCE_DIR    what must not compile does not, and its right twin does.
set -uo pipefail
compiler=$1 source=$2 failed=0

compiles() { "$compiler" -std=c++20 -fsyntax-only -I "$source/include" -I "$source/src" "$@" 2>/dev/null; }
must() { compiles "$@" || { echo "must compile: $*"; failed=1; }; }
must_not() { ! compiles "$@" || { echo "must not compile: $*"; failed=1; }; }

here=$source/tests/compile_fail
must -DGOOD "$here/event_code.cpp"
must_not "$here/event_code.cpp"
must "$here/model_tables.cpp"
for case in {1..43}; do must_not -DCASE=$case "$here/model_tables.cpp"; done
exit $failed
