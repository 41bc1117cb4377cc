#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The frame: what help prints is what the man page and the completions know, the man pages are clean,
# and every source stands in its folder's list.
. "$srcdir/tests/lib/tap.sh"
cd "$srcdir" || exit 1

# unlisted FOLDER: the sources that the folder's local.mk does not name.
unlisted() {
	local file
	for file in "$1"/*.[ch]; do
		grep -qF "%D%/${file##*/}" "$1/local.mk" || [ "$file" = policy/profiles.c ] || echo "$file"
	done
}

# unlisted_tests: programs and scripts that tests/local.mk does not name.
unlisted_tests() {
	local file
	for file in tests/unit/test-*.c tests/fuzz/fuzz-*.c tests/e2e/*.sh; do
		file=${file#tests/}
		grep -qE "%D%/${file%.c}( |$)" tests/local.mk || echo "$file"
	done
}

# not_in_manual LIST: the verbs or options of the help that stile(1) does not describe.
not_in_manual() {
	local word
	for word in $1; do
		grep -qE "^\.It (Cm|Fl) ${word/#--/-}( |$)" man/stile.1 || echo "$word"
	done
}

completed() { # completed WORD…: what bash would offer for the last of these words
	bash -c 'compopt() { :; }; . completions/stile.bash
		COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _stile; echo "${COMPREPLY[*]}"' - "$STILE" "$@"
}

help=$("$STILE" help)
verbs=$(awk '/^  [a-z]/ { print $1 }' <<<"$help")
options=$(awk '/^  --/ { print $1 }' <<<"$help")

is "every source of policy is in its list" "$(unlisted policy)" ""
is "every source of backends is in its list" "$(unlisted backends)" ""
is "every source of launcher is in its list" "$(unlisted launcher)" ""
is "every test is in its list" "$(unlisted_tests)" ""
like "the help names verbs" "$verbs" "run.*version"
is "every verb of the help is in stile(1)" "$(not_in_manual "$verbs")" ""
is "every option of the help is in stile(1)" "$(not_in_manual "$options")" ""
if command -v mandoc >/dev/null; then
	is "the man pages are clean" "$(cd man && mandoc -T lint ./*.[15] 2>/dev/null)" ""
else
	skip "the man pages are clean" "no mandoc"
fi
is "bash completes verbs" "$(completed ru)" run
is "bash completes options" "$(completed run --profi)" --profile
is "bash completes the words of an option" "$(completed run --network "")" "none host"
is "bash completes nothing behind an option without value" "$(completed run --shell nosuchf)" ""
if command -v zsh >/dev/null; then
	ok "the zsh completion is well-formed" zsh -n completions/_stile
else
	skip "the zsh completion is well-formed" "no zsh"
fi
if command -v shellcheck >/dev/null; then
	ok "the scripts are clean under shellcheck" shellcheck -s bash setup.sh .ci/run tests/lib/tap.sh \
		completions/stile.bash
else
	skip "the scripts are clean under shellcheck" "no shellcheck"
fi
is "setup.sh refuses an unknown command" "$(bash setup.sh nonsense 2>&1; echo $?)" \
	"usage: ./setup.sh demo | check | deps
2"
done_testing
