#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Nothing that is written down may lie: help, pages, completions and the README's examples are held against
# the program.
. "$srcdir/tests/lib/tap.sh"
base=$(mktemp -d)
trap 'rm -rf "$base"' EXIT
mkdir "$base/bin" "$base/readme"
ln -s "$(readlink -f "$STILE")" "$base/bin/stile"
export PATH="$base/bin:/usr/local/bin:/usr/bin:/bin"

# ---- words ----

help_verbs() { "$STILE" help | awk '/^options:/ { exit } /^  [a-z]/ { print $1 }' | sort; }
help_options() { "$STILE" help | awk '/^  --/ { print $1 }' | sort; }
manual_options() { sed -nE 's/^\.It Fl -([a-z-]+).*/--\1/p' "$srcdir/man/stile.1" | sort; }

# manual_verbs: the list under "The verbs:".
manual_verbs() {
	awk '/^The verbs:/ { on = 1 } on && /^\.El/ { exit } on && /^\.It Cm/ { print $3 }' \
		"$srcdir/man/stile.1" | sort
}

# offered_by_verbs: each option that the help of at least one verb has.
offered_by_verbs() {
	local verb
	for verb in $(help_verbs); do
		"$STILE" help "$verb" | awk '/^  --/ { print $1 }'
	done | sort -u
}

# manual_operations, session_operations: what the protocol's section has; what a session says it takes.
manual_operations() { sed -nE 's/^\.It Li .*"op":"([a-z_]+)".*/\1/p' "$srcdir/man/stile.1" | sort; }
session_takes() { # session_takes OPERATION
	[[ $(printf '{"op":"%s"}\n' "$1" | "$STILE" session 2>/dev/null) != *"unknown operation"* ]]
}

unknown_operations() {
	local name
	for name in $(manual_operations); do
		session_takes "$name" || echo "$name"
	done
}

like "the help names verbs" "$(help_verbs | tr '\n' ' ')" "run .*version"
is "stile(1) has the verbs of the help, no more, no less" "$(manual_verbs)" "$(help_verbs)"
is "stile(1) has the options of the help, no more, no less" "$(manual_options)" "$(help_options)"
is "each option belongs to a verb" "$(offered_by_verbs)" "$(help_options)"
like "help of a verb begins with its usage" "$("$STILE" help run | head -n 1)" "^usage: stile run \["
is "VERB --help is the same" "$("$STILE" run --help)" "$("$STILE" help run)"
is "an option of another verb is a usage error" "$("$STILE" run --show -- true 2>/dev/null; echo $?)" 2
like "which says where to look" "$("$STILE" run --show -- true 2>&1)" "stile help run"
like "an unknown verb names the nearest" "$("$STILE" help rnu 2>&1)" "did you mean 'run'"
like "the protocol's section has the operations" "$(manual_operations | tr '\n' ' ')" "close .*run run_code"
is "and a session takes each of them" "$(unknown_operations)" ""

# ---- pages ----

if command -v mandoc >/dev/null; then
	is "the pages are clean" "$(cd "$srcdir/man" && mandoc -T lint ./*.[15] 2>/dev/null)" ""
else
	skip "the pages are clean" "no mandoc"
fi

# dead_links FILE: files of the tree that it links to and that are not there.
dead_links() {
	local link
	grep -oE '\]\([A-Za-z][^):#]*' "$1" | cut -c 3- | while read -r link; do
		[ -e "$(dirname "$1")/$link" ] || echo "$link"
	done
}
is "no link of the README is dead" "$(dead_links "$srcdir/README.md")" ""

# ---- completions ----

completed() { # completed WORD…: what bash offers for the last of these words
	bash -c 'compopt() { :; }; . "$0"
		COMP_WORDS=(stile "$@"); COMP_CWORD=$#; _stile; echo "${COMPREPLY[*]}"' "$base/stile.bash" "$@"
}

# uncompleted: options of a verb's help that bash does not offer for it.
uncompleted() {
	local verb option
	for verb in $(help_verbs); do
		for option in $("$STILE" help "$verb" | awk '/^  --/ { print $1 }'); do
			[[ " $(completed "$verb" "$option") " == *" $option "* ]] || echo "$verb $option"
		done
	done
}

"$STILE" help --completions bash >"$base/stile.bash"
"$STILE" help --completions zsh >"$base/_stile"
ok "the bash completion is well-formed" bash -n "$base/stile.bash"
is "bash completes verbs" "$(completed ru)" run
is "bash completes every option of every verb" "$(uncompleted)" ""
is "bash completes the words of an option" "$(completed run --network "")" "none host"
is "bash completes layers" "$(completed run --require land)" landlock
is "bash completes nothing behind an option without value" "$(completed run --shell nosuchf)" ""
is "another shell is a usage error" "$("$STILE" help --completions fish 2>/dev/null; echo $?)" 2
if command -v shellcheck >/dev/null; then
	ok "the bash completion is clean under shellcheck" shellcheck -s bash "$base/stile.bash"
else
	skip "the bash completion is clean under shellcheck" "no shellcheck"
fi
if command -v zsh >/dev/null; then
	ok "the zsh completion is well-formed" zsh -n "$base/_stile"
else
	skip "the zsh completion is well-formed" "no zsh"
fi

# ---- the README's examples ----

# console_blocks: each ```console block to a file of its own, readme/1, readme/2, …
console_blocks() {
	awk -v into="$base/readme/" '/^```console/ { file = into (++n); next } /^```/ { file = "" }
		file { print >file }' "$srcdir/README.md"
}

# replay BLOCK: runs the block's commands and prints them with what they really say, in the block's form.
replay() {
	local line status=0
	grep '^\$ ' "$1" | cut -c 3- | while IFS= read -r line; do
		printf '$ %s\n' "$line"
		(exit $status)
		eval "$line" 2>&1 </dev/null
		status=$?
	done
}

# pattern BLOCK: what is written there, as a pattern in which … stands for anything in its line.
pattern() { printf '^%s$' "$(sed -E 's/[][\.*^$()+?{}|]/\\&/g; s/ ?… ?/[^\n]*/g' "$1")"; }

# Python reads the pattern: bash has no class for "not a newline" that all its versions know.
says_so() { # says_so BLOCK
	replay "$1" >"$base/said"
	pattern "$1" >"$base/pattern"
	python3 - "$base" <<'P'
import re, sys
base = sys.argv[1]
said = open(base + "/said").read().strip()
good = re.search(open(base + "/pattern").read(), said)
print(said, file=sys.stderr)
sys.exit(0 if good else 1)
P
}

# The user's files and settings shall not meet the examples.
mkdir "$base/home" "$base/home/project" && cd "$base/home/project" || exit 1
unset PDLT_SANDBOX
console_blocks
like "the README has four examples or more" "$(ls "$base/readme" | wc -l)" "^([4-9]|[1-9][0-9]+)$"
if command -v python3 >/dev/null; then
	for block in "$base"/readme/*; do
		ok "example ${block##*/} of the README says what is written there" says_so "$block"
	done
else
	skip "the README's examples say what is written there" "no python3"
fi
cd / || exit 1
done_testing
