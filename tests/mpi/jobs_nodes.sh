#!/usr/bin/env bash
# usage: jobs_nodes.sh SOURCE_DIR BUILD_DIR
# Runs scripts/jobs/local.sbatch on 3 virtual nodes that have a disk each, with an srun that starts what it is told by mpirun there.
set -euo pipefail
source=$1 build=$2
"$source/scripts/vcluster" can || exit $?

work=$(mktemp -d)
export OVNI_VCLUSTER_DIR=$work/vcluster
trap '"$source/scripts/vcluster" down; rm -rf "$work"' EXIT
cd "$work"
fail() { echo "jobs_nodes: $1" >&2; exit 1; }

mkdir bin
cat > bin/srun <<SRUN
#!/usr/bin/env bash
while [[ \$1 == --* ]]; do shift; done
exec "$source/scripts/vcluster" run -x PATH -n 3 --map-by node "\$@"
SRUN
chmod +x bin/srun
export PATH=$work/bin:$build/bin:$PATH SLURM_SUBMIT_DIR=$work SLURM_JOB_ID=12 SLURM_JOB_NUM_NODES=3 OVNI_LOCAL=$work/vcluster/local

"$source/scripts/vcluster" up 3 --skew-ns 0,1234567891,-500000000
job() { bash "$source/scripts/jobs/local.sbatch" "$build/tests/apps/heat" 64 64 20 >said 2>&1 || fail "$(cat said)"; }
export OVNIEMU_OPTIONS="--hdf5 $work/any.h5"
[[ $("$build/bin/ovniemu-mpi" --hdf5 none.h5 nowhere 2>&1) != *"no HDF5"* ]] || exit 77
job
[ -s any.h5 ] && [ -s ovni.12/report.json ] || fail "outputs are missing: $(cat said)"
grep -q '^LEVEL THREAD SIZE 3$' ovni.12/thread.row || fail "not the rows of 3 nodes: $(cat ovni.12/thread.row)"
for node in node0 node1 node2; do
    [ "$("$source/scripts/vcluster" exec $node ls "$OVNI_LOCAL/ovni.12" | grep -c loom)" = 1 ] || fail "$node does not have its loom"
done
export SLURM_JOB_ID=13 OVNI_CLEAN=yes
job
for node in node0 node1 node2; do
    [ "$("$source/scripts/vcluster" exec $node ls "$OVNI_LOCAL")" = ovni.12 ] || fail "$node has not only what the other job left there"
done
