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
        --ntasks-per-node=*) tasks=$((${1#*=} * SLURM_JOB_NUM_NODES)) ;;
        *) echo "srun: $1 is not known here" >&2; exit 2 ;;
    esac
    shift
done
echo "srun $tasks: $*" >> "$SRUN_LOG"
exec env -u SLURM_JOB_ID -u SLURM_NTASKS -u SLURM_JOB_NUM_NODES mpirun -n "$tasks" "$@"
SRUN
chmod +x "$work/bin/srun"
export PATH=$work/bin:$build/bin:$PATH SRUN_LOG=$work/log
export SLURM_SUBMIT_DIR=$work SLURM_JOB_ID=4711 SLURM_NTASKS=3 SLURM_JOB_NUM_NODES=1

batch() {
    bash "$source/scripts/jobs/$1.sbatch" "${@:2}" > "$work/out" 2>&1
}

OVNIRUN_OPTIONS="--cpu virtual" batch trace "$build/tests/apps/rounds" 3 || fail "trace: $(cat "$work/out")"
[ -d "$work/ovni.4711" ] || fail "there is no trace: $(ls "$work")"
batch sync "$work/ovni.4711" || fail "sync: $(cat "$work/out")"
[ -s "$work/ovni.4711/clock-offsets.txt" ] || fail "sync has written nothing"
SLURM_NTASKS=2 batch emulate "$work/ovni.4711" -l -o "$work/outputs" || fail "emulate: $(cat "$work/out")"
[ -s "$work/outputs/thread.prv" ] || fail "emulate has written nothing"
[ -s "$work/ovni.4711/columns.h5" ] || grep -q "no HDF5" "$work/out" || fail "there are no columns"
SLURM_NTASKS=2 batch emulate "$work/ovni.4711" -o "$work/again" --hdf5 "$work/mine.h5" || grep -q "no HDF5" "$work/out" || fail "emulate --hdf5: $(cat "$work/out")"
[ -s "$work/mine.h5" ] || grep -q "no HDF5" "$work/out" || fail "columns are not where they were wanted"
batch trace false && fail "the status of the program is lost"
for job in trace sync emulate; do
    batch $job && fail "$job runs without an argument"
    bash -n "$source/scripts/jobs/$job.sbatch"
done
cut -d: -f1 "$work/log" | tr '\n' ' ' | grep -qx "srun 3 srun 1 srun 2 srun 2 srun 3 " || fail "$(cat "$work/log")"
