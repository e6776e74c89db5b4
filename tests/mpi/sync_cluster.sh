#!/usr/bin/env bash
# usage: sync_cluster.sh VCLUSTER OVNISYNC    ovnisync over nodes with own names and clocks.
set -uo pipefail
. "${0%/*}/script_checks.sh"
vcluster=$1 ovnisync=$2
export OVNI_VCLUSTER_DIR=$dir/vc
trap '"$vcluster" down; rm -rf "$dir"' EXIT
"$vcluster" can || exit $?
cd "$dir" || exit 1

# column NUMBER FILE: that field of every line but the header, on one line.
column() { echo $(tail -n +2 "$2" | awk -v n="$1" '{print $n}'); }

check 0 "$vcluster" up 3 --skew-ns 0,1000000000000
check 0 "$vcluster" run --npernode 2 "$ovnisync" -n 150 -v -o offsets
same "one rank per node" "node0 node1 node2" "$(column 2 offsets | tr ' ' '\n' | sort | tr '\n' ' ' | sed 's/ $//')"
expect 150 out '^rank=2 .* rtt='
expect 150 out '^rank=4 .* rtt='
check 0 "$vcluster" run --npernode 1 "$ovnisync" -n 20 -d 2 -w 0 -o drift
same "columns of the drift table" "wallclock node0 node1 node2" "$(echo $(head -1 drift))"

# A clock set wrong by the test hook on top: the bounds hold the sum.
check 0 "$vcluster" run --npernode 1 sh -c \
    '[ $(hostname) != node1 ] || export OVNI_TEST_CLOCK=5000000000:0:0; exec "$0" -o offsets' "$ovnisync"
read -r _ _ low high _ < <(grep '^node1 ' out)
((low <= -1005000000000 && -1005000000000 <= high)) || note "$low <= -1005000000000 <= $high does not hold"

# Equal names up to the first dot are told apart.
check 0 "$vcluster" exec node1 hostname node0.second
check 0 "$vcluster" run --npernode 1 "$ovnisync" -n 20 -o offsets
same "names" "node0 node0-2 node2" "$(column 2 offsets)"
finish
