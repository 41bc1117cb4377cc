#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A denial names the line of the script, whatever the script's language; and what Python's own exceptions say
# in the profile `tool`.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
base=$(mktemp -d)
trap 'rm -rf "$base"' EXIT
cd "$base" || exit 1

cat >perl.pl <<'END'
sub inner {
	return open(my $file, '<', '/etc/shadow');
}
inner();
END
cat >ruby.rb <<'END'
def inner
  File.open('/etc/shadow') rescue nil
end
inner
END
cat >php.php <<'END'
<?php
@fopen('/etc/shadow', 'r');
END
cat >python3.py <<'END'
import os
def inner():
    os.open('/etc/shadow', os.O_RDONLY)
try: inner()
except OSError: pass
END
# PROGRAM FILE: "FILE LINE" of the denial of /etc/shadow.
place() {
	"$STILE" run --result result -- "$1" "$2" >out 2>&1
	python3 -c 'import json
for d in json.load(open("result"))["denials"]:
    if d["target"] == "/etc/shadow" and d["script"]:
        print(d["script"]["file"].rsplit("/", 1)[-1], d["script"]["line"]); break'
}
"$STILE" run --require shim --result result -- true || skip_all "no shim in this build"
# Where nothing hides /etc/shadow it is refused instead.
hidden=$(python3 -c 'import json
layers = json.load(open("result"))["layers"]["namespaces"]
is_hidden = any(n["name"] == "mount" and n["enforced"] for n in layers)
print("FileNotFoundError" if is_hidden else "PermissionError")')
for script in perl.pl:2 ruby.rb:2 php.php:2 python3.py:3; do
	file=${script%:*} program=${script%.*}
	if command -v "$program" >/dev/null; then
		is "$program: the script's file and line" "$(place "$program" "$file")" "$file ${script#*:}"
	else
		skip "$program: the script's file and line" "no $program here"
	fi
done

# --- python in the profile tool ---------------------------------------------------------------
said() { # SCRIPT [OPTION…]: what it prints
	printf '%s\n' "$1" >said.py
	"$STILE" run "${@:2}" -- python3 said.py 2>/dev/null
}
is "a missing file is missing" "$(said 'try: open("none")
except FileNotFoundError: print("missing")')" missing
is "a hidden file is missing, a visible one refused" "$(said 'try: open("/etc/shadow")
except OSError as e: print(type(e).__name__, e.filename)')" "$hidden /etc/shadow"
like "writing where a rule forbids it has the rule's sentence" "$(said 'try: open("/usr/new", "w")
except OSError as e: print(e.strerror, e.filename)')" "^path '/usr/new' is not writable under this policy /usr/new$"
is "and leaves nothing" "$(ls /usr/new 2>/dev/null)" ""
is "no network: the socket is refused with a sentence" "$(said 'import socket
try: socket.socket()
except PermissionError as e: print(e.strerror)')" "a socket of 'AF_INET' is not allowed under this policy"
is "observing, the exception is the kernel's" "$(said 'import socket
try: socket.socket()
except PermissionError as e: print(e.strerror)' --observe)" "Permission denied"
is "processes, sockets of its own, temporary files, native code" "$(said 'import ctypes, os, socket, subprocess, tempfile
ctypes.CDLL(None).getpid(); socket.socketpair(); tempfile.TemporaryFile()
print(subprocess.check_output(["echo", "hi"], text=True), end="")')" hi
is "a debugging allocator does not mind the hook" "$(said 'import subprocess, sys
print(subprocess.run([sys.executable, "-X", "dev", "-m", "this"], stdout=subprocess.DEVNULL).returncode)')" 0
done_testing
