#!/usr/bin/env bash
# usage: man_pages.sh MANUALS    every man page in that directory is clean, and indexed by its NAME.
set -uo pipefail
manuals=$1
command -v man >/dev/null && command -v lexgrog >/dev/null || { echo "skipped: there is no man or no lexgrog (package man-db)"; exit 77; }
status=0
fail() { echo "$1"; status=1; }
for page in "$manuals"/*.1; do
    program=$(basename "$page" .1)
    warnings=$(MANROFFSEQ='' MANWIDTH=80 man --warnings -l -E UTF-8 "$page" 2>&1 >"/tmp/man_page.$$")
    [ -z "$warnings" ] || fail "$page: $warnings"
    for heading in NAME SYNOPSIS DESCRIPTION OPTIONS 'SEE ALSO'; do
        grep -q "^$heading" "/tmp/man_page.$$" || fail "$page has no $heading"
    done
    lexgrog "$page" | grep -q "\"$program - .*[a-z]\"" || fail "$page: lexgrog finds $(lexgrog "$page")"
    # Every option of --help stands in the page.
    for option in $(python3 -c 'import json, sys; print(*("--" + o["name"] for o in json.load(open(sys.argv[1]))["options"]))' "${page%.1}.json"); do
        grep -q -e "$option" "/tmp/man_page.$$" || fail "$page has no $option"
    done
done
rm -f "/tmp/man_page.$$"
exit $status
