#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Prints the version script of the shim: the names of hooks.def that this libc exports. What it keeps only for
# programs linked long ago (name@VERSION, one @) has no default that could be found behind us.
#   map.sh HOOKS.DEF LIBC NM
# Without such a libc (another than glibc): all of them.
set -eu
names=$(sed -nE -e 's/^(HOOK|HOOKP|HOOKE|HOOKA|OWN)\([^,]+, *([A-Za-z0-9_]+),.*/\2/p' \
	-e 's/^JUMP\(([A-Za-z0-9_]+)\).*/\1/p' "$1")
[ -n "$names" ] || { echo "map.sh: no hooks in $1" >&2; exit 1; }
if [ -f "$2" ]; then
	there=$($3 -D --defined-only "$2" | sed -e 's/.* //' -e '/[^@]@[^@]/d' -e 's/@@.*//')
	names=$(printf '%s\n' "$names" | grep -Fx "$there")
fi
echo '{'
echo '	global:'
printf '%s\n' "$names" | sed 's/.*/		&;/'
echo '	local: *;'
echo '};'
