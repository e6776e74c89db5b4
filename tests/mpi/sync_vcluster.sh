#!/usr/bin/env bash
# usage: sync_vcluster.sh VCLUSTER    the life of a virtual cluster, with real namespaces.
set -uo pipefail
. "${0%/*}/script_checks.sh"
vcluster=$1
export OVNI_VCLUSTER_DIR=$dir/vc
trap '"$vcluster" down; rm -rf "$dir"' EXIT

check 0 "$vcluster" --help
expect 1 out '^usage: vcluster up N'
check 2 "$vcluster"
check 2 "$vcluster" up
check 2 "$vcluster" up 0
check 2 "$vcluster" up 2 --skew-ns 1,2,3
check 2 "$vcluster" up 2 --skew-ns often
check 2 "$vcluster" nonsense
"$vcluster" can || exit $?

# Nothing is up.
check 0 "$vcluster" down
check 1 "$vcluster" status
check 1 "$vcluster" run -n 1 true
check 1 "$vcluster" exec node0 true

check 0 "$vcluster" up 3 --skew-ns 0,1000000000001,-1234567
check 0 "$vcluster" up 3 --skew-ns 0,1000000000001,-1234567
check 1 "$vcluster" up 2
check 0 "$vcluster" status
expect 3 out '^node[0-2] '
check 0 "$vcluster" skew
same skew "node0 0 node1 1000000000001 node2 -1234567" "$(tr '\n' ' ' <"$dir/out" | sed 's/ $//')"

# Clocks: what a node reads lies between two readings outside, shifted by exactly its skew.
now=(python3 -c 'import time; print(time.clock_gettime_ns(time.CLOCK_MONOTONIC))')
before=$("${now[@]}")
inside=$("$vcluster" exec node1 "${now[@]}")
after=$("${now[@]}")
((before + 1000000000001 <= inside && inside <= after + 1000000000001)) || note "clock of node1: $before $inside $after"

# Things that a node has for itself.
for name in node0 node1 head; do same "host name" $name "$("$vcluster" exec $name hostname)"; done
check 0 "$vcluster" exec node0 sh -c 'touch /dev/shm/mine "$OVNI_VCLUSTER_LOCAL/mine"'
check 1 "$vcluster" exec node1 sh -c '[ -e /dev/shm/mine ] || [ -e "$OVNI_VCLUSTER_LOCAL/mine" ]'
check 0 "$vcluster" exec node0 sh -c 'ls /dev/shm/mine "$OVNI_VCLUSTER_LOCAL/mine" && grep vcluster /proc/1/cmdline'
boot_id=(cat /proc/sys/kernel/random/boot_id)
[ "$("$vcluster" exec node0 "${boot_id[@]}")" != "$("$vcluster" exec node1 "${boot_id[@]}")" ] || note "boot ids are equal"
same "working directory" "$PWD" "$("$vcluster" exec node2 pwd)"

check 9 "$vcluster" exec node2 sh -c 'exit 9'
check 0 "$vcluster" run --npernode 1 hostname
same "hosts of a run" "node0 node1 node2" "$(sort "$dir/out" | tr '\n' ' ' | sed 's/ $//')"
check 0 "$vcluster" run -n 2 --host node2 hostname
expect 2 out '^node2$'
check 5 "$vcluster" run -n 1 sh -c 'exit 5'

# The end of a cluster is the end of what runs in it.
"$vcluster" exec node1 sleep 1000 &
sleeper=$!
pids=$(cut -d' ' -f1 "$OVNI_VCLUSTER_DIR"/pids/*)
check 0 "$vcluster" down
wait $sleeper && note "a process outlived its node"
for pid in $pids; do
    [ ! -e "/proc/$pid/cmdline" ] || ! grep -q vcluster.pl "/proc/$pid/cmdline" || note "process $pid is left"
done
[ ! -e "$OVNI_VCLUSTER_DIR" ] || note "the state directory is left"
! grep -q "$dir" /proc/mounts || note "a mount is left"
check 0 "$vcluster" down

# Failures and dead nodes leave nothing behind.
check 1 "$vcluster" up 2 --skew-ns 0,-999999999999999999
expect 1 err 'would be negative'
[ ! -e "$OVNI_VCLUSTER_DIR" ] || note "a failed start left its state directory"
check 0 "$vcluster" up 2
kill -KILL "$(cut -d' ' -f1 "$OVNI_VCLUSTER_DIR/pids/node1")"
while "$vcluster" status >"$dir/out"; do sleep 0.05; done
grep -q '^node1 .* dead$' "$dir/out" || note "status says nothing of the dead node"
check 0 "$vcluster" up 2
check 0 "$vcluster" exec node1 true
check 0 "$vcluster" down

# Another's directory is left alone.
mkdir "$OVNI_VCLUSTER_DIR" && touch "$OVNI_VCLUSTER_DIR/precious"
check 1 "$vcluster" up 1
check 0 "$vcluster" down
[ -e "$OVNI_VCLUSTER_DIR/precious" ] || note "down removed a file that is not its own"
rm -r "$OVNI_VCLUSTER_DIR"

# This needs no root.
other=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if [ "$(id -u)" = 0 ] && chmod 777 "$dir" && "${other[@]}" "$vcluster" can 2>"$dir/err"; then
    check 0 "${other[@]}" "$vcluster" up 2 --skew-ns 0,77
    check 0 "${other[@]}" "$vcluster" skew
    expect 1 out '^node1 77$'
    check 0 "${other[@]}" "$vcluster" run --npernode 1 hostname
    expect 2 out '^node[01]$'
    check 0 "${other[@]}" "$vcluster" exec node1 true
    check 0 "${other[@]}" "$vcluster" down
    [ ! -e "$OVNI_VCLUSTER_DIR" ] || note "without root the state directory is left"
fi
finish
