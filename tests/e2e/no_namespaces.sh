#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A host that gives no namespaces: a user namespace without a map may make no other. Landlock and seccomp still
# confine, everything started is still killed, and what is missing is named.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
if ! unshare -U true 2>/dev/null; then
	skip "without namespaces" "unshare -U does not work here"
	done_testing
	exit 0
fi
base=$(mktemp -d)
mkdir "$base/project" && cd "$base/project" || exit 1
echo secret-text >"$base/secret"
mark=$((RANDOM + 100000))
cat >try.sh <<T
sleep $mark & setsid sleep $mark &
cat "$base/secret" && exit 1
echo x >"$base/made" && exit 1
kill -9 \$PPID && exit 1
exit 7
T
unshare -U "$STILE" run --result "$base/result" -- sh try.sh >/dev/null 2>"$base/err"
is "the program is confined, and cannot signal the warden" $? 7
ok "nothing was written outside" test ! -e "$base/made"
is "nothing it started is alive" "$(pgrep -cf "sleep $mark")" 0
ok "what is not enforced is said" grep -q 'not enforced on this host' "$base/err"
ok "the result names the namespaces and the kernel's answer" \
	grep -q '{"name":"mount","enforced":false,"why":"namespace mount: Operation not permitted"}' "$base/result"
unshare -U "$STILE" run --require mount -- true 2>/dev/null
is "a required layer that is missing is unavailable" $? 152
unshare -U "$STILE" run --deny-path "$base/project/try.sh" -- true 2>/dev/null
is "a policy that needs mounts is unavailable, not ignored" $? 152
cd / && rm -rf "$base"
done_testing
