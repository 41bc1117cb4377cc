#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The library exports exactly the names of hooks.def that this libc has, and asks for nothing but a libc.
# shellcheck source=tests/lib/tap.sh
source "$srcdir/tests/lib/tap.sh"

[ -f "${SHIM:-}" ] || skip_all "the shim was not built"
libc=$(${CC:-cc} -print-file-name=libc.so.6)
[ -f "$libc" ] || skip_all "no libc.so.6 of this compiler"

# names FILE: what it exports by default, without versions.
names() {
	nm -D --defined-only "$1" | awk '$NF !~ /[^@]@[^@]/ { sub(/@.*/, "", $NF); print $NF }' | sort -u
}

# Read otherwise than map.sh does: by the preprocessor.
table() {
	sed -n '/^[A-Z]*(/p' "$srcdir/shim/hooks.def" | ${CC:-cc} -E -P \
		-D'HOOK(t,n,...)=@n' -D'HOOKP(t,n,...)=@n' -D'HOOKE(t,n,...)=@n' -D'HOOKA(t,n,...)=@n' \
		-D'OWN(t,n,...)=@n' -D'JUMP(n)=@n' - | grep -oE '@[A-Za-z0-9_]+' | tr -d @ | sort -u
}

exported=$(names "$SHIM")
wanted=$(comm -12 <(table) <(names "$libc"))

is "exports are the table's names" "$exported" "$wanted"
is "none is forgotten by the preprocessor" "$(($(printf '%s\n' "$wanted" | wc -l) > 150))" 1
is "no needed library" "$(readelf -d "$SHIM" | grep -c NEEDED)" 0
like "constructed first" "$(readelf -d "$SHIM")" INITFIRST
like "bound at once" "$(readelf -d "$SHIM")" BIND_NOW
is "nothing of a fortified libc" "$(nm -D --undefined-only "$SHIM" | grep -c '_chk\|stack_chk')" 0
is "no memory is asked for" "$(nm -D --undefined-only "$SHIM" | grep -cwE 'malloc|calloc|realloc|free|printf|snprintf|pthread_mutex_lock')" 0

done_testing
