#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# stile run: confined, limited, explained.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
base=$(mktemp -d)
root=$base/project
mkdir "$root"
echo secret-text >"$base/secret"
cd "$root" || exit 1
result=$base/result.json
field() { python3 -c 'import json,sys; d=json.load(open(sys.argv[1]))
for k in sys.argv[2].split("."): d=d[k]
print(d)' "$result" "$1"; }

printf 'import sys\nprint("out")\nprint("err", file=sys.stderr)\nsys.exit(7)\n' >exit.py
is "output is streamed" "$("$STILE" run -- python3 exit.py 2>/dev/null)" out
"$STILE" run --result "$result" -- python3 exit.py >/dev/null 2>&1
is "the program's exit code is stile's" $? 7
is "the result has it" "$(field exit_code)" 7
is "Landlock is enforced" "$(field layers.landlock.enforced)" True
is "seccomp is enforced" "$(field layers.seccomp.enforced)" True

printf 'try:\n  print(open("%s").read())\nexcept OSError as e: print("no", e.errno)\n' "$base/secret" >steal.py
is "a file beside the root does not exist" "$("$STILE" run -- python3 steal.py)" "no 2"
is "positive control: outside it is readable" "$(python3 steal.py | head -n 1)" secret-text

cat >net.py <<'P'
import socket
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
    try:
        socket.socket(socket.AF_INET, kind); print("socket")
    except OSError as e: print("no", e.errno)
P
is "no internet sockets" "$("$STILE" run -- python3 net.py | tr '\n' ' ')" "no 13 no 13 "
is "positive control: sockets exist outside" "$(python3 net.py | tr '\n' ' ')" "socket socket "

printf 'echo pid $$; grep -E "^(CapEff|NoNewPrivs|Seccomp):" /proc/self/status\n' >who.sh
is "no capabilities, no new privileges, a filter" \
	"$("$STILE" run -- sh who.sh | tail -n 3 | tr -s '\t\n' '  ')" \
	"CapEff: 0000000000000000 NoNewPrivs: 1 Seccomp: 2 "
printf 'echo x >%s/made\n' "$base" >write.sh
"$STILE" run -- sh write.sh 2>/dev/null
ok "nothing is written outside the root" test ! -e "$base/made"
printf 'echo x >made\n' >write.sh
"$STILE" run -- sh write.sh
ok "the root is writable" test -e made

printf 'sleep 300 & setsid sleep 300 & exit 0\n' >orphans.sh
begin=$(date +%s)
"$STILE" run -- sh orphans.sh
ok "the run ends with the program, not with what it leaves" test $(($(date +%s) - begin)) -lt 20

"$STILE" run --wall 0.5 --result "$result" -- sleep 60 2>/dev/null
is "the wall clock ends a run with 155" $? 155
is "and says so" "$(field status)" timed_out
"$STILE" run -- python3 -c 1 2>"$base/err"
is "inline code is refused with 156" $? 156
is "with two lines: why, and what would allow it" "$(wc -l <"$base/err")" 2
is "check agrees" "$("$STILE" check -- python3 -c 1 | head -n 1)" \
	"refused: interpreter 'python3' invoked with refused flag '-c'; use a script file instead of -c/-e"
"$STILE" run --raed /x -- true 2>"$base/err"
is "an unknown option is a usage error" $? 2
ok "that names the nearest" grep -q -- --read "$base/err"
for bad in 0x -1 1e3 12x ''; do
	"$STILE" run --memory "$bad" -- true 2>/dev/null
	is "--memory '$bad' is refused" $? 2
done
"$STILE" run --sandbox bogus -- true 2>"$base/err"
is "an unknown mode is a usage error" $? 2
ok "in the spec's words" grep -q "unknown sandbox mode 'bogus' (expected one of auto, native, container, microvm, audit-only)" "$base/err"
"$STILE" run --sandbox container --result "$result" -- true 2>/dev/null
is "a backend that is not there is unavailable: 152" $? 152
is "never downgraded" "$(field status)" unavailable
"$STILE" run --sandbox audit-only -- true 2>"$base/err"
ok "audit-only warns" grep -q 'WARNING: --sandbox audit-only: no kernel isolation' "$base/err"
printf '{"filesystem": {"raed": ["/x"]}}' >"$base/p.json"
"$STILE" run --policy "$base/p.json" -- true 2>"$base/err"
is "a misspelt key in a policy runs nothing" $? 2
ok "and is named with its place" grep -q 'p.json:1:.*raed.*read' "$base/err"
mkdir deny && echo x >deny/f
printf 'cat deny/f && exit 1; echo y >deny/g && exit 1; exit 0\n' >deny.sh
"$STILE" run --deny-path deny -- sh deny.sh 2>/dev/null
is "a denied folder inside the root can be neither read nor written" $? 0
mkdir -p .git/hooks && echo c >.git/config
printf 'echo x >.git/hooks/pre-commit && exit 1; echo x >.git/config && exit 1; mv .git .other && exit 1; exit 0\n' >hooks.sh
"$STILE" run -- sh hooks.sh 2>/dev/null
is "existing hooks are protected, and their parent stays" $? 0
is "the caller's descriptors do not reach the program" "$("$STILE" run -- ls /proc/self/fd 7<"$base/secret" | tr '\n' ' ')" "0 1 2 3 "
is "a program without #! is explained" "$(printf 'x\n' >plain; chmod +x plain; "$STILE" run -- ./plain 2>&1 | grep -c 'without a #! line')" 1
echo keep >"$base/victim"
printf 'rm -f out.json; ln -s "%s" out.json\n' "$base/victim" >plant.sh
"$STILE" run --result out.json -- sh plant.sh
is "a link planted in the place of the result is not followed" "$(cat "$base/victim")" keep
"$STILE" run --result out.json -- true 2>/dev/null
is "nor by the next run" "$? $(cat "$base/victim")" "2 keep"
mkfifo fifo
timeout 20 "$STILE" run --stdin fifo -- cat
is "a FIFO as standard input does not hold the start" $? 0
printf 'echo x\n' >plain.sh
is "check refuses what a run would" "$("$STILE" check -- ./plain.sh | grep -c 'no execute permission')" 1
cd / && rm -rf "$base"
done_testing
