#!/usr/bin/env bash
# usage: completion.sh MANUALS    what bash completes, asked as bash asks, and the syntax of what zsh reads.
set -uo pipefail
manuals=$1
status=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# complete WORD...: the answers for the last word.
complete_words() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
    local function
    function=$(complete -p "$1" | sed 's/.*-F \([^ ]*\) .*/\1/')
    COMPREPLY=()
    "$function" "$1" "${@: -1}" "${COMP_WORDS[COMP_CWORD - 1]}"
    printf '%s ' "${COMPREPLY[@]}"
}
expect() {
    local expected=$1 answer
    shift
    answer=$(complete_words "$@")
    [ "${answer% }" = "$expected" ] || { echo "'$*' is completed to '$answer', not '$expected'"; status=1; }
}

for file in "$manuals"/*.bash; do
    # shellcheck disable=SC1090
    . "$file" || { echo "$file cannot be read"; status=1; }
    for option in --help --version; do expect $option "$(basename "$file" .bash)" ${option:0:6}; done
done
mkdir "$work/trace"
touch "$work/trace.h5"
cd "$work" || exit 1
expect "--report" ovniemu --rep
expect "trace" ovniemu tr
expect "trace trace.h5" ovniemu --hdf5 tr
expect "trace trace.h5" ovniemu --hdf5 = tr
expect "report columns cut plots cost outputs" ovniemu --help ""
expect "control counters settings emit trouble" ovnirun --help ""
expect "sample virtual" ovnirun --cpu ""
expect "sample virtual" ovnirun --cpu =
expect "trace" ovnirun -o tr
expect "trace trace.h5" ovnirun --cpu virtual ls tr
expect "start stop status" ovnictl st
expect "--from" ovnicut trace -o out --fr

if command -v zsh >/dev/null; then
    for file in "$manuals"/_*; do zsh -n "$file" || status=1; done
else
    echo "there is no zsh: what it reads is not checked"
fi
exit $status
