#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# stile code: a script in an empty folder, its result as one JSON line.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
base=$(mktemp -d)
cd "$base" || exit 1
field() { python3 -c 'import json,sys; d=json.load(sys.stdin)
for k in sys.argv[1].split("."): d=d[k]
print(d)' "$1"; }
run() { # run LANGUAGE TEXT FIELD
	printf '%s' "$2" | "$STILE" code "$1" - | field "$3"
}
is "python prints" "$(run python 'print("é", 1+1)' stdout)" "é 2"
is "perl prints" "$(run perl 'print "p\n"' stdout)" p
is "lua prints" "$(run lua 'print("l")' stdout)" l
is "no home, no project" "$(run python 'import os
print(os.path.exists(os.path.expanduser("~root")), os.path.exists("/home"), os.path.exists("/etc/passwd"))' stdout)" "False False False"
is "no processes" "$(run python 'import os
try: os.fork()
except OSError as e: print(e.errno)' stdout)" 1
is "threads work" "$(run python 'import threading
t = threading.Thread(target=print, args=("t",)); t.start(); t.join()' stdout)" t
is "no sockets" "$(run python 'import socket
try: socket.socket()
except OSError as e: print(e.errno)' stdout)" 13
is "temporary files work" "$(run python 'import tempfile
f = tempfile.NamedTemporaryFile(); f.write(b"x"); print("ok")' stdout)" ok
is "the standard library imports" "$(run python 'import json, sqlite3, asyncio, decimal; print("ok")' stdout)" ok
is "memory exhaustion is told as memory" "$(run python 'x = bytearray(1 << 30)' status)" memory
is "the output cap keeps the exit code" "$(run python 'print("x" * 200000)' truncated)" True
is "all bytes are counted" "$(run python 'print("x" * 200000)' stdout_bytes)" 200001
is "a crash is a signal" "$(run python 'import os, signal
signal.raise_signal(signal.SIGSEGV)' signal)" 11
is "stdin is empty" "$(run python 'import sys; print(repr(sys.stdin.read()))' stdout)" "''"
printf 'while True: pass' | "$STILE" code --wall 0.5 python - >"$base/r"
is "an endless loop meets the clock: 155" $? 155
is "and is told" "$(field status <"$base/r")" timed_out
"$STILE" code cobol - </dev/null 2>"$base/err"
is "an unknown language is a usage error" $? 2
cd / && rm -rf "$base"
done_testing
