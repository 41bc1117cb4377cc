#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# stile session: JSON lines in, JSON lines out.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
base=$(mktemp -d)
cd "$base" || exit 1
"$STILE" session --label test >answers 2>err <<'J'
{"op":"ping","id":1}
not json
{"op":"run","argv":["echo","one"]}
{"op":"run","argv":["sh","-c","id"]}
{"op":"rnu"}
{"op":"run","agrv":[]}
{"op":"run","argv":["sleep","30"],"limits":{"wall_s":0.3}}
{"op":"run","argv":["cat"],"stdin":"from stdin"}
{"op":"run_code","language":"python","code":"open('left','w').write('x'); print(__import__('os').listdir('.'))"}
{"op":"run_code","language":"python","code":"print(sorted(__import__('os').listdir('.')))"}
{"op":"run","argv":["true"]}
{"op":"close"}
{"op":"ping"}
J
is "it ends well" $? 0
line() { python3 -c 'import json,sys
d=json.loads(open("answers").read().splitlines()[int(sys.argv[1])])
for k in sys.argv[2].split("."): d=d[k]
print(d)' "$1" "$2" 2>&1; }
is "one answer a line, none after close" "$(wc -l <answers)" 12
is "ping answers with the request's id" "$(line 0 request_id)" 1
is "a malformed line is an error answer" "$(line 1 error.message)" "column 3: an object is expected"
is "a run" "$(line 2 stdout)" one
is "a refusal" "$(line 3 exit_code)" -100
is "an unknown operation" "$(line 4 error.message)" "op: unknown operation 'rnu'"
is "an unknown key names the nearest" "$(line 5 error.message)" 'agrv: unknown key; did you mean "argv"?'
is "a run's own clock" "$(line 6 status)" timed_out
is "stdin as text" "$(line 7 stdout)" "from stdin"
is "code runs" "$(line 8 status)" ok
is "the next run sees nothing of the last" "$(line 9 stdout)" "['main.py', 'tmp']"
is "limits are not carried over" "$(line 10 limits.wall_s)" 30.0
"$STILE" session --no-preflight >left 2>/dev/null <<'J'
{"op":"run","argv":["sh","-c","echo x >/tmp/left; echo x >/dev/shm/left; mkdir -p /tmp/a/b; ls /tmp /dev/shm"]}
{"op":"run","argv":["sh","-c","ls -A /dev/shm; ls -d /tmp/left /tmp/a; python3 -c 'import os; print(len(os.listdir(\"/dev/shm\")))'"]}
{"op":"run","argv":["python3","-c","import ctypes; print(ctypes.CDLL(None).shmget(77, 4096, 0o1600) >= 0)"]}
{"op":"run","argv":["python3","-c","import ctypes; print(ctypes.CDLL(None).shmget(77, 4096, 0o600) >= 0)"]}
J
at() { python3 -c 'import json,sys; print(repr(json.loads(open("left").read().splitlines()[int(sys.argv[1])])["stdout"]))' "$1"; }
ok "positive control: a run can leave files" grep -q 'left' <<<"$(at 0)"
is "the next finds none in /tmp and /dev/shm" "$(at 1)" "'0\\n'"
is "positive control: a run can leave shared memory" "$(at 2)" "'True\\n'"
is "the next finds none" "$(at 3)" "'False\\n'"
"$STILE" session >zeros 2>/dev/null <<<'{"op":"run","argv":["head","-c","3","/dev/zero"]}'
"$STILE" session --no-preflight >rights 2>/dev/null <<'J'
{"op":"run","argv":["sh","-c","chmod 0 /tmp; ls -d /tmp >/dev/null && ls /tmp"]}
{"op":"run","argv":["sh","-c","stat -c %a /tmp; echo x >/tmp/mine; cat /tmp/mine"]}
{"op":"run","argv":["sh","-c","ls -A /tmp | grep -c mine"]}
J
ok "positive control: a run can take rights away from /tmp" grep -q 'Permission denied' rights
is "the next has them as they were" \
	"$(sed -n 2p rights | python3 -c 'import json,sys; print(json.load(sys.stdin)["stdout"].split())')" \
	"['1777', 'x']"
is "and the one behind it finds nothing" \
	"$(sed -n 3p rights | python3 -c 'import json,sys; print(json.load(sys.stdin)["stdout"].strip())')" 0
is "zero bytes in the output are kept" \
	"$(python3 -c 'import json; print(repr(json.load(open("zeros"))["stdout"]))')" "'\\x00\\x00\\x00'"
"$STILE" session --set-env KEPT=session --set-env BOTH=session >envs 2>/dev/null <<'J'
{"op":"run","argv":["env"],"env":{"BOTH":"request","OWN":"a=b"}}
{"op":"run","argv":["env"]}
{"op":"run","argv":["env"],"env":{"A=B":"x"}}
{"op":"run_code","language":"python","code":"import os; print(os.environ['OWN'])","env":{"OWN":"code"}}
J
said() { python3 -c 'import json,sys
d=json.loads(open("envs").read().splitlines()[int(sys.argv[1])])
print(d["stdout"] if "stdout" in d else d["error"]["message"])' "$1"; }
is "a request's environment goes over the session's" \
	"$(said 0 | grep -E '^(KEPT|BOTH|OWN)=' | sort | tr '\n' ' ')" "BOTH=request KEPT=session OWN=a=b "
is "and is not carried over" "$(said 1 | grep -E '^(BOTH|OWN)=')" "BOTH=session"
is "a name with = is an error" "$(said 2)" "env: 'A=B' is not a variable's name"
is "code has it too" "$(said 3)" code
# What twenty thousand words cost is counted in system calls: time says nothing on a busy machine.
python3 -c 'import json; print(json.dumps({"op": "run", "argv": ["true"] + ["word%d" % i for i in range(20000)]}))' >words
if strace -f -c -o calls "$STILE" session <words >many 2>/dev/null; then
	is "twenty thousand words run" "$(python3 -c 'import json; print(json.load(open("many"))["status"])')" ok
	calls=$(awk '$NF == "total" { print $4 }' calls)
	ok "one system call a word, not a walk through its folders ($calls)" test "$calls" -lt 25000
else
	skip "one system call a word" "strace cannot trace here"
fi
cd / && rm -rf "$base"
done_testing
