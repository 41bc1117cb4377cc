#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# stile capabilities: what it says is what a run meets.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
unset PDLT_SANDBOX
base=$(mktemp -d)
base=$(realpath "$base")
mkdir "$base/project" "$base/extra" && cd "$base/project" || exit 1

"$STILE" capabilities --read "$base/extra" --memory 300M --wall 2.5 --max-output 1000 >text 2>err
is "it prints" $? 0
like "the directory" "$(cat text)" "Directory: $base/project, "
like "the folders granted by a flag" "$(cat text)" "Files, readable: [^
]*$base/extra"
like "no network" "$(cat text)" 'Network: none'
like "processes, with their limit" "$(cat text)" 'Processes: [^
]* 64 '
like "the clock" "$(cat text)" 'Clock: 2.5 s'
like "the memory" "$(cat text)" 'Memory: 314572800 bytes'
like "the output cap" "$(cat text)" 'Output: the first 1000 bytes'
like "no step budget in profile tool" "$(cat text)" 'Steps: no budget'
ok "a folder that another implies is not told again" test -z "$(grep -E 'executable: .*/usr/bin' text)"

"$STILE" capabilities --network host >host
like "the host's network where it is granted" "$(cat host)" "Network: the host's"
"$STILE" capabilities python >python 2>err
is "with a language it is profile code" $? 0
like "an empty folder" "$(cat python)" 'Directory: a new empty folder for each run'
like "no other processes" "$(cat python)" 'Processes: one'
like "the step budget of STANDARD" "$(cat python)" 'Steps: budget 10000000'
"$STILE" capabilities --tier MINIMAL python >minimal
like "a tier" "$(cat minimal)" 'Steps: budget 100000;'
"$STILE" capabilities --json >json
ok "JSON: the text and the facts" python3 -c 'import json
d = json.load(open("json"))
assert d["capabilities"].startswith("Directory: ") and d["facts"]["directory"].endswith("/project")
assert d["facts"]["limits"]["wall_s"] == 30 and d["facts"]["network"] == "none"
assert "/usr" in d["facts"]["files"]["read_execute"]'
"$STILE" capabilities --sandbox container >none 2>/dev/null
code=$?
if [ "$code" = 152 ]; then
	like "what is unavailable is said" "$(cat none)" '^Code execution is unavailable: '
else
	skip "an unavailable backend" "the container backend is there"
fi
"$STILE" capabilities klingon 2>err
is "an unknown language is a usage error" $? 2
"$STILE" capabilities python perl 2>err
is "so is a second operand" $? 2

"$STILE" session >answers 2>/dev/null <<'J'
{"op":"capabilities"}
{"op":"capabilities","language":"python","tier":"HEAVY_COMPUTE"}
{"op":"capabilities","language":"klingon"}
{"op":"capabilities","tier":"tiny"}
J
at() { python3 -c 'import json,sys
d = json.loads(open("answers").read().splitlines()[int(sys.argv[1])])
for key in sys.argv[2].split("."): d = d[key]
print(d.rstrip())' "$@" 2>&1; }
is "in a session: the same text as the verb's" "$(at 0 capabilities)" \
	"$("$STILE" capabilities)"
like "of the language and tier that are asked for" "$(at 1 capabilities)" 'Steps: budget 100000000;.*Clock: 120 s'
like "an unknown language is an error answer" "$(at 2 error.message)" klingon
like "an unknown tier too" "$(at 3 error.message)" "unknown tier 'tiny'"

# The claims, tried.
echo secret >"$base/secret"
cat >try.sh <<T
ls "$base/extra" >/dev/null && echo extra
cat "$base/secret" >/dev/null 2>&1 || echo nothing else
T
if "$STILE" run -- true 2>/dev/null; then
	is "what it says is readable is, and the rest is not" \
		"$("$STILE" run --read "$base/extra" -- sh try.sh 2>/dev/null | tr '\n' ';')" 'extra;nothing else;'
else
	skip "the claims, tried" "native is not available here"
fi
cd / && rm -rf "$base"
done_testing
