#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Where stile is started: temporary folders of every kind, many sessions at once, sandboxes around it
# (cases/field-reports rows 17, 18, 20).
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
base=$(mktemp -d)
mkdir "$base/project" && cd "$base/project" || exit 1
try() { "$STILE" run -- echo fine 2>"$base/err"; }

mkdir "$base/with space"
is "TMPDIR with a space" "$(TMPDIR="$base/with space" try)" fine
is "no HOME" "$(env -u HOME "$STILE" run -- echo fine)" fine
TMPDIR=$base/missing try >/dev/null
is "a TMPDIR that is not there is unavailable" $? 152
ok "and named" grep -q "$base/missing" "$base/err"
mkdir "$base/open" && chmod 777 "$base/open"
TMPDIR=$base/open try >/dev/null
is "a TMPDIR that everybody may write, without the sticky bit, is refused" $? 152
chmod 1777 "$base/open"
is "with it, it serves" "$(TMPDIR=$base/open try)" fine
ln -s "$base/open" "$base/with space/pdlt-sandboxes"
rm -rf "$base/other" && mkdir "$base/other" && ln -s "$base/open" "$base/other/pdlt-sandboxes"
TMPDIR=$base/other try >/dev/null
is "a base folder that is a link is refused" $? 152
if unshare -Urm true 2>/dev/null; then
	mkdir "$base/small"
	unshare -Urm bash -c 'mount -t tmpfs -o size=64k,nr_inodes=64 none "$1/small" &&
		dd if=/dev/zero of="$1/small/full" 2>/dev/null; TMPDIR=$1/small "$2" run -- echo fine' \
		- "$base" "$STILE" >"$base/out" 2>"$base/err"
	code=$?
	ok "a full TMPDIR works or is one clear error" test "$code" = 0 -o "$code" = 152 -o "$code" = 151
	unshare -Urm bash -c 'mount -t tmpfs -o ro none "$1/small" && TMPDIR=$1/small "$2" run -- echo fine' \
		- "$base" "$STILE" >"$base/out" 2>"$base/err"
	is "a read-only TMPDIR is unavailable" $? 152
	unshare -Urmpf bash -c 'mount -t tmpfs none /proc && "$1" run -- echo fine' - "$STILE" \
		>"$base/out" 2>"$base/err"
	code=$?
	ok "without /proc it runs or says why not" test "$code" = 0 -o "$code" = 152
else
	skip "a full TMPDIR" "unshare -Urm does not work here"
	skip "a read-only TMPDIR" "unshare -Urm does not work here"
	skip "no /proc" "unshare -Urm does not work here"
fi

for i in $(seq 64); do
	echo '{"op":"run","argv":["echo","'"$i"'"]}' | "$STILE" session --label same >"$base/s$i" 2>&1 &
done
wait
wrong=0
for i in $(seq 64); do grep -q "\"stdout\":\"$i\\\\n\"" "$base/s$i" || wrong=$((wrong + 1)); done
is "64 sessions at once with one label do not interfere" $wrong 0
printf 'cp /bin/true "./t$1" && "./t$1" && echo ran\n' >exec.sh
for i in $(seq 64); do "$STILE" run -- sh exec.sh "$i" >"$base/e$i" 2>&1 & done
wait
is "nor do 64 that write a program and run it" "$(cat "$base"/e* | grep -c ran)" 64
if command -v bwrap >/dev/null && bwrap --dev-bind / / true 2>/dev/null; then
	bwrap --dev-bind / / "$STILE" run -- echo fine >"$base/out" 2>&1
	code=$?
	ok "inside bubblewrap it works with what is left, or fails closed" \
		test "$code" = 0 -o "$code" = 152
else
	skip "inside bubblewrap" "bwrap does not work here"
fi
cd / && rm -rf "$base"
done_testing
