#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Everything from a fresh Debian machine to a running stile:
#   ./setup.sh demo    install what is missing, build, run `stile demo`
#   ./setup.sh check   the same, and run every test; the last line counts them
#   ./setup.sh deps    only install
#
# Safe to call again: what is there is not installed, configured or built a second time. With CI=true,
# check also builds the fuzzers and runs each for a minute.
set -euo pipefail

build_packages=(gcc libc6-dev linux-libc-dev make autoconf automake libtool pkg-config
	libelf-dev uthash-dev libcmocka-dev libjansson-dev libseccomp-dev)
test_packages=(python3 perl lua5.4 nodejs ruby php-cli tcl bash git busybox-static sqlite3
	bubblewrap strace musl-tools mandoc util-linux procps passwd shellcheck)
fuzz_packages=(clang libclang-rt-dev)

fuzz_seconds=60
test_user=stiletest

say() { printf '%s\n' "$*" >&2; }
die() { say "setup.sh: $*"; exit 1; }

# ---- what must be installed ----

missing_packages() {
	local package state
	declare -A state_of=()
	while read -r package state; do
		state_of[${package%%:*}]=$state
	done < <(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null)
	for package; do
		[ "${state_of[$package]:-}" = installed ] || printf '%s\n' "$package"
	done
}

can_build() {
	local tool
	for tool in cc make autoreconf libtoolize pkg-config; do
		command -v "$tool" >/dev/null || { say "not found: $tool"; return 1; }
	done
	pkg-config --exists --print-errors libelf jansson libseccomp cmocka || return 1
	echo '#include <uthash.h>' | cc -E - >/dev/null 2>&1 || { say "not found: uthash.h"; return 1; }
}

apt() {
	local root=()
	[ "$(id -u)" = 0 ] || root=(sudo)
	"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" >&2
}

# install PACKAGE…: what apt cannot bring is an error only if nothing can be built without it.
install() {
	local wanted
	if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
		can_build && return 0
		die "this script installs with apt only; install the likes of: $*"
	fi
	mapfile -t wanted < <(missing_packages "$@")
	[ ${#wanted[@]} -gt 0 ] || return 0
	say "installing: ${wanted[*]}"
	if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
		say "neither root nor sudo; as root: apt-get install --no-install-recommends ${wanted[*]}"
	elif { apt install -y --no-install-recommends "${wanted[@]}" 2>/dev/null ||
		{ apt update && apt install -y --no-install-recommends "${wanted[@]}"; }; }; then
		return 0
	fi
	can_build || die "the packages above are needed"
	say "going on without: ${wanted[*]}"
}

# ---- building, out of the tree ----

# Autotools take no blanks in paths: then everything goes through a link of our own without them.
enter_tree() {
	local top link
	top=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
	cd "$top"
	[[ $top =~ [^A-Za-z0-9_./+,:@%=-] ]] || return 0
	link=${XDG_CACHE_HOME:-$HOME/.cache}/stile-$(printf %s "$top" | cksum | cut -d ' ' -f 1)
	[[ $link =~ [^A-Za-z0-9_./+,:@%=-] ]] &&
		die "cannot build in '$top': autotools take no blanks or quotes in a path"
	mkdir -p "${link%/*}"
	ln -sfn "$top" "$link"
	cd "$link"
}

prepare_configure() {
	if [ -x configure ] && [ -f Makefile.in ] && [ -f build-aux/ltmain.sh ] &&
		[ -z "$(find configure.ac m4 -name '*.[am][c4]' -newer configure)" ]; then
		return 0
	fi
	quietly autoreconf.log autoreconf -fi
}

# quietly LOG COMMAND…: the log is shown only when it fails.
quietly() {
	local log=$1
	shift
	"$@" >"$log" 2>&1 || { tail -n 60 "$log" >&2; die "failed: $*"; }
}

# configure_in FOLDER OPTION…
configure_in() {
	local folder=$1
	shift
	prepare_configure
	mkdir -p "$folder"
	[ -f "$folder/Makefile" ] && [ "$(cat "$folder/configured-with" 2>/dev/null)" = "$PWD $*" ] && return 0
	say "configuring $folder"
	(cd "$folder" && quietly configure.log ../configure -q "$@")
	echo "$PWD $*" >"$folder/configured-with"
}

# make_in FOLDER TARGET…
make_in() {
	local folder=$1
	shift
	(cd "$folder" && quietly make.log make -s "-j$(nproc)" "$@")
}

build() {
	configure_in build
	say "building build"
	make_in build all
}

# ---- testing ----

passed=0 failed=0 skipped=0

# count_results NAME FOLDER: adds all TAP results below the folder; shows the logs of what failed.
count_results() {
	local trs ok=0 bad=0 skip=0 p b s
	while IFS= read -r -d '' trs; do
		p=$(grep -cE '^:test-result: (PASS|XFAIL)' "$trs" || true)
		b=$(grep -cE '^:test-result: (FAIL|XPASS|ERROR)' "$trs" || true)
		s=$(grep -cE '^:test-result: SKIP' "$trs" || true)
		[ $((p + b + s)) -gt 0 ] || b=1
		ok=$((ok + p)) bad=$((bad + b)) skip=$((skip + s))
		[ "$b" = 0 ] || show_failure "$1" "${trs%.trs}.log"
	done < <(find "$2" -name '*.trs' -print0 | sort -z)
	say "$1: $ok passed, $bad failed, $skip skipped"
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
}

show_failure() {
	say "---- $1: ${2##*/}"
	grep -vE '^ok [0-9]+' "$2" | tail -n 40 >&2 || true
	say "----"
}

# run_tests NAME FOLDER TARGET: make check (or half of it); failing tests are counted, not fatal.
run_tests() {
	local count
	say "testing $1"
	find "$2" -name '*.trs' -delete
	if ! (cd "$2" && make -s "-j$(nproc)" "$3" >check.log 2>&1); then
		count=$(find "$2" -name '*.trs' | wc -l)
		[ "$count" -gt 0 ] || { tail -n 60 "$2/check.log" >&2; failed=$((failed + 1)); }
	fi
	count_results "$1" "$2"
}

# The visible behaviour again as an ordinary user: a copy that he can read, the same drivers.
run_tests_as_user() {
	local copy
	[ "$(id -u)" = 0 ] || return 0
	if ! command -v setpriv >/dev/null || ! { id "$test_user" || useradd -M "$test_user"; } >/dev/null 2>&1; then
		say "no ordinary user to test as: skipped"
		skipped=$((skipped + 1))
		return 0
	fi
	say "testing as the user $test_user"
	copy=$(mktemp -d /tmp/stile-check-XXXXXX)
	chmod 755 "$copy"
	mkdir "$copy/tmp" "$copy/home" "$copy/results" "$copy/src"
	cp -r Makefile.am README.md NEWS LICENSE setup.sh .ci policy shim backends launcher man completions docs \
		tests build-aux "$copy/src/"
	make_in build install-exec "prefix=$copy/prefix" "exec_prefix=$copy/prefix"
	make_in build tests/lib/refuse
	cp build/tests/lib/refuse "$copy/"
	chmod -R go+rX "$copy"
	chown "$test_user" "$copy/tmp" "$copy/home" "$copy/results"
	# shellcheck disable=SC2016
	find "$copy/src/tests/e2e" -name '*.sh' -print0 | sort -z |
		xargs -0 -P "$(nproc)" -I{} setpriv --reuid="$test_user" --regid="$(id -g "$test_user")" \
			--clear-groups --inh-caps=-all \
			env -i -C "$copy/home" PATH=/usr/bin:/bin HOME="$copy/home" TMPDIR="$copy/tmp" \
			LANG=C.UTF-8 USER="$test_user" STILE="$copy/prefix/bin/stile" REFUSE="$copy/refuse" \
			srcdir="$copy/src" TESTDIR="$copy/src/tests" \
			bash -c 'name=$(basename "$2" .sh); sh "$1/src/build-aux/tap-driver.sh" --test-name "$name" \
				--log-file "$1/results/$name.log" --trs-file "$1/results/$name.trs" \
				-- bash "$2" </dev/null >/dev/null' - "$copy" {} || true
	count_results "as $test_user" "$copy/results"
	rm -rf "$copy"
}

run_sanitized_tests() {
	configure_in build-asan --enable-sanitizers
	run_tests "sanitizers" build-asan check-unit
}

# run_fuzzer PROGRAM: one target, its corpus kept for the next time; leaves its exit status in a file.
run_fuzzer() {
	local status=0
	mkdir -p "$1.corpus"
	"$1" -max_total_time="$fuzz_seconds" -timeout=10 -artifact_prefix="$1." "$1.corpus" \
		>"$1.log" 2>&1 </dev/null || status=$?
	echo "$status" >"$1.status"
}

count_fuzzer() {
	if [ "$(cat "$1.status")" = 0 ]; then
		passed=$((passed + 1))
		return 0
	fi
	failed=$((failed + 1))
	say "---- ${1##*/}"
	tail -n 40 "$1.log" >&2
}

run_fuzzers() {
	local program programs=()
	[ "${CI:-}" = true ] || return 0
	if ! command -v clang >/dev/null; then
		say "no clang: fuzzers skipped"
		skipped=$((skipped + 1))
		return 0
	fi
	configure_in build-fuzz CC=clang --enable-fuzzers
	say "building build-fuzz"
	make_in build-fuzz fuzzers
	for program in tests/fuzz/fuzz-*.c; do
		programs+=("build-fuzz/${program%.c}")
	done
	say "fuzzing ${#programs[@]} targets, $fuzz_seconds s each, two at a time"
	for program in "${programs[@]}"; do
		[ "$(jobs -rp | wc -l)" -lt 2 ] || wait -n
		run_fuzzer "$program" &
	done
	wait
	for program in "${programs[@]}"; do
		count_fuzzer "$program"
	done
}

# The attacks, each with its positive control.
run_escape() {
	[ "${CI:-}" = true ] || return 0
	say "escape suite"
	STILE=$PWD/build/stile bash tests/escape/run.sh >build/escape.tap 2>&1 || true
	count_tap "escape" build/escape.tap
}

# count_tap NAME FILE: adds the lines of plain TAP output; a plan not run to its end is a failure.
count_tap() {
	local ok bad skip planned
	skip=$(grep -cE '^ok .*# SKIP' "$2" || true)
	ok=$(($(grep -c '^ok ' "$2" || true) - skip))
	bad=$(grep -c '^not ok ' "$2" || true)
	planned=$(sed -n 's/^1\.\.//p' "$2" | awk '{ n += $1 } END { print n + 0 }')
	[ "$planned" -gt 0 ] && [ "$planned" = $((ok + bad + skip)) ] || bad=$((bad + 1))
	grep -A1 '^not ok ' "$2" >&2 || true
	say "$1: $ok passed, $bad failed, $skip skipped"
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
}

# ---- the commands ----

check() {
	install "${build_packages[@]}" "${test_packages[@]}" "${fuzz_packages[@]}"
	build
	run_tests "build" build check
	run_tests_as_user
	run_sanitized_tests
	run_escape
	run_fuzzers
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}

demo() {
	install "${build_packages[@]}" python3
	build
	build/stile demo
}

enter_tree
case ${1:-demo} in
deps) install "${build_packages[@]}" "${test_packages[@]}" "${fuzz_packages[@]}" ;;
demo) demo ;;
check) check ;;
*)
	echo "usage: ./setup.sh demo | check | deps" >&2
	exit 2
	;;
esac
