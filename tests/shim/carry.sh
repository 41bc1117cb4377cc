#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The shim goes along into every new program, and stays quiet, whole and cheap whatever a program does.
# shellcheck source=tests/lib/tap.sh
source "$srcdir/tests/lib/tap.sh"

if ! [ -f "${SHIM:-}" ] || ! [ -x "${ROOM:-}" ] || ! [ -x "${CARRY:-}" ]; then
	skip_all "the shim was not built"
fi
top=$(mktemp -d "${TMPDIR:-/tmp}/stile-carry-XXXXXX")
trap 'rm -rf "$top"' EXIT
rooms=0

# in_room WORDS PROGRAM…: $got what it and the room print, $status how it ended.
in_room() {
	local words
	read -ra words <<<"$1"
	shift
	rooms=$((rooms + 1))
	room=$top/room$rooms
	status=0
	got=$("$ROOM" "$room" "$SHIM" "${words[@]}" -- "$@" 2>&1) || status=$?
	rm -rf "$room"
}

for form in execve execv execvp execvpe execl execle execlp fexecve syscall posix_spawn posix_spawnp \
	system popen wordexp; do
	in_room "walls read=/ exec=/ processes" "$CARRY" "$form"
	like "$form: ours goes first, the program's own stays behind it" "$got" "LD_PRELOAD=$SHIM:/none.so"
	like "$form: the room is named" "$got" "STILE_ROOM=$room"
	like "$form: attached again" "$got" "process attached [a-z/]*/env"
done
in_room "walls read=/ exec=/ processes" "$CARRY" null
like "no environment at all: attached again" "$got" "process attached [a-z/]*/env"

in_room "walls read=/ exec=/ processes" env -i /bin/sh -c '/bin/true; :'
like "env -i: the shell is attached" "$got" "process attached [a-z/]*/(da|ba)?sh"
like "env -i: and what it runs" "$got" "process attached [a-z/]*/true"

in_room "read=/usr" "$CARRY" flood 1000000
is "a million refusals end well" "$status" 0
like "they are one denial, counted exactly" "$got" "denial socket EACCES 1000000 shim network AF_INET"
like "none of them is lost" "$got" "lost 0 0"

in_room "read=/usr" "$CARRY" closed
is "without any descriptor left it is refused" "$status" 0
like "and told of" "$got" "denial open(64)? EACCES 1 shim path /etc/passwd"

in_room "walls read=/ exec=/ processes" "$CARRY" vfork 10000
is "ten thousand vforks end well" "$status" 0
grown=$(sed -n 's/^grown \(.*\) KiB$/\1/p' <<<"$got")
ok "they leave no memory behind" [ "${grown:-9999}" -lt 1024 ]

in_room "read=/usr" "$CARRY" signals 3000
is "refused in threads and handlers at once" "$status" 0
like "the threads' are counted exactly" "$got" "denial open(64)? EACCES 9000 shim path /etc/passwd"

# A static program has no loader to preload anything: its row stays as it was before the exec.
echo 'int main(void) { return 0; }' >"$top/static.c"
if ${CC:-cc} -static -o "$top/static" "$top/static.c" 2>/dev/null; then
	in_room "walls read=/ exec=/ processes" env -- "$top/static"
	like "a static program is seen to have no shim" "$got" "process exec $top/static"
	BLIND=$top/static in_room "walls read=/ exec=/ processes" "$CARRY" blind
	like "a spawned one too" "$got" "process exec $top/static"
else
	skip "a static program is seen to have no shim" "cannot link statically"
fi

# A program of another libc takes the same file.
if command -v musl-gcc >/dev/null; then
	printf '%s\n' '#include <fcntl.h>' '#include <errno.h>' \
		'int main(void) { return open("/etc/passwd", O_RDONLY) < 0 ? errno : 0; }' >"$top/musl.c"
	musl-gcc -o "$top/musl" "$top/musl.c"
	in_room "read=/usr" "$top/musl"
	is "a musl program is refused" "$status" 13
	like "and told of" "$got" "denial open EACCES 1 shim path /etc/passwd"
else
	skip "a musl program is refused" "no musl-gcc"
fi

done_testing
