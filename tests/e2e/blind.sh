#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Where the shim does not see: said, with the cause, and never silently (cases/field-reports rows 22, 24, 25).
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
unset PDLT_SANDBOX LD_PRELOAD
base=$(mktemp -d)
mkdir "$base/project" && cd "$base/project" || exit 1
"$STILE" run --require shim -- true 2>"$base/err" || skip_all "no shim here: $(tail -n 1 "$base/err")"
shim() { python3 -c 'import json,sys
d=json.load(open(sys.argv[1]))["layers"]["shim"]
print(eval(sys.argv[2]))' "$base/r" "$1" 2>&1; }
run() { "$STILE" run --result "$base/r" "$@" >"$base/out" 2>"$base/err"; }

run -- true
is "a dynamic program is seen into" "$(shim "d['processes'], d['blind'], d['why']")" '(1, [], None)'
printf 'env -i ls\nenv -u LD_PRELOAD ls\n' >empty.sh
run -- sh empty.sh
is "programs started with an emptied environment too" "$(shim "d['processes'], d['blind']")" '(3, [])'
like "which run as they would" "$(cat "$base/out")" 'empty\.sh'

if printf 'int main(void){return 0;}\n' | gcc -static -x c - -o static 2>/dev/null; then
	run -- ./static
	is "a static program is not" "$(shim "[b['why'] for b in d['blind']]")" \
		"['a static program: no dynamic loader takes the shim in']"
	is "it is named" "$(shim "d['blind'][0]['exe'].endswith('/static')")" True
	"$STILE" run --require shim -- ./static 2>"$base/err"
	is "required, the shim makes it unavailable" $? 152
	like "with the cause" "$(cat "$base/err")" 'required layer shim .*static'
	printf './static\n"$PWD/static"\n' >child.sh
	run -- sh child.sh
	is "nor are static children" "$(shim "[b['why'][:8] for b in d['blind']]")" "['a static', 'a static']"
	is "while their parent is" "$(shim "d['processes']")" 1
else
	skip "static programs" "gcc -static does not work here"
fi

run --no-shim -- true
is "--no-shim is said" "$(shim "d['processes'], d['blind'], d['why']")" "(0, [], '--no-shim')"
"$STILE" run --no-shim --require shim -- true 2>/dev/null
is "and required is unavailable" $? 152
printf '%s\n' 'import os' 'print("LD_PRELOAD" in os.environ, "STILE_ROOM" in os.environ)' >env.py
is "then nothing of it is in the program" "$("$STILE" run --no-shim -- python3 env.py)" 'False False'

# Another stile, with a library of our choice in its place.
built=$STILE
mkdir -p "$base/own/shim/.libs" && cp "$STILE" "$base/own/stile" && STILE=$base/own/stile
library=$base/own/shim/.libs/stile-shim.so
broken() {
	run -- echo fine
	is "$1: the program runs" "$(cat "$base/out")" fine
	is "$1: hears nothing of it" "$(grep -c 'ld.so' "$base/err")" 0
	like "$1: the result says why" "$(shim "d['why']")" "$2"
	is "$1: no process is claimed" "$(shim "d['processes']")" 0
	"$STILE" run --require shim -- true 2>/dev/null
	is "$1: required, it is unavailable" $? 152
}
echo nonsense >"$library"
broken "a library that is none" 'no ELF file'
head -c 100 /bin/true | sed 's/\x02/\x01/' >"$library"
broken "a library of another word size" 'of another word size'
if [ "$(id -u)" != 0 ]; then
	chmod 0 "$library"
	broken "a library that may not be read" 'Permission denied'
else
	skip "a library that may not be read" "root may read all"
fi
rm -f "$library"
cp /bin/true "$library"
run -- echo fine
is "one that is no shim leaves the program alone" "$(cat "$base/out")" fine
is "and the process is not claimed" "$(shim "d['processes'], len(d['blind'])")" '(0, 1)'

STILE=$built

# The user's own library stays, behind ours.
printf '%s\n' '#include <unistd.h>' 'int getppid(void) { return 4711; }' \
	'__attribute__((constructor)) static void begin(void) { (void)!write(1, "theirs\n", 7); }' >own.c
if gcc -shared -fPIC -w -o own.so own.c 2>/dev/null; then
	printf '%s\n' 'import os' 'print(os.getppid())' 'print(os.environ["LD_PRELOAD"].split(":")[-1])' \
		'try: open("/usr/x", "w")' 'except OSError: print("refused")' >both.py
	run --set-env LD_PRELOAD="$PWD/own.so" -- python3 -S both.py
	is "the user's library works beside ours" "$(cat "$base/out")" \
		"$(printf 'theirs\n4711\n%s/own.so\nrefused' "$PWD")"
	is "and ours beside it" "$(python3 -c 'import json,sys
print([x["target"] for x in json.load(open(sys.argv[1]))["denials"]])' "$base/r")" "['/usr/x']"
else
	skip "the user's own library" "gcc does not work here"
fi

# The program closes everything and may open little: what it is refused is still told.
printf '%s\n' 'import os' 'os.closerange(3, 1 << 16)' 'try: os.mkdir("/usr/x")' 'except OSError: pass' >close.py
run --open-files 16 -- python3 -S close.py
is "with every descriptor closed a refusal is told" "$(python3 -c 'import json,sys
print([x["target"] for x in json.load(open(sys.argv[1]))["denials"]])' "$base/r")" "['/usr/x']"
cd / && rm -rf "$base"
done_testing
