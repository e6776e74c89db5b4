#!/usr/bin/env bash
# usage: sync_delay.sh VCLUSTER OVNISYNC    a virtual cluster with a slow network, and ovnisync over it.
set -uo pipefail
vcluster=$1 ovnisync=$2 link_times=$(realpath "${0%/*}")/link_times.py
. "${0%/*}/script_checks.sh"
export OVNI_VCLUSTER_DIR=$dir/vc
trap '"$vcluster" down; rm -rf "$dir"' EXIT
cd "$dir" || exit 1

for spec in often 0-1 0-1=100 0-1=1us+-2us 0-2=1us 0-01=1us '*=1us,' '*=11s' '0=1us'; do
    check 2 "$vcluster" up 2 --delay "$spec"
    expect 1 err '^vcluster: --delay: .*see --help'
done
check 2 "$vcluster" up 2 --delay
check 2 "$vcluster" can --delay 1
"$vcluster" can --delay || exit $?
devices() { ip -o link | cut -d: -f2; }
devices_before=$(devices)

# answering NODE: what `ask` and `burst` talk to.
answering() {
    rm -f "ready$1"
    "$vcluster" exec "node$1" "$link_times" answer "ready$1" 2>/dev/null &
    while [ ! -e "ready$1" ]; do kill -0 $! || break; sleep 0.02; done
}
# times FROM TO: fills the array minimum, in ns. Clocks of nodes without skew are the same.
declare -A minimum
times() {
    local name low
    check 0 "$vcluster" exec "node$1" "$link_times" ask "node$2" 20
    while read -r name low _; do minimum[$name]=$low; done <out
}
at_least() { [ "$2" -ge "$3" ] || note "$1 takes $2 ns, less than $3"; }
less() { [ "$2" -lt "$3" ] || note "$1: $2 is not less than $3"; }

# Every link is as slow as asked, and the slower one the slower.
check 0 "$vcluster" up 3 --delay '*=5ms,0-1=1ms,1-0=0.03s'
check 0 "$vcluster" up 3 --delay='*=5ms,0-1=1ms,1-0=0.03s'
check 1 "$vcluster" up 3
check 0 "$vcluster" status
for node in 0 1 2; do answering $node; done
times 0 1
at_least "node0 to node1" "${minimum[out]}" 1000000
at_least "node1 to node0" "${minimum[back]}" 30000000
at_least "the round trip" "${minimum[trip]}" 31000000
less "out, back" "${minimum[out]}" "${minimum[back]}"
times 1 0
at_least "node1 to node0" "${minimum[out]}" 30000000
less "back, out" "${minimum[back]}" "${minimum[out]}"
times 1 2
at_least "node1 to node2" "${minimum[out]}" 5000000
at_least "node2 to node1" "${minimum[back]}" 5000000
same "devices of the machine" "$devices_before" "$(devices)"

# A node that goes away is missed by nobody else; without the switch the cluster is not whole.
kill -KILL "$(cut -d' ' -f1 "$OVNI_VCLUSTER_DIR/pids/node2")"
while "$vcluster" status >out; do sleep 0.05; done
times 1 0
at_least "node1 to node0" "${minimum[out]}" 30000000
check 0 "$vcluster" up 2 --delay '*=1ms'
kill -KILL "$(cut -d' ' -f1 "$OVNI_VCLUSTER_DIR/pids/links")"
while "$vcluster" status >out; do sleep 0.05; done

# Jitter goes both ways, and nothing overtakes.
check 0 "$vcluster" up 2 --delay '*=20ms+-15ms'
answering 1
times 0 1
at_least "a short way" "${minimum[out]}" 5000000
less "shortest and middle" "${minimum[out]}" 20000000
check 0 "$vcluster" exec node0 "$link_times" burst node1 100
expect 1 out '^in order$'

# Down is the end of all of it.
pids=$(cut -d' ' -f1 "$OVNI_VCLUSTER_DIR"/pids/*)
check 0 "$vcluster" down
for pid in $pids; do
    [ ! -e "/proc/$pid/cmdline" ] || ! grep -q vcluster "/proc/$pid/cmdline" || note "process $pid is left"
done
[ ! -e "$OVNI_VCLUSTER_DIR" ] || note "the state directory is left"
same "devices of the machine" "$devices_before" "$(devices)"

# The switch does not outlive the process that keeps its namespace, even unrecorded.
check 0 "$vcluster" up 1 --delay '*=1ms'
links=$(cut -d' ' -f1 "$OVNI_VCLUSTER_DIR/pids/links")
rm "$OVNI_VCLUSTER_DIR/pids/links"
check 0 "$vcluster" down
while grep -qs vcluster_switch "/proc/$links/cmdline"; do sleep 0.02; done

# ovnisync: the estimate is wrong by half of the asymmetry, the bounds are right, and the summary says how wide they are.
# bounds NAME: its columns of the summary.
bounds() { read -r _ offset low high bound round_trip _ < <(grep "^$1 " out); }
check 0 "$vcluster" up 3 --skew-ns 0,1000000000,-5 --delay '0-*=100us,*-0=300us,0-2=1ms+-500us'
check 0 "$vcluster" run --npernode 1 "$ovnisync" -o offsets
greatest=$(sed -n 's/.*greatest bound: +-\([0-9]*\) ns/\1/p' out)
for node in "node1 -1000000000" "node2 5"; do
    read -r name truth <<<"$node"
    bounds "$name"
    ((low <= truth && truth <= high)) || note "$name: $low <= $truth <= $high does not hold"
    at_least "twice the bound of $name" $((2 * bound)) 400000
    at_least "round trip of $name" "$round_trip" 400000
    at_least "the greatest bound" "$greatest" "$bound"
    same "offset of $name in the table" "$offset" "$(awk -v n="$name" '$2 == n {print $3}' offsets)"
done
check 0 "$vcluster" down

# Without /dev/net/tun there is no such cluster; where everybody may use it, no root is needed either.
[ "$(id -u)" = 0 ] && chmod 777 "$dir" || finish
elsewhere=(unshare --mount --propagation private sh -c 'mount --bind "$0" /dev/net/tun && exec "$@"')
check 77 "${elsewhere[@]}" /dev/null "$vcluster" can --delay
expect 1 out 'no --delay: /dev/net/tun'
check 0 "${elsewhere[@]}" /dev/null "$vcluster" can
check 77 "${elsewhere[@]}" /dev/null "$vcluster" up 2 --delay '*=1us'
mknod tun c 10 200 && chmod 666 tun
other=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if "${elsewhere[@]}" ./tun "${other[@]}" "$vcluster" can --delay; then
    check 0 "${elsewhere[@]}" ./tun "${other[@]}" "$vcluster" up 2 --delay '*=1ms'
    check 0 "${other[@]}" "$vcluster" run --npernode 1 hostname
    check 0 "${other[@]}" "$vcluster" down
fi
finish
