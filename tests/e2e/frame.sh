#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The frame: every source and every test stands in its folder's list, and setup.sh knows its words.
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

is "every source of policy is in its list" "$(unlisted policy)" ""
is "every source of backends is in its list" "$(unlisted backends)" ""
is "every source of launcher is in its list" "$(unlisted launcher)" ""
is "every test is in its list" "$(unlisted_tests)" ""
if command -v shellcheck >/dev/null; then
	ok "the scripts are clean under shellcheck" shellcheck -s bash setup.sh .ci/run tests/lib/tap.sh
else
	skip "the scripts are clean under shellcheck" "no shellcheck"
fi
is "setup.sh refuses an unknown command" "$(bash setup.sh nonsense 2>&1; echo $?)" \
	"usage: ./setup.sh demo | check | deps
2"
done_testing
