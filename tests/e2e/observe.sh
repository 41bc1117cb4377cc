#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# --observe: every call the shim sees is recorded and counted, nothing is refused by it, the walls stay.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
unset PDLT_SANDBOX LD_PRELOAD
base=$(mktemp -d /var/tmp/stile-observe.XXXXXX)
mkdir "$base/project" && cd "$base/project" || exit 1
"$STILE" run --require shim -- true 2>"$base/err" || skip_all "no shim here: $(tail -n 1 "$base/err")"
echo secret >"$base/secret"
# calls EXPRESSION: over c, the CALL events; s, the summary.
calls() { python3 -c 'import json,sys
e=[json.loads(line) for line in open(sys.argv[1])]
c=[x for x in e if x["event"]=="CALL"]; s=[x for x in e if x["event"]=="CALLS"]
print(eval(sys.argv[2]))' "$base/log" "$1" 2>&1; }

printf '%s\n' 'for i in range(2000): open("data").close()' "open('$base/secret')" >try.py
echo x >data
"$STILE" run --observe --log "$base/log" -- python3 -S try.py 2>/dev/null
is "the walls still refuse" $? 1
is "an allowed call is counted" \
	"$(calls "sum(x['count'] for x in c if (x['target'] or '').endswith('/project/data') and not x['errno'])")" 2000
is "a refused one is recorded with what the policy says" \
	"$(calls "sorted({(x['verdict'], x['errno'] in ('ENOENT', 'EACCES')) for x in c if x['target'] == '$base/secret'})")" \
	"[('deny', True)]"
is "nothing is lost" "$(calls "s[0]['lost']")" 0
is "the summary counts what is different" "$(calls "s[0]['different'] == len(c) > 2")" True
rm "$base/log"
"$STILE" run --observe --sandbox audit-only --log "$base/log" -- python3 -S try.py 2>/dev/null
is "without walls nothing is refused" $? 0
is "and said all the same" \
	"$(calls "sorted({(x['verdict'], x['errno']) for x in c if x['target'] == '$base/secret'})")" "[('deny', None)]"
rm "$base/log"
"$STILE" run --log "$base/log" -- python3 -S try.py 2>/dev/null
is "unasked, no call is recorded" "$(calls "len(c), len(s)")" '(0, 0)'
cd / && rm -rf "$base"
done_testing
