#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What was refused to a program: told in the result, with --explain, and by stile explain; and asked without
# running (cases/field-reports rows 26, 27, 29).
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
unset PDLT_SANDBOX LD_PRELOAD
# Not in /tmp: the session has one of its own, in which nothing of the host is.
base=$(mktemp -d /var/tmp/stile-explain.XXXXXX)
mkdir "$base/project" && cd "$base/project" || exit 1
"$STILE" run --require shim -- true 2>"$base/err" || skip_all "no shim here: $(tail -n 1 "$base/err")"
echo secret >"$base/secret"
# has FILE EXPRESSION: a Python expression over d, the result.
has() { python3 -c 'import json,sys
d=json.load(open(sys.argv[1])); x=d["denials"]
print(eval(sys.argv[2]))' "$@" 2>&1; }

cat >deep.py <<P
import sys
def third():
    open("$base/secret")
def second():
    third()
def first():
    second()
try:
    first()
except OSError as e:
    print(type(e).__name__)
P
"$STILE" run --explain --result "$base/r" --log "$base/log" -- python3 deep.py >"$base/out" 2>"$base/err"
is "the program goes on as without us" "$?" 0
like "and hears of it as the kernel has it" "$(cat "$base/out")" '^(FileNotFoundError|PermissionError)$'
is "the refusal is a denial" "$(has "$base/r" "[y['target'] for y in x]")" "['$base/secret']"
is "on its axis" "$(has "$base/r" "x[0]['axis']")" path
is "told, not trusted" "$(has "$base/r" "x[0]['trusted']")" False
like "why" "$(has "$base/r" "x[0]['reason']")" "^path '$base/secret' is not readable under this policy"
is "what would allow it" "$(has "$base/r" "x[0]['fix']")" "--read $base/secret"
like "with an errno" "$(has "$base/r" "x[0]['errno']")" '^E(NOENT|ACCES)$'
ok "and when" test "$(has "$base/r" "0 <= x[0]['at_ms'] <= d['duration_ms'] + 1000")" = True
is "the line of the script, three calls deep" "$(has "$base/r" "x[0]['script']['line']")" 3
is "its function" "$(has "$base/r" "x[0]['script']['function']")" third
like "its file" "$(has "$base/r" "x[0]['script']['file']")" 'deep\.py$'
like "--explain says it to people" "$(cat "$base/err")" "refused: open[a-z0-9]* $base/secret"
like "with the script's line" "$(cat "$base/err")" 'script  [^ ]*deep\.py:3 in third'
like "and the fix" "$(cat "$base/err")" "allow   --read $base/secret"
"$STILE" explain "$base/log" >"$base/told" 2>&1
is "stile explain reads a log" $? 0
like "and says the same" "$(cat "$base/told")" "refused: open[a-z0-9]* $base/secret"
"$STILE" explain - <"$base/r" >"$base/told" 2>&1
like "a result too" "$(cat "$base/told")" "allow   --read $base/secret"
"$STILE" run --read "$base/secret" --result "$base/r" -- python3 deep.py >/dev/null 2>&1
is "what it calls the fix is one" "$(has "$base/r" "len(x)")" 0

cat >many.py <<P
for i in range(100000):
    try:
        open("$base/secret")
    except OSError:
        pass
P
"$STILE" run --result "$base/r" -- python3 many.py 2>/dev/null
is "a hundred thousand times is one denial" "$(has "$base/r" "len(x)")" 1
is "counted" "$(has "$base/r" "x[0]['count'], d['denials_total'], d['denials_lost']")" '(100000, 100000, 0)'
cat >flood.py <<P
import os
os.mkdir("$base/project/t")
for i in range(3000):
    try:
        os.rename("$base/project/t", "/usr/x%d" % i)
    except OSError:
        pass
P
"$STILE" run --result "$base/r" -- python3 flood.py 2>/dev/null
is "more kinds than there is room for: none is uncounted" "$(has "$base/r" "d['denials_total']")" 3000
ok "those without room are told as lost" test "$(has "$base/r" "d['denials_lost'] > 0 and len(x) + d['denials_lost'] >= 3000")" = True

cat >absent.py <<P
import os
for path in ("/no/such/thing", "$base/nothing", "$base/project/nothing"):
    try:
        open(path)
    except OSError:
        pass
P
"$STILE" run --result "$base/r" -- python3 absent.py 2>/dev/null
is "what is nowhere is no denial" "$(has "$base/r" "x")" '[]'

cat >odd.py <<'P'
import os
for name in (b"/root/%s%n", b"/root/a\nb", b"/root/\xff\xfe", b"/root/" + b"x" * 255, b"/usr/\x1b[31m"):
    try:
        os.mkdir(name)
    except OSError:
        pass
P
"$STILE" run --explain --result "$base/r" -- python3 odd.py 2>"$base/err" >/dev/null
is "odd names leave the result whole" "$(has "$base/r" "d['status']")" ok
is "an escape of theirs does not reach the terminal" "$(grep -c $'\x1b' "$base/err")" 0

# A program that writes over the ring, everything but the header, is believed in nothing it cannot prove.
cat >hate.py <<'P'
import os
room = os.environ.get("STILE_ROOM", "/.stile")
with open(room + "/ring", "r+b") as ring:
    size = ring.seek(0, 2)
    ring.seek(4096)
    ring.write(b"\xff" * (size - 4096))
os._exit(0)
P
"$STILE" run --result "$base/r" -- python3 hate.py 2>/dev/null
is "a ring full of hate is read without harm" "$(has "$base/r" "d['status']")" ok
ok "nothing in it is trusted" test "$(has "$base/r" "any(y['trusted'] for y in x)")" = False
printf '%s\n' '{"op":"run","argv":["python3","hate.py"]}' '{"op":"run","argv":["true"]}' |
	"$STILE" session 2>/dev/null >"$base/answers"
is "the next run of the session hears nothing of it" \
	"$(python3 -c 'import json,sys
d=[json.loads(line) for line in open(sys.argv[1])][-1]
print(d["status"], d["denials"], d["denials_total"], d["layers"]["shim"]["processes"])' "$base/answers")" \
	'ok [] 0 1'
printf '%s\n' '{"op":"run","argv":["python3","deep.py"]}' '{"op":"run","argv":["rm","x"]}' |
	"$STILE" session 2>/dev/null >"$base/answers"
is "nor is a run that is refused told of the one before" \
	"$(python3 -c 'import json,sys
d=[json.loads(line) for line in open(sys.argv[1])][-1]
print(d["status"], [x["layer"] for x in d["denials"]], d["layers"]["shim"]["processes"])' "$base/answers")" \
	"denied ['preflight'] 0"
cat >room.py <<'P'
import os
room = os.environ.get("STILE_ROOM", "/.stile")
for name in ("policy", "shim-behind-libasan.so", "new"):
    try:
        open(room + "/" + name, "wb")
        print("written", name)
    except OSError:
        pass
for name in ("policy", "shim-behind-libasan.so", "ring"):
    try:
        os.unlink(room + "/" + name)
        print("removed", name)
    except OSError:
        pass
P
is "no program can change its room but the ring" "$("$STILE" run -- python3 room.py 2>/dev/null)" ''

# Asked, not run.
"$STILE" explain --why "open $base/secret" >"$base/told"
is "--why refuses with the exit code of a refusal" $? 156
is "in the words of the denial" "$(cat "$base/told")" \
	"refused: path '$base/secret' is not readable under this policy
to allow it: --read $base/secret
rule: the default"
is "check --why is the same" "$("$STILE" check --why "open $base/secret")" "$(cat "$base/told")"
"$STILE" explain --read "$base/secret" --why "open $base/secret" >"$base/told"
is "the options count" $? 0
like "and the rule is named" "$(cat "$base/told")" "^allowed
rule: $base/secret \(--read\)$"
like "a place of the session's own is said to be one" "$("$STILE" explain --why 'write /tmp/x')" 'of its own'
ln -s "$base/secret" link
"$STILE" explain --why 'open link' >/dev/null
is "links are followed as the kernel would" $? 156
"$STILE" explain --why 'connect 192.0.2.1:80' >"$base/told"
is "the network" $? 156
like "with its fix" "$(cat "$base/told")" 'to allow it: --network host'
"$STILE" explain --why 'write new.txt' -- rm x >"$base/told"
like "a program that would not start is said first" "$(cat "$base/told")" "^refused: executable 'rm'"
"$STILE" explain --why 'eat cake' 2>"$base/err"
is "what cannot be asked is a usage error" $? 2
like "that names what can" "$(cat "$base/err")" 'open\|read'
"$STILE" explain /etc/passwd 2>"$base/err"
is "a file of another kind is an error" $? 2
like "and named" "$(cat "$base/err")" '/etc/passwd'
printf '{"denials":[' | "$STILE" explain - 2>/dev/null
is "so is one that is cut" $? 2
cd / && rm -rf "$base"
done_testing
