#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# --log: JSON lines about sessions, runs and denials; session --sweep: what dead sessions left.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
unset PDLT_SANDBOX
base=$(mktemp -d)
mkdir "$base/project" "$base/temp" && cd "$base/project" || exit 1
export TMPDIR=$base/temp

events() { python3 -c 'import json,sys
print(*[json.loads(line)["event"] for line in open(sys.argv[1])])' "$1" 2>&1; }
event() { python3 -c 'import json,sys
print(json.loads(open(sys.argv[1]).read().splitlines()[int(sys.argv[2])])[sys.argv[3]])' "$@" 2>&1; }

if ! "$STILE" run -- true 2>/dev/null; then
	skip "events of runs" "native is not available here"
else
	"$STILE" run --log "$base/log" --result "$base/result" -- sh -c 'exit 3' 2>/dev/null
	is "a denied run: the session and its denial" "$(events "$base/log")" 'SANDBOX_SESSION DENIAL'
	is "the backend" "$(event "$base/log" 0 backend)" native
	is "the mode asked for" "$(event "$base/log" 0 mode)" auto
	is "the root" "$(event "$base/log" 0 root)" "$(pwd -P)"
	like "the ABI" "$(event "$base/log" 0 abi)" '^[1-9][0-9]*$'
	is "the system" "$(event "$base/log" 0 os)" "$(uname -srm)"
	like "the time" "$(event "$base/log" 0 at)" '^20[0-9-]+T[0-9:.]+Z$'
	is "the denial's layer" "$(event "$base/log" 1 layer)" preflight
	like "its reason" "$(event "$base/log" 1 reason)" 'refused flag'
	echo 'exit 3' >three.sh
	"$STILE" run --log "$base/log" --result "$base/result" -- sh three.sh 2>/dev/null
	is "a log is appended to" "$(events "$base/log")" \
		'SANDBOX_SESSION DENIAL SANDBOX_SESSION SANDBOX_RUN'
	is "a run's exit code" "$(event "$base/log" 3 exit_code)" 3
	is "its id is the result's" "$(event "$base/log" 3 run)" \
		"$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["id"])' "$base/result")"
	echo 'print(1)' >one.py
	"$STILE" code --log fd:5 python one.py 5>"$base/five" >/dev/null
	is "code, to a descriptor" "$(events "$base/five")" 'SANDBOX_SESSION SANDBOX_RUN'
	"$STILE" session --log "$base/many" >/dev/null 2>&1 <<'J'
{"op":"run","argv":["true"]}
{"op":"run","argv":["rm","x"]}
{"op":"run","argv":["true"]}
J
	is "a session is told once, then each of its runs" "$(events "$base/many")" \
		'SANDBOX_SESSION SANDBOX_RUN DENIAL SANDBOX_RUN'
	is "all of one session" "$(python3 -c 'import json,sys
print(len({json.loads(line)["session"] for line in open(sys.argv[1])}))' "$base/many")" 1
	printf 'import os\nprint(sorted(os.listdir("/proc/self/fd")))\n' >fds.py
	like "the program does not have the log" \
		"$("$STILE" run --log "$base/log" -- python3 fds.py 2>/dev/null)" "^\['0', '1', '2', '3'\]$"
fi
"$STILE" run --sandbox microvm --log "$base/none" -- true 2>/dev/null
code=$?
if [ $code = 152 ]; then
	is "what is unavailable is an event of its own" "$(events "$base/none")" \
		'SANDBOX_SESSION SANDBOX_UNAVAILABLE'
	like "with its reason" "$(event "$base/none" 1 reason)" '^sandbox_unavailable:'
else
	skip "an unavailable backend" "the microvm backend is there"
fi
"$STILE" run --log "$base/no/such" -- true 2>"$base/err"
is "a log that cannot be opened is a usage error" $? 2
like "and named" "$(cat "$base/err")" '--log .*/no/such: No such file'
"$STILE" run --log fd:99 -- true 2>/dev/null
is "so is a descriptor that is not open" $? 2

# A session whose owner was killed.
mkfifo "$base/in"
"$STILE" session --label dead <"$base/in" >/dev/null 2>&1 &
owner=$!
exec 6>"$base/in"
for _ in $(seq 100); do
	compgen -G "$base/temp/pdlt-sandboxes/dead-*" >/dev/null && break
	sleep 0.05
done
"$STILE" session --sweep >"$base/alive" 2>&1
like "a living session is kept" "$(cat "$base/alive")" 'kept dead-'
kill -9 $owner
wait $owner 2>/dev/null
exec 6>&-
# Its warden lets go a moment later.
for _ in $(seq 100); do
	"$STILE" session --sweep >"$base/swept" 2>&1
	code=$?
	grep -q removed.dead- "$base/swept" && break
	sleep 0.05
done
is "a sweep succeeds" $code 0
like "a dead one is removed, and said" "$(cat "$base/swept")" 'removed dead-[0-9a-f]+.*1 removed$'
ok "and is gone" test -z "$(compgen -G "$base/temp/pdlt-sandboxes/dead-*")"
like "nothing is left to sweep" "$("$STILE" session --sweep)" '(^|
)0 removed$'
cd / && rm -rf "$base"
done_testing
