#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Files that options name: what is no file is one clear error, at once, and nothing runs.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
base=$(mktemp -d)
mkdir "$base/project" "$base/folder" && cd "$base/project" || exit 1
mkfifo "$base/fifo"
python3 -c 'import socket,sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$base/socket"
printf '{"limits":{"wall_s":7}}' >"$base/policy.json"

# refused CLAIM WORDS OPTION…: a usage error that says so, within ten seconds.
refused() {
	local claim=$1 words=$2
	shift 2
	rm -f ran
	timeout 10 "$STILE" run "$@" -- touch ran >/dev/null 2>"$base/err" </dev/null
	is "$claim: a usage error" $? 2
	is "$claim: it is said" "$(cat "$base/err")" "stile: $words"
	is "$claim: nothing ran" "$(ls ran 2>/dev/null)" ''
}
expected='where a file is expected'
refused "a policy that is a FIFO" "$base/fifo: is a FIFO, $expected" --policy "$base/fifo"
refused "a policy that is a folder" "$base/folder: is a folder, $expected" --policy "$base/folder"
refused "a policy that is a device" "/dev/zero: is a device, $expected" --policy /dev/zero
refused "a policy that is a socket" "$base/socket: is a socket, $expected" --policy "$base/socket"
refused "an input that is a folder" "--stdin $base/folder: is a folder" --stdin "$base/folder"
refused "an input that is a socket" "--stdin $base/socket: is a socket or no device" \
	--stdin "$base/socket"
for option in --result --meta --log; do
	refused "$option to a FIFO without a reader" \
		"$option $base/fifo: is a FIFO that nobody reads, or a socket" "$option" "$base/fifo"
	refused "$option to a folder" "$option $base/folder: Is a directory" "$option" "$base/folder"
done

# A pipe that the shell holds is a document like any other.
timeout 20 "$STILE" run --result "$base/result" --policy <(sleep 0.3; cat "$base/policy.json") -- true
is "a policy from a pipe that comes late" \
	"$? $(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["limits"]["wall_s"])' "$base/result")" "0 7.0"
for device in /dev/null "$base/fifo"; do
	timeout 20 "$STILE" run --stdin "$device" -- cat >out 2>err
	is "an input that is $(stat -c %F "$device") has nothing to say" "$? $(cat out err)" "0 "
done
timeout 20 "$STILE" run --result /dev/null --meta /dev/null --log /dev/null -- true
is "answers may go to a device" $? 0

timeout 10 "$STILE" code python "$base/fifo" >out 2>err
is "a script that is a FIFO" "$? $(cat out err)" "2 stile code: $base/fifo: is a FIFO, $expected"
timeout 10 "$STILE" code python /dev/zero >out 2>err
is "a script that is a device" "$? $(cat out err)" "2 stile code: /dev/zero: is a device, $expected"
is "a script from a pipe" "$(timeout 20 "$STILE" code python <(echo 'print(6 * 7)') |
	python3 -c 'import json,sys; print(json.load(sys.stdin)["stdout"])')" 42
is "a script from standard input" "$(echo 'print(6 * 7)' | timeout 20 "$STILE" code python - |
	python3 -c 'import json,sys; print(json.load(sys.stdin)["stdout"])')" 42
cd / && rm -rf "$base"
done_testing
