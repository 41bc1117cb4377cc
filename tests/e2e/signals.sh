#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Signals and slow readers: cases/field-reports rows 2 and 3; nothing the caller does may hold a run or lose its end.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
base=$(mktemp -d)
mkdir "$base/project" "$base/tmp" && cd "$base/project" || exit 1
wait_for() { # wait_for COMMAND…: until it holds, ten seconds at most
	for _ in $(seq 200); do "$@" && return 0; sleep 0.05; done
	return 1
}
gone() { ! kill -0 "$1" 2>/dev/null; }

cat >trap.sh <<'T'
trap 'echo got TERM; exit 9' TERM
echo ready >ready
while :; do sleep 0.05; done
T
"$STILE" run -- sh trap.sh >out 2>/dev/null &
pid=$!
wait_for test -e ready
kill -TERM $pid
wait $pid
is "a SIGTERM goes to the program, whose exit code comes back" $? 9
is "and its answer is passed on" "$(cat out)" "got TERM"

printf 'trap "" TERM INT\necho ready >ready2\nwhile :; do sleep 0.05; done\n' >deaf.sh
"$STILE" run -- sh deaf.sh >/dev/null 2>&1 &
pid=$!
wait_for test -e ready2
kill -TERM $pid
sleep 0.3
ok "a program may ignore the first" kill -0 $pid
kill -TERM $pid
ok "the second ends everything" wait_for gone $pid

begin=$SECONDS
{ "$STILE" run --wall 1 --result "$base/r" -- yes 2>/dev/null; } | { sleep 4; head -c 1 >/dev/null; }
ok "a reader that does not read does not hold the clock" grep -q '"status":"timed_out"' "$base/r"
ok "nor the run" test $((SECONDS - begin)) -lt 12
begin=$SECONDS
is "a reader that goes away ends the program as without stile" "$("$STILE" run -- yes 2>/dev/null | head -n 1)" y
ok "at once" test $((SECONDS - begin)) -lt 10
"$STILE" run -- echo lost >/dev/full 2>"$base/err"
is "output that cannot be written is an error of the run, not silence" $? 151
is "streamed output is complete" "$("$STILE" run -- seq 200000 | md5sum)" "$(seq 200000 | md5sum)"
"$STILE" run -- seq 1000 >>"$base/append"
is "also into a file in append mode" "$(md5sum <"$base/append")" "$(seq 1000 | md5sum)"

mkfifo in
TMPDIR=$base/tmp "$STILE" session <in >answers &
pid=$!
exec 8>in
echo '{"op":"ping"}' >&8
wait_for grep -q pong answers
kill -TERM $pid
ok "an idle session ends at a SIGTERM" wait_for gone $pid
exec 8>&-
is "and leaves no folder" "$(find "$base/tmp" -mindepth 2 -name '*-*' | wc -l)" 0

cat >parent.py <<'P'
import os, subprocess, sys, time
p = subprocess.Popen([sys.argv[1], "run", "--die-with-parent", "--", "sh", "deaf.sh"])
while not os.path.exists("ready2"): time.sleep(0.02)
print(p.pid, flush=True)
os._exit(0)
P
rm ready2
pid=$(python3 parent.py "$STILE" 2>/dev/null)
ok "with --die-with-parent the parent's end is the run's" wait_for gone "$pid"
# On a terminal (script's pty) control characters are shown; asked for, they go through.
printf 'import sys; sys.stdout.buffer.write(b"a\\x1b[31mb\\xc3\\xa9\\n")\n' >escape.py
on_terminal() { # on_terminal OPTION…
	python3 - "$STILE" "$@" <<'P'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "run", *sys.argv[2:], "--", "python3", "escape.py"])
seen = b""
try:
    while True:
        part = os.read(fd, 4096)
        if not part: break
        seen += part
except OSError:
    pass
os.waitpid(pid, 0)
print(ascii(seen.decode(errors="replace").strip()))
P
}
is "a terminal is not told what the program says to it" "$(on_terminal)" "'a\\\\x1b[31mb\\xe9'"
is "unless that is asked for" "$(on_terminal --raw-output)" "'a\\x1b[31mb\\xe9'"
cd / && rm -rf "$base"
done_testing
