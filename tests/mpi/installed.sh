#!/usr/bin/env bash
# usage: installed.sh SOURCE_DIR BUILD_DIR    an installed prefix alone traces, emulates, draws and helps. If the machine
# allows it, sources and build are covered by empty directories meanwhile.
set -euo pipefail
source=$1 build=$2
fail() { echo "FAILED: $*" >&2; exit 1; }

if [ -z "${OVNI_TEST_PREFIX:-}" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    export OVNI_TEST_PREFIX=$work/prefix
    cmake --install "$build" --prefix "$OVNI_TEST_PREFIX" >/dev/null
    if text=$(grep -rIl -e "$source" "$OVNI_TEST_PREFIX"); then fail "these name the source tree: $text"; fi
    cp "$build/bin/heat" "$0" "$work" 2>/dev/null || cp "$build/tests/apps/heat" "$0" "$work"
    cd "$work"
    here=$work/$(basename "$0")
    if unshare --map-root-user --mount true 2>/dev/null; then
        # shellcheck disable=SC2016
        unshare --map-root-user --mount bash -c 'mount -t tmpfs none "$1" && mount | grep -q " $1 " && shift && bash "$@"' \
            - "$source" "$here" "$source" "$build"
    else
        bash "$here" "$source" "$build"
    fi
    exit
fi

prefix=$OVNI_TEST_PREFIX
export PATH=$prefix/bin:/usr/bin:/bin
unset LD_LIBRARY_PATH OVNI_BUILD_DIR

mpirun -n 2 ovnirun -o trace ./heat >out 2>&1 || fail "the traced program: $(cat out)"
ovniemu --report report.json trace >out 2>&1 || fail "ovniemu: $(cat out)"
mpirun -n 2 ovniemu-mpi -o together trace >out 2>&1 || fail "ovniemu-mpi: $(cat out)"
cmp trace/thread.prv together/thread.prv
if [ -x "$prefix/libexec/ovni-mpi/ovniemu-mpi-mpich" ]; then
    mpiexec.mpich -n 2 ovniemu-mpi -o mpich trace >out 2>&1 || fail "ovniemu-mpi of MPICH: $(cat out)"
    cmp trace/thread.prv mpich/thread.prv
fi
PYTHONPATH=$prefix/share/ovni-mpi/python python3 -B -c 'import ovni; assert not ovni.is_traced()' || fail "the module for Python"
ovnidump trace >events 2>out || fail "ovnidump: $(cat out)"
ovnitop --mpi trace >out 2>&1 || fail "ovnitop: $(cat out)"
ovnicut trace -o part --to 1ms >out 2>&1 || fail "ovnicut: $(cat out)"
ovni-causality --ignore trace >out 2>&1 || fail "ovni-causality: $(cat out)"
grep -q '^matched [1-9]' out || fail "ovni-causality: $(cat out)"
if python3 -c 'import numpy' 2>/dev/null; then
    ovni-summary trace >out 2>&1 || fail "ovni-summary: $(cat out)"
fi
if python3 -c 'import matplotlib, h5py' 2>/dev/null && ovniemu --hdf5 trace.h5 trace 2>/dev/null; then
    ovni-timeline trace -o timeline.png >out 2>&1 || fail "ovni-timeline: $(cat out)"
    ovni-shares trace.h5 -o shares.png >out 2>&1 || fail "ovni-shares: $(cat out)"
    ovni-durations trace.h5 -o durations.png >out 2>&1 || fail "ovni-durations: $(cat out)"
    if ovniemu --hdf5 trace.h5 trace 2>&1 | grep -q " messages with "; then
        ovni-matrix trace.h5 -o matrix.png >out 2>&1 || fail "ovni-matrix: $(cat out)"
    fi
fi
for job in "$prefix"/share/ovni-mpi/jobs/*.sbatch; do
    "$job" --help >out 2>&1 || fail "$job: $(cat out)"
done

for program in "$prefix"/bin/*; do
    name=$(basename "$program")
    "$program" --help >help 2>&1 || fail "$name --help: $(cat help)"
    grep -q '^usage: ' help || fail "$name prints no usage"
    [[ $name == ovni-* ]] && continue
    "$program" --version >out 2>&1 || fail "$name --version: $(cat out)"
    page=$prefix/share/man/man1/$name.1
    [ -s "$page" ] && [ -s "$prefix/share/bash-completion/completions/$name" ] && [ -s "$prefix/share/zsh/site-functions/_$name" ] ||
        fail "$name has no manual or no completion"
    for topic in $(grep -o -- '--help [a-z]*' help | cut -d' ' -f2 | sort -u); do
        "$program" --help "$topic" >>help || fail "$name --help $topic"
    done
    sed 's/\\-/-/g' "$page" >>help
    for path in $(grep -o 'PREFIX/[A-Za-z0-9_./-]*[A-Za-z0-9]' help | sort -u); do
        [ -e "$prefix/${path#PREFIX/}" ] || fail "$name names $path, which is not installed"
    done
    for other in $(grep -oE '\bovni(-[a-z]+|[a-z]+(-mpi)?)\b' help | sort -u); do
        [[ $other == ovni-mpi || $other == ovni-uid || -x $prefix/bin/$other ]] || fail "$name names $other, which is no program"
    done
done
if command -v man >/dev/null; then
    MANPATH=$prefix/share/man man -w ovniemu >out 2>&1 || fail "man ovniemu: $(cat out)"
fi
