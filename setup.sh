#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Everything from a fresh Debian machine to a running stile:
#   ./setup.sh demo    installs what is missing, builds, runs `stile demo`
#   ./setup.sh check   the same, and runs every test; the last line counts them
#   ./setup.sh deps    only installs
set -eu
cd "$(dirname "$0")"
top=$PWD
build_packages="gcc make autoconf automake pkg-config gawk procps libelf-dev uthash-dev libcmocka-dev libseccomp-dev libjansson-dev"
test_packages="python3 perl lua5.4 nodejs ruby php-cli tcl bash git clang mandoc busybox-static sudo util-linux"

missing() {
	for package in "$@"; do
		case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
		*"ok installed") ;;
		*) printf '%s ' "$package" ;;
		esac
	done
}

install_packages() {
	if ! command -v dpkg-query >/dev/null; then
		echo "This script installs with apt. Elsewhere, install the likes of: $*" >&2
		return 0
	fi
	wanted=$(missing "$@")
	[ -n "$wanted" ] || return 0
	as_root=""
	[ "$(id -u)" = 0 ] || as_root=sudo
	echo "installing: $wanted"
	$as_root apt-get update -q >/dev/null
	# shellcheck disable=SC2086
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $wanted >/dev/null
}

# build FOLDER CONFIGURE-OPTION…
build() {
	folder=$1
	shift
	if [ ! -x configure ] || [ configure.ac -nt configure ] || [ Makefile.am -nt Makefile.in ]; then
		autoreconf -fi >autoreconf.log 2>&1 || { cat autoreconf.log; return 1; }
		rm -f autoreconf.log
	fi
	mkdir -p "$folder"
	if [ ! -f "$folder/Makefile" ]; then
		(cd "$folder" && "$top/configure" -q "$@")
	fi
	make -s V=0 -C "$folder" -j"$(nproc)"
}

# Runs `make check` in a folder; prints what failed; adds to the counts.
passed=0 failed=0 skipped=0
run_tests() {
	make -s V=0 -C "$1" check >"$1/check.log" 2>&1 || true
	count=$(sed -n 's/^# \(PASS\|FAIL\|ERROR\|SKIP\|XPASS\|XFAIL\): *\([0-9]*\)$/\1 \2/p' "$1/check.log" | sort -u)
	[ -n "$count" ] || { tail -n 40 "$1/check.log"; failed=$((failed + 1)); return 0; }
	while read -r what number; do
		case $what in
		PASS | XFAIL) passed=$((passed + number)) ;;
		SKIP) skipped=$((skipped + number)) ;;
		*) failed=$((failed + number)) ;;
		esac
	done <<<"$count"
	grep -E '^(FAIL|ERROR)' "$1/check.log" || true
	echo "$1: $count" | tr '\n' ' '
	echo
}

# As root the visible behaviour is tested again as an ordinary user, from a copy he can read.
run_tests_as_user() {
	[ "$(id -u)" = 0 ] || return 0
	id stiletest >/dev/null 2>&1 || useradd -m stiletest
	copy=$(mktemp -d)
	chmod 755 "$copy"
	cp -r tests "$copy/tests"
	cp build/stile "$copy/stile"
	chown -R stiletest "$copy"
	for script in "$copy"/tests/e2e/*.sh; do
		output=$(cd "$copy" && setpriv --reuid stiletest --regid stiletest --clear-groups \
			env -i PATH=/usr/bin:/bin HOME="$copy" STILE="$copy/stile" srcdir="$copy" \
			bash "$script" </dev/null 2>&1) || true
		skipped=$((skipped + $(grep -c '^ok.*# SKIP' <<<"$output" || true)))
		passed=$((passed + $(grep '^ok' <<<"$output" | grep -vc '# SKIP' || true)))
		failed=$((failed + $(grep -c '^not ok' <<<"$output" || true)))
		grep -A3 '^not ok' <<<"$output" || true
		grep -q '^1\.\.' <<<"$output" || { echo "no plan: $script"; failed=$((failed + 1)); }
	done
	rm -rf "$copy"
}

case ${1:-demo} in
deps)
	# shellcheck disable=SC2086
	install_packages $build_packages $test_packages
	;;
demo)
	# shellcheck disable=SC2086
	install_packages $build_packages python3
	build build
	exec build/stile demo
	;;
check)
	# shellcheck disable=SC2086
	install_packages $build_packages $test_packages
	build build
	run_tests build
	run_tests_as_user
	build build-asan --enable-sanitizers
	run_tests build-asan
	echo
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
	;;
*)
	echo "usage: ./setup.sh demo | check | deps" >&2
	exit 2
	;;
esac
