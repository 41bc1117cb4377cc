#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Repairs in a session: the failed runs of a task are counted; past the limit it is refused, not run.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
unset PDLT_SANDBOX
base=$(mktemp -d)
mkdir "$base/project" && cd "$base/project" || exit 1

at() { python3 -c 'import json,sys
d = json.loads(open(sys.argv[1]).read().splitlines()[int(sys.argv[2])])
for key in sys.argv[3].split("."): d = d[int(key)] if key.isdigit() else d[key]
print(d)' "$@" 2>&1; }
repairs() { python3 -c 'import json,sys
d = json.loads(open(sys.argv[1]).read().splitlines()[int(sys.argv[2])])["repairs"]
print(d["limit"], d["used"], d["left"])' "$@" 2>&1; }

if ! "$STILE" run -- true 2>/dev/null; then
	skip "repairs of runs" "native is not available here"
else
	echo 'echo x >>count; exit 1' >fail.sh
	"$STILE" session --tier STANDARD >answers 2>/dev/null <<'J'
{"op":"run","argv":["sh","fail.sh"],"task":"a"}
{"op":"run","argv":["true"],"task":"a"}
{"op":"run","argv":["sh","fail.sh"],"task":"a"}
{"op":"run","argv":["sh","fail.sh"],"task":"a"}
{"op":"run","argv":["sh","fail.sh"],"task":"b"}
{"op":"run","argv":["sh","fail.sh"]}
{"op":"run","argv":["true"],"task":"a","tier":"HEAVY_COMPUTE"}
{"op":"run","argv":["true"],"task":7}
{"op":"run","argv":["true"],"task":""}
{"op":"run_code","language":"python","code":"raise SystemExit(1)","task":"c"}
{"op":"run_code","language":"python","code":"raise SystemExit(1)","task":"c"}
{"op":"run_code","language":"python","code":"print(1)","task":"c"}
{"op":"run_code","language":"python","code":"print(1)","task":"c","limits":{"repairs":5}}
J
	is "a failed run spends a repair" "$(repairs answers 0)" '1 1 0'
	is "a good run spends none, and runs" "$(at answers 1 status) $(repairs answers 1)" 'ok 1 1 0'
	is "the repair itself may fail" "$(at answers 2 status) $(repairs answers 2)" 'failed 1 2 0'
	is "past the limit the request is refused" "$(at answers 3 exit_code)" -100
	is "by the layer budget" "$(at answers 3 denials.0.layer)" budget
	is "with the reason" "$(at answers 3 reason)" \
		"task 'a' has no repairs left: 2 failed runs, limit 1"
	like "and its fix" "$(at answers 3 denials.0.fix)" 'max-repairs'
	is "a refusal counts as no run" "$(repairs answers 3)" '1 2 0'
	is "another task has its own" "$(at answers 4 status) $(repairs answers 4)" 'failed 1 1 0'
	is "without a task nothing is counted" "$(at answers 5 status) $(repairs answers 5)" \
		'failed None None None'
	is "it was not run: each of the others was" "$(wc -l <count)" 4
	is "a higher limit lets it run again" "$(at answers 6 status) $(repairs answers 6)" 'ok 2 2 0'
	like "a task that is no text is an error" "$(at answers 7 error.message)" '^task: a text'
	like "so is an empty one" "$(at answers 8 error.message)" '^task: a text'
	is "code is counted likewise" "$(repairs answers 10)" '1 2 0'
	is "and refused" "$(at answers 11 exit_code)" -100
	is "a single limit beats the tier's" "$(at answers 12 status) $(repairs answers 12)" 'ok 5 2 3'

	"$STILE" session --max-repairs 0 >zero 2>/dev/null <<'J'
{"op":"run","argv":["sh","fail.sh"],"task":"a"}
{"op":"run","argv":["true"],"task":"a"}
J
	is "with no repairs there is one try" "$(at zero 0 status) $(repairs zero 0)" 'failed 0 1 0'
	is "and no other" "$(at zero 1 status)" denied
fi
"$STILE" session --sandbox microvm --max-repairs 1 >none 2>/dev/null <<'J'
{"op":"run","argv":["true"],"task":"a"}
{"op":"run","argv":["true"],"task":"a"}
{"op":"run","argv":["true"],"task":"a"}
J
if [ "$(at none 0 status)" = unavailable ]; then
	is "an unavailable sandbox spends none" "$(at none 2 status) $(repairs none 2)" 'unavailable 1 0 1'
else
	skip "an unavailable sandbox" "the microvm backend is there"
fi
cd / && rm -rf "$base"
done_testing
