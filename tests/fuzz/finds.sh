#!/usr/bin/env bash
# usage: finds.sh SOURCE BUILD    scripts/fuzz finds what is wrong: a target that crashes, an emulator that differs.
set -uo pipefail
source=$1 build=$2 failures=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
contains() { grep -q -- "$2" "$1" || { fail "$3: no '$2' in:"; cat "$1"; }; }

# A crash leaves its input, which crashes again, and a seed finds the same one.
planted=$build/tests/fuzz_planted
printf good >"$work/kept"
for round in 1 2; do
    (ulimit -c 0; "$planted" --change 7 60 "$work/crash$round" "$work/kept") >/dev/null 2>&1 && fail "no crash was found"
done
cmp "$work/crash1" "$work/crash2" || fail "the seed has not found the same crash"
"$planted" "$work/kept" >/dev/null || fail "the good input crashes"
(ulimit -c 0; "$planted" "$work/crash1") >/dev/null 2>&1 && fail "the kept input does not crash"

# A build tree in which one emulator is another program.
mkdir -p "$work/build/bin"
for program in ovniemu ovniemu-mpi random-trace; do ln -s "$build/bin/$program" "$work/build/bin/"; done
if [ ! -x "$build/bin/ovniemu-mpi" ]; then
    echo "ranks are left out: the build has no MPI"
    exit $((failures > 0))
fi
compare() { "$source/tests/fuzz/compare_ranks" "$work/build" --keep "$work/kept_traces" --seed 5 "$@" >"$work/said" 2>&1; }
# replaced PROGRAM LINES EXPECTED: with LINES behind the real one, which sets `status`
replaced() {
    rm "$work/build/bin/$1"
    printf '#!/usr/bin/env bash\n%s "$@"; status=$?\n%s\nexit $status\n' "$build/bin/$1" "$2" >"$work/build/bin/$1"
    chmod +x "$work/build/bin/$1"
    compare --cases 3
    [ $? = 1 ] || fail "$1 with '$2' is not found: $(cat "$work/said")"
    contains "$work/said" "$3" "$1 with '$2'"
    ln -sf "$build/bin/$1" "$work/build/bin/$1"
}
compare --cases 3 || fail "the emulators differ: $(cat "$work/said")"
contains "$work/said" "seed 5: 3 damaged traces" "the emulators as they are"
replaced ovniemu-mpi 'echo >>out/thread.prv' "out/thread.prv differs between -j 1 and [23] ranks"
replaced ovniemu-mpi 'echo more >&2' "prints it another number of times than -j 1: more"
replaced ovniemu-mpi 'status=$((1 - status))' "the status is . with -j 1, and . with [23] ranks"
replaced ovniemu '[ $2 = 1 ] || rm -f out/cpu.*' "out/cpu.* is there only with -j 1"
replaced ovniemu 'kill -SEGV $$' "the status is -11 with -j 1"
contains "$work/said" "again:    scripts/fuzz --seed 5 --case [0-9]* ranks" "a difference"
case=$(sed -n 's/.*--case \([0-9]*\) ranks/\1/p' "$work/said" | head -1)
contains "$work/kept_traces/ranks-5-$case/README" "^ovniemu -j 1 .* trace$" "the kept trace"
exit $((failures > 0))
