#!/usr/bin/env bash
# jobs.sh SOURCE BUILD: runs scripts/jobs with an srun that starts what it is told by mpirun.
set -euo pipefail
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "FAILED: $*" >&2
    exit 1
}

mkdir "$work/bin"
cat > "$work/bin/srun" <<'SRUN'
#!/usr/bin/env bash
tasks=$SLURM_NTASKS
while [[ ${1:-} == --* ]]; do
    case $1 in
        --nodes=* | --ntasks=*) ;;
        --ntasks-per-node=*) tasks=$((${1#*=} * SLURM_JOB_NUM_NODES)) ;;
        *) echo "srun: $1 is not known here" >&2; exit 2 ;;
    esac
    shift
done
echo "srun $tasks cpus=${SRUN_CPUS_PER_TASK:-}: $(printf '%q ' "$@")" >> "$SRUN_LOG"
exec env -u SLURM_JOB_ID -u SLURM_NTASKS -u SLURM_JOB_NUM_NODES mpirun -n "$tasks" "$@"
SRUN
chmod +x "$work/bin/srun"
export PATH=$work/bin:$build/bin:$PATH SRUN_LOG=$work/log
export SLURM_SUBMIT_DIR=$work SLURM_JOB_ID=4711 SLURM_NTASKS=3 SLURM_JOB_NUM_NODES=1

batch() {
    bash "$source/scripts/jobs/$1.sbatch" "${@:2}" > "$work/out" 2>&1
}

there() { # FILES...
    local file
    for file; do
        [ -s "$file" ] || fail "there is no $file, but $(ls "$(dirname "$file")"); $(cat "$work/out")"
    done
}
logged() { # TEXT
    grep -qF -- "$1" "$work/log" || fail "'$1' was not started, but $(cat "$work/log")"
}
hdf5=yes
"$build/bin/ovniemu-mpi" --hdf5 "$work/none.h5" "$work/nowhere" 2>&1 | grep -q "no HDF5" && hdf5=no
columns() { [ $hdf5 = no ] || there "$@"; }

SLURM_CPUS_PER_TASK=5 OVNIRUN_OPTIONS="--cpu virtual --control 'stop:pcontrol:my region'" batch trace "$build/tests/apps/rounds" 3 ||
    fail "trace: $(cat "$work/out")"
[ -d "$work/ovni.4711" ] || fail "there is no trace: $(ls "$work")"
logged "srun 3 cpus=5: ovnirun --cpu virtual --control stop:pcontrol:my\\ region "
batch sync "$work/ovni.4711" || fail "sync: $(cat "$work/out")"
there "$work/ovni.4711/clock-offsets.txt"

if [ $hdf5 = yes ]; then
    for output in "-o $work/o1" "-lo $work/o2" "--output $work/o3" "--output=$work/o4" "-l -o$work/o5"; do
        SLURM_NTASKS=2 batch emulate "$work/ovni.4711" $output || fail "emulate $output: $(cat "$work/out")"
    done
    there "$work"/o{1,2,3,4,5}/{thread.prv,columns.h5,report.json}
    [ ! -e "$work/ovni.4711/columns.h5" ] || fail "columns are in the trace in spite of -o"
    SLURM_NTASKS=2 batch emulate "$work/ovni.4711" || fail "emulate: $(cat "$work/out")"
    there "$work"/ovni.4711/{thread.prv,columns.h5,report.json}
    batch emulate "$work/ovni.4711" -o "$work/again" --hdf5 "$work/mine.h5" --report="$work/mine.json" || fail "emulate --hdf5: $(cat "$work/out")"
    there "$work/mine.h5" "$work/mine.json"
    [ ! -e "$work/again/columns.h5" ] && [ ! -e "$work/again/report.json" ] || fail "columns and report are twice there"
fi
batch emulate --help || fail "emulate --help: $(cat "$work/out")"
grep -q "usage: sbatch" "$work/out" && grep -q -- --keep-going "$work/out" || fail "emulate --help says $(cat "$work/out")"
batch emulate "$work/nowhere" && fail "emulate takes what is not there"
[ ! -e "$work/nowhere" ] || fail "emulate makes a trace that is not there"
batch emulate --local "$work/ovni.4711" && fail "emulate takes an option for a trace"
batch trace false && fail "the status of the program is lost"

# Tracing and emulating where the streams are: the status is the program's, and nothing is removed but what was made.
if [ $hdf5 = yes ]; then
    mkdir -p "$work/local/4711"
    echo mine > "$work/local/4711/file"
    here() { OVNI_LOCAL=$work/local/%j OVNI_OUTPUT="$work/$1" batch local "${@:2}"; }
    OVNIRUN_OPTIONS="--cpu virtual" OVNIEMU_OPTIONS=-l here "local 1" "$build/tests/apps/rounds" 3 || fail "local: $(cat "$work/out")"
    there "$work/local 1/thread.prv" "$work/local 1/columns.h5" "$work/local 1/report.json"
    [ -d "$work/local/4711/ovni.4711" ] || fail "the streams do not stay: $(ls "$work/local/4711")"
    here local2 "$build/tests/apps/rounds" 3 && fail "local goes on with a directory of others"
    [ -d "$work/local/4711/ovni.4711" ] && [ ! -e "$work/local2" ] || fail "what others made is gone"
    rm -r "$work/local/4711/ovni.4711"
    # One rank, as mpirun kills those that have not ended when another one fails.
    status=0
    SLURM_NTASKS=1 OVNI_CLEAN=yes SLURM_RESTART_COUNT=2 here local3 bash -c "'$build/tests/apps/rounds' 3; exit 3" || status=$?
    [ $status = 3 ] || fail "local ends with $status, not with the status of the program: $(cat "$work/out")"
    there "$work/local3/thread.prv"
    [ "$(ls "$work/local/4711")" = file ] || fail "left behind: $(ls "$work/local/4711")"
    OVNI_CLEAN=yes OVNIEMU_OPTIONS="-c '$work/no where'" here local4 "$build/tests/apps/rounds" 3 || fail "emulation changes the status: $(cat "$work/out")"
    ls -d "$work"/local4/loom.* "$work"/local/4711/ovni.4711/loom.* > /dev/null || fail "what is not emulated is lost"
    OVNI_LOCAL='' batch local true && fail "local without OVNI_LOCAL"
    OVNI_LOCAL=$work/nowhere batch local true && fail "a disk that is not there is made"
fi
for job in trace sync emulate local; do
    batch $job && fail "$job runs without an argument"
    batch $job --help || fail "$job has no help"
    bash -n "$source/scripts/jobs/$job.sbatch"
done
