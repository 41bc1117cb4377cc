#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Path rules nested in every way: order never matters, the longest path decides, nothing is made or followed.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
base=$(realpath "$(mktemp -d)")
mkdir "$base/project" && cd "$base/project" || exit 1
if ! "$STILE" run --require mount -- true 2>/dev/null; then
	skip_all "no mount namespace here"
fi
# The preflight would refuse denied paths as arguments: the paths stand in the script.
probe() { sed "s|PATHS|$*|" <<'P'
for p in PATHS; do
	r=-; w=-
	cat "$p/f" >/dev/null 2>&1 && r=r
	(echo x >"$p/new") 2>/dev/null && w=w && rm "$p/new"
	printf %s "$r$w "
done
P
}
mkdir -p "$base/a/b/c" "$base/a-b"
for d in a a/b a/b/c a-b; do echo x >"$base/$d/f"; done
probe "$base/a" "$base/a/b" "$base/a/b/c" "$base/a-b" >try.sh
try() { "$STILE" run "$@" -- sh try.sh 2>/dev/null; }
A=$base/a B=$base/a/b C=$base/a/b/c
is "nothing granted, nothing there" "$(try)" "-- -- -- -- "
is "read" "$(try --read "$A")" "r- r- r- -- "
is "write below read" "$(try --read "$A" --write "$B")" "r- rw rw -- "
is "in the other order" "$(try --write "$B" --read "$A")" "r- rw rw -- "
is "read below write" "$(try --write "$A" --read "$B")" "rw r- r- -- "
is "in the other order" "$(try --read "$B" --write "$A")" "rw r- r- -- "
is "deny below read" "$(try --read "$A" --deny-path "$B")" "r- -- -- -- "
is "deny below write" "$(try --deny-path "$B" --write "$A")" "rw -- -- -- "
is "read below deny below write" "$(try --write "$A" --deny-path "$B" --read "$C")" "rw -- r- -- "
is "write below deny below read" "$(try --write "$C" --deny-path "$B" --read "$A")" "r- -- rw -- "
is "write below read below write" "$(try --write "$C" --read "$B" --write "$A")" "rw r- rw -- "
is "write below deny, nothing above" "$(try --write "$B" --deny-path "$A")" "-- rw rw -- "
is "deny below deny" "$(try --read "$A" --deny-path "$B" --deny-path "$C")" "r- -- -- -- "
is "a sibling whose name begins alike is another" "$(try --write "$A" --deny-path "$B" --read "$base/a-b")" "rw -- -- r- "
printf 'mv %s %s && exit 1; mkdir -p %s; (echo x >%s/new) 2>/dev/null && exit 2; exit 0\n' "$B" "$A/z" "$B" "$B" >move.sh
"$STILE" run --write "$A" --read "$B" -- sh move.sh 2>/dev/null
is "a readable folder in a writable one stays where it is" $? 0

echo top >"$base/file"
printf 'cat %s; (echo x >%s) 2>/dev/null && exit 1; exit 0\n' "$base/file" "$base/file" >file.sh
is "a rule for one file" "$("$STILE" run --read "$base/file" -- sh file.sh)" top
is "its siblings are not there" "$("$STILE" run --read "$base/file" -- ls "$base" | tr '\n' ' ')" "file project "
printf 'cat %s/f && exit 1; (echo x >%s/f) && exit 2; (echo x >%s/g) && exit 3; rm -r %s && exit 4; chmod 755 %s && exit 5; exit 0\n' "$B" "$B" "$B" "$B" "$B" >deny.sh
"$STILE" run --write "$A" --deny-path "$B" -- sh deny.sh >/dev/null 2>&1
is "a denied folder is no empty writable place" $? 0
printf 'cat %s && exit 1; (echo x >%s) && exit 2; rm -f %s && exit 3; exit 0\n' "$A/f" "$A/f" "$A/f" >deny.sh
"$STILE" run --write "$A" --deny-path "$A/f" -- sh deny.sh >/dev/null 2>&1
is "nor is a denied file" $? 0

ln -s a "$base/link"
is "a link is resolved, its name stays usable" "$("$STILE" run --read "$base/link" -- cat "$base/link/f" "$A/f" | tr '\n' ' ')" "x x "
ln -s "$base/a" "$base/project/inside"
is "a link where programs write is followed when its target is granted" \
	"$("$STILE" run --read "$base/a" -- cat inside/f)" x
is "a link of the caller's is never touched" "$(readlink inside)" "$base/a"
refused_link() { "$STILE" run "$@" -- cat inside/f 2>&1 >/dev/null; }
is "itself it grants nothing, and both are named" "$(refused_link --read inside)" \
	"stile run: --read inside: the link $base/project/inside lies where programs may write, and leads to $base/a: name that itself if it is meant"
is "nor under a longer name, nor as a document says it" \
	"$(refused_link --write "$base/project/inside/b" | grep -c 'lies where programs may write'
	echo '{"filesystem": {"exec": ["inside"]}}' >own.json
	refused_link --policy own.json | grep -c '^stile run: own.json:1 inside: the link')" "1
1"
is "but with a rule for its target it says nothing new" "$("$STILE" run --write inside/b --write "$base/a/b" --read inside --read "$base/a" -- cat inside/f)" x
# A run that may write `out` makes it a link; the next run is granted `out`.
mkdir out
printf 'rmdir out && ln -s %s out\n' "$base/a" >plant.sh
"$STILE" run --write out -- sh plant.sh >/dev/null 2>&1
is "positive control: a run can replace its own folder" "$(readlink out)" "$base/a"
echo 'echo written >out/f' >use.sh
"$STILE" run --write out -- sh use.sh >/dev/null 2>&1
is "the next run is not started with what the link leads to" "$? $(cat "$base/a/f")" "2 x"
rm out
printf 'cat l && exit 1; rm l && exit 2; mv l k && exit 3; cat t && exit 4; exit 0\n' >linked.sh
echo secret >t; ln -s t l
"$STILE" run --deny-path l -- sh linked.sh >/dev/null 2>&1
is "a denied link is denied with its target, and stays" $? 0
"$STILE" run --read "$base/absent" -- true 2>/dev/null
is "a missing path to read is an error" $? 2
printf '{"filesystem": {"read": ["%s?", "../a"]}}' "$base/absent" >"$base/project/p.json"
is "an optional one is no rule; a relative one starts at the document" \
	"$("$STILE" run --policy p.json -- cat "$A/f")" x
is "//, .. and trailing slashes" "$("$STILE" run --read "$base//a/b/..//" -- cat "$A/f")" x

echo 'ls /' >ls.sh
is "/ can be listed" "$("$STILE" run -- sh ls.sh | grep -c -x usr)" 1
is "and holds only what leads to the policy's paths" "$("$STILE" run -- sh ls.sh | grep -c -x -e root -e home -e boot)" 0
echo 'cat /etc/debian_version /etc/fstab 2>/dev/null | wc -l' >etc.sh
like "/ can be granted" "$("$STILE" run --read / -- sh etc.sh)" '^[1-9]'
is "positive control: without it they are not there" "$("$STILE" run -- sh etc.sh)" 0
is "deny below /" "$("$STILE" run --read / --deny-path /etc/debian_version --deny-path /etc/fstab -- sh etc.sh)" 0
printf '(echo x >/var/tmp/%s) 2>/dev/null && exit 1; echo y >mine || exit 2; echo z >/tmp/private || exit 3; exit 0\n' "stile-$$" >all.sh
"$STILE" run --read / -- sh all.sh
is "read / below which the root is writable and /tmp private" $? 0
ok "private stays private" test ! -e /tmp/private
is "/proc is its own below a granted /" "$("$STILE" run --read / -- sh -c 'true' 2>/dev/null; printf 'ls -d /proc/[0-9]* | wc -l\n' >count.sh; test "$("$STILE" run --read / -- sh count.sh)" -lt 8 && echo own)" own

printf 'for f in cmdline kallsyms config.gz kcore keys; do cat /proc/$f 2>/dev/null; done | wc -c\n' >leak.sh
is "/proc says nothing about the host's kernel" "$("$STILE" run -- sh leak.sh)" 0
printf 'cat /proc/meminfo /proc/cpuinfo /proc/stat /proc/uptime >/dev/null && (echo 1 >/proc/sys/kernel/hostname) 2>/dev/null; echo $?\n' >need.sh
is "what programs need is there, and not writable" "$("$STILE" run -- sh need.sh | grep -c -v '^0$')" 1

printf '(echo x >/tmp/no) 2>/dev/null && exit 1; echo x >/tmp/yes || exit 2; exit 0\n' >tmp.sh
"$STILE" run --deny-path /tmp/no -- sh tmp.sh
is "a denied path in the private /tmp" $? 0
if unshare -Ur true 2>/dev/null; then
	unshare -U "$STILE" run --write "$A" --read "$B" -- true 2>/dev/null
	is "read below write without mounts is unavailable" $? 152
	unshare -U "$STILE" run --read "$A" --write "$B" -- true 2>/dev/null
	is "write below read is not" $? 0
else
	skip "rules without mounts" "no user namespace to take them away in"
fi
cd / && rm -rf "$base"
done_testing
