#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Hosts that lack one thing: without Landlock or seccomp nothing runs and the words say why; without one
# namespace the rest still holds, and what is missing is named.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
[ -x "${REFUSE:-}" ] || skip_all "there is no \$REFUSE, the kernel that refuses"
"$REFUSE" getppid EPERM -- true 2>/dev/null || skip_all "a seccomp filter cannot be loaded here"
base=$(mktemp -d)
mkdir "$base/project" && cd "$base/project" || exit 1
printf 'echo ran >ran\n' >try.sh
field() { python3 -c 'import json,sys
d=json.load(open(sys.argv[1]))
for k in sys.argv[2].split("."): d=d[int(k)] if k.isdigit() else d[k]
print(d)' "$@" 2>&1; }

# unavailable CLAIM WORDS CALL ERRNO: nothing runs, and both the result and the person hear why.
unavailable() {
	rm -f ran
	"$REFUSE" "$3" "$4" -- "$STILE" run --result "$base/result" -- sh try.sh >/dev/null 2>"$base/err"
	is "$1: unavailable" $? 152
	is "$1: nothing ran" "$(ls ran 2>/dev/null)" ''
	is "$1: the reason" "$(field "$base/result" reason)" "sandbox_unavailable:$2"
	ok "$1: it is said" grep -qF "$2" "$base/err"
}
unavailable "a kernel without Landlock" 'Landlock is not available: Function not implemented' \
	landlock_create_ruleset ENOSYS
unavailable "Landlock not enabled at boot" 'Landlock is not available: Operation not supported' \
	landlock_create_ruleset EOPNOTSUPP
unavailable "Landlock that takes no rule" 'landlock: Bad file descriptor' landlock_add_rule EBADF
unavailable "Landlock that does not hold" 'landlock: Operation not permitted' \
	landlock_restrict_self EPERM
unavailable "a kernel without filters" 'seccomp: Invalid argument' seccomp:0:1 EINVAL

"$REFUSE" landlock_create_ruleset ENOSYS -- "$STILE" session >answers 2>/dev/null <<'J'
{"op":"run","argv":["true"]}
{"op":"run","argv":["true"]}
J
is "a session says so for every run" "$(grep -c '"status":"unavailable"' answers)" 2
"$REFUSE" landlock_create_ruleset ENOSYS -- "$STILE" run --sandbox audit-only -- true 2>"$base/err"
is "audit-only needs no Landlock" $? 0
ok "and announces what it is" grep -q 'no kernel isolation' "$base/err"
"$REFUSE" landlock_create_ruleset ENOSYS -- "$STILE" run -- sh -c true 2>/dev/null
is "a refusal before the start needs no walls" $? 156

# without NAME BIT: this one namespace is missing, the run goes on, behind what is left.
without() {
	"$REFUSE" "unshare:0:$2" EPERM -- "$STILE" run --result "$base/result" -- sh try.sh \
		>/dev/null 2>"$base/err"
	is "without the $1 namespace the run goes on" $? 0
	ok "the result names it and the kernel's answer" grep -qF \
		"{\"name\":\"$1\",\"enforced\":false,\"why\":\"namespace $1: Operation not permitted\"}" "$base/result"
	"$REFUSE" "unshare:0:$2" EPERM -- "$STILE" run --require "$1" -- sh try.sh >/dev/null 2>&1
	is "required, it makes the run unavailable" $? 152
}
"$STILE" run --result "$base/result" -- true 2>/dev/null
if grep -qF '{"name":"network","enforced":true' "$base/result"; then
	without network 0x40000000
	without ipc 0x08000000
	without uts 0x04000000
	without pid 0x20000000
	without mount 0x00020000
	cat >net.py <<'P'
import socket
try:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
except OSError as e:
    print(type(e).__name__)
P
	is "without the network namespace there are no sockets all the same" \
		"$("$REFUSE" unshare:0:0x40000000 EPERM -- "$STILE" run -- python3 net.py 2>/dev/null)" PermissionError
	echo secret >"$base/secret"
	is "without the mount namespace Landlock still holds" \
		"$("$REFUSE" unshare:0:0x20000 ENOSYS -- "$STILE" run -- cat "$base/secret" 2>/dev/null)" ''
	mark=$((RANDOM + 200000))
	printf 'setsid sleep %s &\n' $mark >orphan.sh
	"$REFUSE" unshare:0:0x20000000 EPERM -- "$STILE" run -- sh orphan.sh >/dev/null 2>&1
	is "without the pid namespace orphans are hunted down" "$(pgrep -cf "sleep $mark")" 0
else
	skip "without one namespace" "this host gives none"
fi
cd / && rm -rf "$base"
done_testing
