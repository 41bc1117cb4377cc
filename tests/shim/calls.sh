#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# One call of every exported hook: allowed, it is the bare call in result, errno and side effect; refused, it
# fails with the errno that walls would give, does nothing, and is told of. Made from the table.
# shellcheck source=tests/lib/tap.sh
source "$srcdir/tests/lib/tap.sh"

if ! [ -f "${SHIM:-}" ] || ! [ -x "${ROOM:-}" ] || ! [ -x "${CALLS:-}" ]; then
	skip_all "the shim was not built"
fi
object=$(${CC:-cc} -print-file-name=libdl.so.2)
[ -f "$object" ] || skip_all "no small shared object to load"

top=$(mktemp -d "${TMPDIR:-/tmp}/stile-calls-XXXXXX")
trap 'rm -rf "$top"' EXIT
mkdir -p "$top/master/dir"
echo text >"$top/master/file"
ln -s file "$top/master/link"
cp /bin/true "$top/master/tool"
cp "$object" "$top/master/object"
work=$top/work

renew() {
	[ "$left" = "$untouched" ] && return 0
	rm -rf "$work"
	cp -a "$top/master" "$work"
}

# What a call left behind; names that are random have one form.
see() {
	left=$(cd "$work" && stat -c '%N %A %s' -- *)
	left=${left//made-??????/made-random}
}
left='' untouched=none rooms=0
renew
see
untouched=$left

# Descriptor 9 is the file, opened by nobody who could be refused.
bare() {
	renew
	got=$(cd "$work" && setsid -w "$CALLS" "$1" 2>&1 9<>file)
	see
}

# with_shim WORDS NAME: the same, and what was told.
with_shim() {
	local words
	read -ra words <<<"$1"
	renew
	rooms=$((rooms + 1))
	got=$(cd "$work" && "$ROOM" "$top/room$rooms" "$SHIM" "${words[@]}" -- "$CALLS" "$2" 2>&1 9<>file |
		grep -vE '^(process|record|lost) ')
	rm -rf "$top/room$rooms"
	see
}

everything="read=/ write=$top exec=$top write=/tmp write=/dev exec=/ network processes load"
row() {
	grep -E "^[A-Z]+\((.*, )?$1[,)]" "$srcdir/shim/hooks.def" | head -n 1
}

# What cannot be done for comparison: it would change the host, or ask a server of names.
never_bare() {
	case $1 in
	ptrace) return 0 ;;
	*) [[ $(row "$1") =~ SYSCALL\)|NAME\( ]] ;;
	esac
}

# Nothing to be refused: only recorded, or judged by nothing.
never_refused() {
	case $1 in
	chdir | fchdir | pidfd_send_signal | openat2) return 0 ;;
	*) [[ $(row "$1") =~ \),\ (NOTHING|TEXT\([a-z]+\))\)$ ]] ;;
	esac
}

compare() {
	local wanted
	bare "$1"
	wanted=$got$left
	with_shim "walls record $everything" "$1"
	is "$1: behind walls as without us" "$got$left" "$wanted"
	with_shim "$everything" "$1"
	is "$1: judged and allowed as without us" "$got$left" "$wanted"
}

refuse() {
	export FOREIGN=1
	with_shim stat "$1"
	unset FOREIGN
	case $1 in
	dlopen | dlmopen) like "$1: refused" "$got" "^$1 failed .*denial $1 EACCES 1 shim load" ;;
	exec* | fexecve) like "$1: refused" "$got" "^$1 failed EACCES.*denial $1 EACCES 1 shim executable" ;;
	getaddrinfo*) like "$1: refused" "$got" "^$1 failed .*denial $1 ENETUNREACH 1 shim network" ;;
	*) like "$1: refused" "$got" "^$1 failed (EACCES|EPERM|EROFS|ENETUNREACH).*denial $1 (EACCES|EPERM|EROFS|ENETUNREACH) 1 shim" ;;
	esac
	is "$1: refused without effect" "$left" "$untouched"
}

for name in $(nm -D --defined-only "$SHIM" | sed 's/.* //'); do
	never_bare "$name" || compare "$name"
	never_refused "$name" || refuse "$name"
done

done_testing
