#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Real programs in profile tool, without flags (cases/field-reports row 14), and the state a caller may be in (2, 4, 8,
# 9, 10, 15, 16).
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
base=$(mktemp -d)
mkdir "$base/project" && cd "$base/project" || exit 1
has() { command -v "$1" >/dev/null 2>&1; }
out() { # out NAME WANTED PROGRAM…: the program's output under stile
	name=$1 wanted=$2
	shift 2
	if ! has "$1"; then skip "$name" "$1 is not installed"; return; fi
	is "$name" "$("$STILE" run -- "$@" 2>&1)" "$wanted"
}
py() { # py NAME WANTED SCRIPT
	printf '%s\n' "$3" >t.py
	out "$1" "$2" python3 t.py
}

echo 'console.log(require("os").cpus().length > 0, process.version.length > 0)' >t.js
out "node starts" "true true" node t.js
echo 'puts [1,2].sum' >t.rb
out "ruby starts" 3 ruby t.rb
echo '<?php echo strlen("abc"), "\n";' >t.php
out "php starts" 3 php t.php
echo 'print(#"abc")' >t.lua
out "lua starts" 3 lua5.4 t.lua
echo 'puts [string length abc]' >t.tcl
out "tclsh starts" 3 tclsh t.tcl
py "python's multiprocessing by fork, spawn and forkserver" "[1, 4] [1, 4] [1, 4]" 'import multiprocessing as m
def sq(x): return x * x
if __name__ == "__main__":
    out = []
    for how in ("fork", "spawn", "forkserver"):
        with m.get_context(how).Pool(2) as p: out.append(str(p.map(sq, [1, 2])))
    print(*out)'
py "multiprocessing.Lock and shared memory" "7" 'import multiprocessing as m
if __name__ == "__main__":
    l = m.Lock(); v = m.Value("i", 7)
    with l: print(v.value)'
py "asyncio with a child process" "hi" 'import asyncio
async def main():
    p = await asyncio.create_subprocess_exec("echo", "hi", stdout=-1)
    print((await p.communicate())[0].decode().strip())
asyncio.run(main())'
py "threads" 10 'import threading
n = []
ts = [threading.Thread(target=n.append, args=(i,)) for i in range(10)]
[t.start() for t in ts]; [t.join() for t in ts]
print(len(n))'
py "temporary files, sqlite on disk, users, time zones" "ok 1 True True" 'import tempfile, sqlite3, pwd, os, zoneinfo, time
f = tempfile.NamedTemporaryFile(); f.write(b"x")
d = sqlite3.connect("t.db"); d.execute("create table t(a)"); d.execute("insert into t values(1)"); d.commit()
print("ok", d.execute("select a from t").fetchone()[0], pwd.getpwuid(0).pw_name == "root", len(time.tzname) == 2)'
py "subprocess with a shell" "sub" 'import subprocess
print(subprocess.run("echo sub | cat", shell=True, capture_output=True, text=True).stdout.strip())'
py "a signal to its own child" "-15" 'import subprocess, signal
p = subprocess.Popen(["sleep", "60"]); p.send_signal(signal.SIGTERM); print(p.wait())'
if has gcc; then
	printf '#include <stdio.h>\nint main(void) { puts("compiled"); return 0; }\n' >hello.c
	"$STILE" run -- gcc hello.c -o a.out
	is "gcc compiles" $? 0
	out "and what it made runs" compiled ./a.out
else
	skip "gcc compiles" "gcc is not installed"
fi
if has git; then
	git init -q repo && cp t.py repo/
	is "git status in a repository" "$(cd repo && "$STILE" run -- git status --short 2>&1)" "?? t.py"
else
	skip "git status in a repository" "git is not installed"
fi
cat >tree.py <<'P'
import os
for d in range(100):
    os.makedirs(f"tree/{d}")
    for f in range(200): open(f"tree/{d}/{f}", "w").close()
print(sum(len(f) for _, _, f in os.walk("tree")))
P
out "a tree of 20,000 files" 20000 python3 tree.py
rm -rf tree

mkdir "$base/shims" && printf '#!/bin/sh\nexit 99\n' >"$base/shims/python3" && chmod +x "$base/shims/python3"
echo 'print("real")' >t.py
is "a version manager's shim outside the walls is passed over" \
	"$(PATH="$base/shims:$PATH" "$STILE" run -- python3 t.py)" real
cp /bin/true "$base/shims/only-there"
is "a program found only there is refused with its fix" \
	"$(PATH="$base/shims:$PATH" "$STILE" run -- only-there 2>&1 | tail -n 1)" \
	"stile: to allow it: --exec $base/shims/only-there"

# The caller's state.
is "an ignored SIGCHLD and blocked signals change nothing" "$(python3 - "$STILE" <<'P'
import os, signal, subprocess, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGINT, signal.SIGCHLD])
open("sig.sh", "w").write("grep -E '^Sig(Blk|Ign)' /proc/self/status\n")
p = subprocess.Popen([sys.argv[1], "run", "--", "sh", "sig.sh"], stdout=subprocess.PIPE, restore_signals=False)
print(p.stdout.read().decode().replace("\t", " ").replace("\n", " ").strip())
P
)" "SigBlk: 0000000000000000 SigIgn: 0000000000000000"
echo 'ls -l /proc/self/fd | wc -l; exit 5' >fds.sh
"$STILE" run -- sh fds.sh <&- >&- 2>&-
is "closed standard descriptors are no obstacle" $? 5
echo 'pwd -P; cat here' >here.sh && echo found >here
ln -s project "$base/link"
is "a working folder reached by a link" "$(cd "$base/link" && "$STILE" run -- sh here.sh 2>&1 | tail -n 1)" found
mkdir folder && printf 'x' >noexec && printf '#!/no/such\n' >badbang && chmod +x badbang
printf '\177ELFgarbage' >bad.elf && chmod +x bad.elf
say() { "$STILE" run -- "$1" 2>&1 >/dev/null | head -n 1; }
ok "exec of a folder says so" grep -q "is a folder" <<<"$(say ./folder)"
ok "of a missing file" grep -q "executable not found" <<<"$(say ./missing)"
ok "of a file without x" grep -q "no execute permission" <<<"$(say ./noexec)"
ok "of a damaged ELF" grep -q "damaged ELF" <<<"$(say ./bad.elf)"
ok "of a script whose interpreter is missing" grep -q "/no/such" <<<"$(say ./badbang)"
printf 'sleep 60 & echo done\n' >open.sh
begin=$SECONDS
is "a child that keeps stdout open does not hold the run" "$("$STILE" run -- sh open.sh)" done
ok "not even for a while" test $((SECONDS - begin)) -lt 20
py "the sandbox's own result cannot be forged by descriptors" "[0, 1, 2]" 'import os
fds = []
for f in range(256):
    try: os.fstat(f); fds.append(f)
    except OSError: pass
print(fds)'
printf 'import os; os.write(1, b"a\\xff\\x00\\x1b[31m\\xe2\\x80\\xa8b")' >bytes.py
is "invalid bytes keep the JSON valid" "$("$STILE" run --result - -- python3 bytes.py | python3 -c 'import json,sys; d=json.load(sys.stdin); print(ascii(d["stdout"]), d["stdout_base64"])')" \
	"'a\\ufffd\\x00\\x1b[31m\\u2028b' Yf8AG1szMW3igKhi"
"$STILE" run -- "$STILE" help >/dev/null 2>&1
is "stile inside stile fails closed or works" $(($? == 0 || $? == 152 || $? == 156 )) 1
cd / && rm -rf "$base"
done_testing
