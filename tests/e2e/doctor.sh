#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# stile doctor: what this host enforces, by probes; and the truth on hosts that give less.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
unset PDLT_SANDBOX
base=$(mktemp -d)
mkdir "$base/project" && cd "$base/project" || exit 1
cp "$STILE" stile || exit 1

# field FILE LAYER KEY: a value of one layer's row.
field() { python3 -c 'import json,sys
for row in json.load(open(sys.argv[1]))["layers"]:
    if row["layer"] == sys.argv[2]: print(row[sys.argv[3]])' "$@" 2>&1; }
top() { python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$@" 2>&1; }

"$STILE" doctor --json >here.json 2>err
code=$?
"$STILE" run -- true 2>/dev/null
run=$?
is "doctor and run agree on whether native is available" "$code" "$run"
is "native, as the exit code says" "$(top here.json native)" "$([ $code = 0 ] && echo True || echo False)"
is "each step counter is here, or says why not" "$(python3 -c 'import json
rows = json.load(open("here.json"))["step_counters"]
print(sorted(r["counter"] for r in rows), all(r["available"] == (r["why"] is None) for r in rows))')" \
	"['perf-hw', 'ptrace-singlestep', 'qemu-tcg', 'task-clock'] True"
"$STILE" doctor >table 2>&1
like "the table has them too" "$(cat table)" "STEP COUNTER"
is "the table ends the same way" $? "$code"
for layer in no_new_privs landlock seccomp 'namespace user' 'namespace pid' 'namespace ipc' 'namespace uts' \
	'namespace mount' 'namespace network' 'cgroup memory' 'cgroup pids' rlimit; do
	ok "the table has $layer" grep -Eq "^$layer +(yes|no) +[a-zA-Z0-9]" table
done
ok "every row is either proved or says why not and what to change" python3 -c 'import json
for row in json.load(open("here.json"))["layers"]:
    proved = row["enforced"] and row["proof"] and row["why"] is None and row["change"] is None
    missing = not row["enforced"] and row["why"] and row["change"] and row["proof"] is None
    assert proved or missing, row'
ok "no probe left a cgroup behind" test -z "$(find /sys/fs/cgroup -name 'stile-probe*' 2>/dev/null)"
"$STILE" doctor --jsno 2>err
is "an unknown option is a usage error" $? 2
ok "that names the nearest" grep -q 'did you mean --json' err
"$STILE" doctor landlock 2>/dev/null
is "an operand is one too" $? 2

# Within stile itself Landlock is refused and no namespace can be had: a host without walls.
if [ $code = 0 ]; then
	"$STILE" run -- ./stile doctor --json >inside.json 2>/dev/null
	is "without Landlock native is unavailable" $? 152
	is "and said so" "$(top inside.json native)" False
	like "with the layer and the kernel's answer" "$(top inside.json reason)" \
		'landlock.*Operation not supported'
	like "and a change for the administrator" "$(field inside.json landlock change)" 'lsm='
	is "what still holds is still proved" "$(field inside.json seccomp enforced)" True
	like "a namespace that is refused is told with its call" \
		"$(field inside.json 'namespace user' why)" 'unshare.CLONE_NEWUSER.: Operation not permitted'
else
	skip "within a run" "native is not available here"
fi

# A user namespace in which the limit of further ones is 0.
if unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces' 2>/dev/null; then
	unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$0" doctor --json' \
		"$STILE" >none.json 2>/dev/null
	is "a limit of 0 namespaces: not enforced" "$(field none.json 'namespace user' enforced)" False
	like "the setting in the way is named with its value" \
		"$(field none.json 'namespace user' why)" 'user.max_user_namespaces = 0'
	like "and how to change it" "$(field none.json 'namespace user' change)" \
		'sysctl -w user.max_user_namespaces='
else
	skip "a limit of 0 user namespaces" "no user namespace with a settable limit here"
fi

# A domain in which nothing but /tmp and the current folder can be written: unshare succeeds, the map fails.
cat >nomap.py <<'P'
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
write_file = 2
fd = libc.syscall(444, struct.pack("=Q", write_file), ctypes.c_size_t(8), 0)
if fd < 0:
    sys.exit(77)
for path in sys.argv[1].split(":"):
    rule = struct.pack("=Qi", write_file, os.open(path, os.O_PATH))
    libc.syscall(445, fd, 1, rule, 0)
libc.prctl(38, 1, 0, 0, 0)
if libc.syscall(446, fd, 0) < 0:
    sys.exit(77)
os.execv(sys.argv[2], sys.argv[2:])
P
if unshare -U true 2>/dev/null && python3 nomap.py /tmp:/dev:. /bin/true; then
	python3 nomap.py "/tmp:/dev:." "$STILE" doctor --json >nomap.json 2>/dev/null
	like "a map that fails although unshare succeeds is told as such" \
		"$(field nomap.json 'namespace user' why)" \
		'^unshare succeeds, but writing /proc/self/[a-z_]+: Permission denied'
else
	skip "a map that fails" "no user namespace or no Landlock here"
fi
cd / && rm -rf "$base"
done_testing
