#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# CPython's own events: what they are refused with inside `stile code python`, and that script, line and
# function of the refusal stand in the result.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
base=$(mktemp -d)
trap 'rm -rf "$base"' EXIT
cd "$base" || exit 1
field() { python3 -c 'import json,sys; d=json.load(sys.stdin)
for k in sys.argv[1].split("."): d=d[int(k)] if k.isdigit() else d[k]
print(d)' "$1"; }
code() { "$STILE" code python - | field "${1:-stdout}"; }

# EVENT | what is said | one statement that brings it about
rows=$(cat <<'TABLE'
open|file|open('/etc/passwd')
open|file|open('/etc/new', 'w')
open|file|os.open('/etc/passwd', os.O_RDONLY)
os.listdir|file|os.listdir('led')
open|file|io.FileIO('/etc/passwd')
shutil.copyfile|file|shutil.copy('/etc/passwd', 'here')
os.listdir|file|os.listdir('/')
os.scandir|file|os.scandir('/etc')
os.rename|file|os.rename('mine', '/tmp/../etc/x')
os.remove|file|os.remove('/etc/passwd')
os.rmdir|file|os.rmdir('/etc')
os.mkdir|file|os.mkdir('../../beside')
os.mkdir|file|os.mkdir('../../../beside', dir_fd=folder)
os.link|file|os.link('/etc/passwd', 'hard')
os.symlink|file|os.symlink('/etc/passwd', 'soft')
os.truncate|file|os.truncate('/etc/passwd', 0)
os.chmod|file|os.chmod('/etc/passwd', 0o777)
os.chown|file|os.chown('/etc/passwd', 0, 0)
os.utime|file|os.utime('/etc/passwd')
os.getxattr|file|os.getxattr('/etc/passwd', 'user.x')
os.setxattr|file|os.setxattr('/etc/passwd', 'user.x', b'')
os.listxattr|file|os.listxattr('/etc/passwd')
os.removexattr|file|os.removexattr('/etc/passwd', 'user.x')
shutil.rmtree|file|shutil.rmtree('/etc')
shutil.copytree|file|shutil.copytree('/etc', 'etc')
shutil.move|file|shutil.move('/etc', 'etc')
sqlite3.connect|file|sqlite3.connect('/etc/x.db')
sqlite3.connect|file|sqlite3.connect('file:///etc/%78.db?mode=ro', uri=True)
socket.connect|network|pair.connect('/run/x')
socket.bind|network|pair.bind('/run/x')
socket.sendto|network|pair.sendto(b'', '/run/x')
socket.sendmsg|network|pair.sendmsg([b''], [], 0, '/run/x')
socket.getaddrinfo|network|socket.getaddrinfo('127.0.0.1', 80)
socket.gethostbyname|network|socket.gethostbyname('127.0.0.1')
socket.gethostbyname|network|socket.gethostbyname_ex('127.0.0.1')
socket.gethostbyaddr|network|socket.gethostbyaddr('127.0.0.1')
subprocess.Popen|process|subprocess.run(['/bin/true'])
os.system|process|os.system('true')
os.fork|process|os.fork()
os.forkpty|process|os.forkpty()
os.exec|process|os.execv('/bin/sh', ['sh'])
os.posix_spawn|process|os.posix_spawn('/bin/true', ['true'], {})
pty.spawn|process|pty.spawn(['true'])
os.kill|signal|os.kill(1, 0)
os.kill|signal|os.kill(-1, 9)
os.killpg|signal|os.killpg(1, 0)
import|load|import ctypes
import|load|import _ctypes
import|load|import cffi
import|load|import _cffi_backend
import|load|importlib.util.module_from_spec(native('_ctypes'))
sqlite3.enable_load_extension|load|sqlite3.connect(':memory:').enable_load_extension(True)
TABLE
)

write_script() {
	cat <<'PYTHON'
import io, os, pty, shutil, socket, sqlite3, subprocess, sys
import importlib.machinery, importlib.util
os.mkdir('deep'); folder = os.open('deep', os.O_RDONLY); open('mine', 'w').close()
# A link that led to the run folder when it was made, and no longer does.
os.makedirs('d/e/f'); os.symlink('d/e/f', 'c'); os.symlink('c/../../..', 'led')
os.remove('c'); os.symlink('.', 'c')
pair, other = socket.socketpair()
def native(name):
    for path in sys.path:
        for suffix in importlib.machinery.EXTENSION_SUFFIXES:
            file = path + '/' + name + suffix
            if os.path.exists(file):
                return importlib.util.spec_from_file_location('innocent', file)
    raise LookupError(name)
def tell(act):
    try:
        act()
        print('done')
    except Exception as e:
        print(type(e).__name__, getattr(e, 'errno', None), getattr(e, 'strerror', None) or e, sep='|')
PYTHON
	local n=0 event kind statement
	while IFS='|' read -r event kind statement; do
		n=$((n + 1))
		printf 'def row_%d():\n    %s\ntell(row_%d)\n' $n "$statement" $n
	done <<<"$rows"
}

declare -A says=(
	[file]='PermissionError|13|File access outside the run directory is denied inside ExecutionSandbox'
	[network]='PermissionError|13|Network access is strictly disabled inside ExecutionSandbox'
	[process]='PermissionError|1|Process creation is denied inside ExecutionSandbox'
	[signal]='PermissionError|1|Signalling other processes is denied inside ExecutionSandbox'
	[load]='RuntimeError|None|Loading native code is denied inside ExecutionSandbox'
)
declare -A axes=([file]=path [network]=network [process]=process [signal]=signal [load]=load)

write_script >main.py
"$STILE" code python main.py >result
[ "$(field layers.shim.processes <result)" -ge 1 ] 2>/dev/null || skip_all "no shim in this build"
field stdout <result >said
# EVENT AXIS LINE FUNCTION: is there a denial of the shim's like this?
told() {
	python3 -c 'import json, sys
call, axis, line, function = sys.argv[1:]
for d in json.load(open("result"))["denials"]:
    s = d["script"] or {}
    if d["call"] == call and d["axis"] == axis and s.get("line") == int(line) \
            and s.get("function") == function and s["file"].endswith("main.py") \
            and d["layer"] == "shim" and d["trusted"] is False and d["count"] == 1:
        sys.exit(0)
sys.exit(1)' "$@"
}
n=0
while IFS='|' read -r event kind statement; do
	n=$((n + 1))
	wanted="${says[$kind]} ($event"
	like "$statement is refused" "$(sed -n ${n}p said)" "^$(printf '%s' "$wanted" | sed 's/[|().]/\\&/g')[:)]"
	line=$(($(grep -n "^def row_$n()" main.py | cut -d: -f1) + 1))
	ok "and told with its line" told "$event" "${axes[$kind]}" $line row_$n
done <<<"$rows"

# --- texts and places ------------------------------------------------------------------------
is "the sentence is exactly this" "$(code <<'PY'
try: open('/etc/passwd')
except PermissionError as e: print(e.strerror)
PY
)" "File access outside the run directory is denied inside ExecutionSandbox (open: /etc/passwd)"
cat >deep.py <<'PY'
import pathlib
def inner():
    pathlib.Path('/etc/hosts').read_text()
def middle(): inner()
def outer(): middle()
outer()
PY
"$STILE" code python deep.py >result
is "three calls deep, through the library: the script's line" "$(field denials.0.script.line <result)" 3
is "and function" "$(field denials.0.script.function <result)" inner
like "an uncaught refusal is the program's traceback" "$(field stderr <result)" 'PermissionError: \[Errno 13\] File access outside'
is "the same line a thousand times is one denial" "$("$STILE" code python - <<'PY' | field denials.0.count
for i in range(1000):
    try: open('/etc/passwd')
    except OSError: pass
PY
)" 1000

# --- it cannot be taken out ------------------------------------------------------------------
refused() { # NAME: the script on stdin prints what it was answered
	like "$1" "$(code stdout)" 'inside ExecutionSandbox'
}
refused "in a thread" <<'PY'
import threading
def act():
    try: open('/etc/passwd')
    except PermissionError as e: print(e)
t = threading.Thread(target=act); t.start(); t.join()
PY
refused "in exec of a text" <<'PY'
try: exec(compile("open('/etc/passwd')", '/usr/lib/python3/os.py', 'exec'))
except PermissionError as e: print(e)
PY
refused "with a hook of the script's own before" <<'PY'
import sys
sys.addaudithook(lambda event, args: None)
try: open('/etc/passwd')
except PermissionError as e: print(e)
PY
refused "in a subinterpreter" <<'PY'
try: import _xxsubinterpreters as sub
except ImportError: import _interpreters as sub
sub.run_string(sub.create(), """
try: open('/etc/passwd')
except PermissionError as e: print(e, flush=True)
""")
PY
refused "in a finaliser at the interpreter's end" <<'PY'
import os, sys
class Late:
    def __init__(self): self.open, self.write = open, os.write
    def __del__(self):
        try: self.open('/etc/passwd')
        except PermissionError as e: self.write(1, str(e).encode())
sys.kept = Late()
PY

# --- what is allowed goes on -----------------------------------------------------------------
is "files of its own, libraries, itself" "$(code stdout <<'PY'
import os, signal, shutil, socket, sqlite3, tempfile, asyncio
open('a', 'w').write('x'); os.rename('a', 'b'); os.mkdir('d'); os.symlink('b', 'c')
shutil.copy('b', 'd/b'); shutil.rmtree('d'); os.listdir(); list(os.scandir())
sqlite3.connect(':memory:'); sqlite3.connect('own.db'); sqlite3.connect('file:m?mode=memory', uri=True)
with tempfile.TemporaryDirectory() as t: open(os.path.join(t, 'f'), 'w')
socket.socketpair(); asyncio.run(asyncio.sleep(0)); os.kill(os.getpid(), 0); signal.raise_signal(0)
f = os.open('.', os.O_RDONLY); os.mkdir('e', dir_fd=f); os.rmdir('e', dir_fd=f)
print('ok')
PY
)" ok
done_testing
