# Sourced by the script tests: counts failures, and runs commands for their status and output.
# The output of the last `check` or `run` is in $dir/out and $dir/err.

dir=$(mktemp -d) || exit 1
failures=0

note() { echo "FAILED: $*"; failures=$((failures + 1)); }
# check STATUS COMMAND...
check() {
    local want=$1 got
    shift
    what="$*"
    "$@" >"$dir/out" 2>"$dir/err" </dev/null
    got=$?
    [ "$got" = "$want" ] || { note "$what: status $got instead of $want"; cat "$dir/out" "$dir/err"; }
}
# expect COUNT STREAM PATTERN: so many lines of `out` or `err` match.
expect() {
    local got
    got=$(grep -c -e "$3" "$dir/$2")
    [ "$got" = "$1" ] || { note "$what: '$3' $got times in $2 instead of $1"; cat "$dir/$2"; }
}
same() { [ "$2" = "$3" ] || note "$1: '$3' instead of '$2'"; }
finish() {
    [ $failures = 0 ] || echo "$failures failures"
    exit $((failures > 0))
}
