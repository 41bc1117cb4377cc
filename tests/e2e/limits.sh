#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Limits of the whole tree: whoever holds them (a control group, rlimits, the watch), they hold.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
base=$(mktemp -d)
cd "$base" || exit 1
field() { python3 -c 'import json,sys; d=json.load(open("result.json"))
for k in sys.argv[1].split("."): d=d[k]
print(d)' "$1"; }
run() { "$STILE" run --result result.json "$@" >out 2>err; }
one_of() { case " $2 " in *" $1 "*) return 0 ;; esac; return 1; }
groups() { find /sys/fs/cgroup -name "stile-$1-*" 2>/dev/null | wc -l; }

# Processes.
cat >bomb.py <<'P'
import os, time
made = 0
while made < 2000:
    try: pid = os.fork()
    except OSError: break
    if pid == 0: time.sleep(60); os._exit(0)
    made += 1
print(made, flush=True)
P
run --processes 20 --wall 20 --label bomb -- python3 bomb.py
limiter=$(field limits.processes_limiter)
ok "a fork bomb is bounded by a named limiter ($limiter)" one_of "$limiter" "cgroup rlimit watch"
if [ "$limiter" = watch ]; then
	is "past the limit everything is killed" "$(field status)" signaled
else
	is "19 children beside the program" "$(cat out)" 19
fi
ok "and all of it is gone" test "$(pgrep -fc "^python3 bomb.py$")" -eq 0
is "no group is left behind" "$(groups bomb)" 0
run --sandbox audit-only --processes 20 --wall 20 -- python3 bomb.py
bare=$(field limits.processes_limiter)
if [ "$bare" = watch ]; then
	is "without namespaces and groups the watch ends a bomb" "$(field status)" signaled
	like "and says why" "$(field reason)" "more than 20 processes"
else
	is "without namespaces the group holds" "$bare $(cat out)" "cgroup 19"
fi
ok "and all of that is gone too" test "$(pgrep -fc "^python3 bomb.py$")" -eq 0
cat >threads.py <<'P'
import threading, time
made = 0
try:
    while made < 500: threading.Thread(target=time.sleep, args=(60,), daemon=True).start(); made += 1
except RuntimeError: pass
print(made, flush=True)
import os; os._exit(0)
P
run --processes 20 --wall 20 -- python3 threads.py
[ "$limiter" = watch ] || is "threads count as processes" "$(cat out)" 19

# Memory.
printf 'x = []\nwhile True: x.append(b"x" * 1000000)\n' >memory.py
run --memory 100M --wall 20 -- python3 memory.py
memory=$(field limits.memory_limiter)
ok "memory has a named limiter ($memory)" one_of "$memory" "cgroup address-space data-segment watch"
if [ "$memory" = cgroup ]; then
	is "a memory bomb is status memory" "$(field status)" memory
	is "and 153" "$(field exit_code)" -103
	is "which is exact" "$(field limits.memory_exact)" True
	is "the layer is named" "$(field layers.cgroup.enforced)" True
else
	ok "a memory bomb fails" test "$(field exit_code)" -ne 0
	is "which is not exact over many processes" "$(field limits.memory_exact)" False
	ok "the missing layer is named" test "$(field layers.cgroup.why)" != None
fi
cat >many.py <<'P'
import os, time
for i in range(12):
    if os.fork() == 0:
        x = b"x" * 30000000
        time.sleep(20); os._exit(0)
try:
    while True: os.wait()
except ChildProcessError: print("survived")
P
run --memory 150M --wall 15 -- python3 many.py
is "the children's memory counts together" "$(field status)" memory
cat >page_cache.py <<'P'
import os
name = "big"
block = b"x" * 1000000
with open(name, "wb") as f:
    for i in range(200): f.write(block)
with open(name, "rb") as f:
    while f.read(1000000): pass
print("done")
P
run --memory 64M --wall 60 -- python3 page_cache.py
is "the page cache is not a program's memory" "$(cat out) $(field status)" "done ok"
printf 'console.log("node runs")\n' >a.js
if command -v node >/dev/null; then
	run --memory 256M -- node a.js
	is "node starts under 256 MB" "$(cat out)" "node runs"
	printf '#!/usr/bin/env node\nconsole.log("node runs")\n' >script.js && chmod +x script.js
	run --memory 256M -- ./script.js
	is "so does a script of it" "$(cat out)" "node runs"
fi
if command -v java >/dev/null && command -v javac >/dev/null; then
	printf 'public class A { public static void main(String[] a) { System.out.println("java runs"); } }\n' >A.java
	javac A.java 2>/dev/null
	run --memory 256M -- java -cp . A
	is "java starts under 256 MB" "$(cat out)" "java runs"
fi
if echo 'int main(void) { return 3; }' | cc -x c -fsanitize=address -o asan - 2>/dev/null; then
	run --memory 256M --set-env ASAN_OPTIONS=detect_leaks=0 -- ./asan
	is "a sanitizer build starts under 256 MB" "$(field exit_code)" 3
	like "and its leak check is spoken of" "$(field warnings)" "detect_leaks=0"
fi

# CPU time.
cat >burn.py <<'P'
import os
for i in range(4):
    if os.fork() == 0:
        while True: pass
os.wait()
P
begin=$(date +%s)
run --cpu 1 --wall 30 -- python3 burn.py
is "CPU time of forked children counts" "$(field status) $(field reason)" "timed_out CPU time limit reached"
ok "together, not each" test $(($(date +%s) - begin)) -lt 8
printf 'for i in range(1000): pass\n' >short.py
run --cpu 5 -- python3 short.py
is "a short program is not stopped" "$(field status)" ok

# Disk.
cat >fill.py <<'P'
import os
for i in range(400):
    with open(os.environ["TMPDIR"] + "/f%d" % i, "wb") as f: f.write(b"x" * 1000000)
print("all")
P
run --disk 10M --wall 30 -- python3 fill.py
is "bytes in the run folder are limited" "$(field status)" disk
run --disk 1000M --wall 30 -- python3 fill.py
is "positive control: under a larger limit it ends" "$(field status) $(cat out)" "ok all"
printf 'import os\nfor i in range(3000): open(os.environ["TMPDIR"] + "/%%d" %% i, "w").close()\n' >inodes.py
run --inodes 500 --wall 30 -- python3 inodes.py
is "so are files" "$(field status)" disk
printf 'import os\nf = open(os.environ["TMPDIR"] + "/f", "wb"); os.unlink(f.name)\nfor i in range(400): f.write(b"x" * 1000000)\nprint("all")\n' >deleted.py
run --disk 10M --wall 30 -- python3 deleted.py

is "a deleted file is no way around" "$(cat out)" ""
cat >private.py <<'P'
import time
for i in range(100):
    with open("/tmp/f%d" % i, "wb") as f: f.write(b"x" * 1000000)
    time.sleep(0.02)
print("all")
P
run --disk 10M --wall 30 -- python3 private.py
is "the private /tmp counts" "$(field status)" disk
run --memory 40M --wall 30 -- python3 private.py
is "and is memory" "$(field status)" memory
cat >ignored.py <<'P'
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    if os.fork() == 0:
        end = time.process_time() + 0.3
        while time.process_time() < end: pass
        os._exit(0)
    try: os.wait()
    except ChildProcessError: pass
P
if [ "$memory" = cgroup ]; then
	run --cpu 1 --wall 15 -- python3 ignored.py
	is "CPU time of children nobody waits for counts in a group" "$(field reason)" "CPU time limit reached"
fi

# Output.
"$STILE" code --wall 20 python - >out 2>err <<'P'
import sys
for i in range(200): sys.stdout.write("x" * 1000000)
P
is "an output flood is cut, not kept" "$(python3 -c 'import json; d=json.load(open("out")); print(d["status"], d["truncated"], d["stdout_bytes"], len(d["stdout"]) < 70000)')" \
	"ok True 200000000 True"

# Too small.
for bad in "--memory 0" "--memory 4095" "--open-files 3" "--processes 0"; do
	# shellcheck disable=SC2086
	run $bad -- true
	is "$bad is refused before anything starts" "$(field status)" denied
	like "and named" "$(field reason)" "^$bad is too small"
done

# One session, three runs: nothing is carried over.
printf 'x = b"x" * 150000000\nprint("fits")\n' >big.py
"$STILE" session --label three >answers 2>err <<'J'
{"op":"run","argv":["python3","big.py"]}
{"op":"run","argv":["python3","big.py"],"limits":{"memory":"64M"}}
{"op":"run","argv":["python3","big.py"],"limits":{"memory":"1G"}}
{"op":"run","argv":["python3","big.py"],"limits":{"processes":1}}
{"op":"run","argv":["python3","bomb.py"],"limits":{"processes":5,"wall_s":20}}
{"op":"run","argv":["python3","big.py"]}
J
line() { python3 -c 'import json,sys
d=json.loads(open("answers").read().splitlines()[int(sys.argv[1])])
print(d["stdout"].strip() or "nothing", d["limits"]["memory_bytes"])' "$1"; }
is "the first run has no limit" "$(line 0)" "fits None"
is "the second has its own" "$(line 1)" "nothing 67108864"
is "the third is not held by the second's" "$(line 2)" "fits 1073741824"
is "one process is enough for one" "$(line 3)" "fits None"
[ "$limiter" = watch ] || is "five are five" "$(line 4)" "4 None"
is "the last is free again" "$(line 5)" "fits None"
is "no group outlives its session" "$(groups three)" 0

# A required group is there, or nothing runs.
run --require cgroup --label want -- true
if [ "$memory" = cgroup ]; then
	is "a required cgroup is used" "$(field status) $(field layers.cgroup.enforced)" "ok True"
	is "and removed" "$(groups want)" 0
else
	is "a required cgroup that cannot be had is unavailable" "$(field status)" unavailable
fi
cd / && rm -rf "$base"
done_testing
