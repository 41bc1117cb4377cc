#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# stile learn: the policy it writes is enough for the same run, and not more than that.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
unset PDLT_SANDBOX LD_PRELOAD
base=$(mktemp -d /var/tmp/stile-learn.XXXXXX)
export HOME=$base/home
mkdir -p "$base/project" "$base/data/set" "$base/out" "$HOME/.ssh" && cd "$base/project" || exit 1
"$STILE" run --require shim -- true 2>"$base/err" || skip_all "no shim here: $(tail -n 1 "$base/err")"
for i in 1 2 3 4 5; do echo "$i" >"$base/data/set/$i"; done
echo one >"$base/data/one"
echo key >"$HOME/.ssh/id_rsa"
cat >prog.py <<END
import glob, subprocess, sys
print(open("$base/data/one").read(), end="")
print(sum(int(open(n).read()) for n in sorted(glob.glob("$base/data/set/*"))))
open("$base/out/made", "w").write("x")
if sys.argv[1:]:
    print(subprocess.run(["/bin/echo", "child"], stdout=subprocess.PIPE, text=True).stdout, end="")
sys.exit(7)
END
cat >secret.py <<END
open("$HOME/.ssh/id_rsa").read()
END
# policy EXPRESSION: over p, the document.
policy() { python3 -c 'import json,sys; p=json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$base/p.json" "$1" 2>&1; }

out=$("$STILE" learn -o "$base/p.json" -- python3 -S prog.py 2>"$base/err")
is "the program's own exit code" $? 7
is "its own output" "$out" $'one\n15'
like "loudly without walls" "$(cat "$base/err")" 'WARNING: --sandbox audit-only'
like "and told what was written" "$(cat "$base/err")" "stile learn: $base/p.json: read 2, write 1, exec 0 paths; network none"
is "a file, and a folder of many" "$(policy "p['filesystem']['read']")" "['$base/data/one', '$base/data/set']"
is "a made file's folder" "$(policy "p['filesystem']['write']")" "['$base/out']"
is "no process was seen" "$(policy "p['process']['create']")" False
is "why stands at the beginning" "$(policy "list(p)[:2], sorted(p['\$why']) == sorted(p['filesystem']['read'] + p['filesystem']['write'])")" \
	"(['\$learned', '\$why'], True)"
rm -f "$base/out/made"
out=$("$STILE" run --policy "$base/p.json" --result "$base/r.json" -- python3 -S prog.py 2>/dev/null)
is "under the policy: the same exit code" $? 7
is "and output" "$out" $'one\n15'
is "and nothing refused" "$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["denials_total"])' "$base/r.json")" 0
"$STILE" run --policy "$base/p.json" -- python3 -S prog.py child >/dev/null 2>&1
is "what was not learned is refused" "$([ $? -ne 7 ] && echo refused)" refused

"$STILE" learn -o "$base/p.json" -- python3 -S prog.py child >/dev/null 2>&1
is "a second run is merged" "$(policy "p['\$learned']['runs'], p['process']['create'], p['filesystem']['write']")" \
	"(2, True, ['$base/out'])"
"$STILE" run --policy "$base/p.json" -- python3 -S prog.py child >/dev/null 2>&1
is "and both run under it" $? 7

rm "$base/p.json"
"$STILE" learn -o "$base/p.json" -- python3 -S secret.py 2>"$base/err"
is "a key is read by the program" $? 0
is "but not granted" "$(policy "p['filesystem']['read'], list(p['\$left_out'])")" "([], ['$HOME/.ssh/id_rsa'])"
like "which is said" "$(cat "$base/err")" 'look sensitive are left out.*--allow-sensitive'
rm "$base/p.json"
"$STILE" learn -o "$base/p.json" --allow-sensitive -- python3 -S secret.py 2>/dev/null
is "unless it is meant" "$(policy "p['filesystem']['read']")" "['$HOME/.ssh/id_rsa']"

echo '{"version": 1}' >"$base/own.json"
"$STILE" learn -o "$base/own.json" -- true 2>"$base/err"
is "somebody's own document is an error" $? 151
is "and left as it is" "$(cat "$base/own.json")" '{"version": 1}'
"$STILE" learn -- true 2>"$base/err"
is "-o is needed" $? 2
like "and asked for" "$(cat "$base/err")" '-o FILE is needed'
"$STILE" learn -o "$base/n.json" --no-shim -- true 2>/dev/null
is "nothing is learned without the shim" $? 2
"$STILE" learn -o "$base/none/p.json" -- true 2>"$base/err"
is "a file that cannot be written" $? 151
like "is named" "$(cat "$base/err")" "$base/none/p.json: No such file"

# Behind walls, run by run: what the walls hide is added when it is on the host.
rm -f "$base/p.json"
"$STILE" learn --sandbox native -o "$base/p.json" -- python3 -S prog.py >/dev/null 2>&1
is "behind walls the program fails at first" $? 1
is "and the first thing it lacked is learned" "$(policy "'$base/data/one' in p['filesystem']['read']")" True
cd / && rm -rf "$base"
done_testing
