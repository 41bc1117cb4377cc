#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The escape suite: holds any sandbox command against the probes beside it.

Each probe is one attack in one file (probes/ID.sh, .py or .c). It prints a line that begins with ESCAPE
(the wall failed) or BLOCKED; some say neither and are judged from outside. Every probe runs bare first,
as a positive control: one that cannot escape there proves nothing, and is counted as such.

  escape.py [--wrap 'COMMAND … {W} {RO} … --'] [--only ID,…] [--json FILE] [--expect FILE]

The fixture, in variables of the probe's environment: S, a hidden folder with `key` (CANARY) and two UNIX
sockets; W, a writable project; RO, a read-only folder with f f2 f3 f4; KEY; VICTIM, the pid of a process
outside; PORT, a TCP listener on 127.0.0.1 and ::1; UPORT, a UDP echo; the abstract socket `pt_abs`.
Output is TAP. No address but loopback's is ever used.
"""
import argparse, errno, json, os, shlex, shutil, signal, socket, subprocess, sys, tempfile, threading, time

HERE = os.path.dirname(os.path.abspath(__file__))
PROBES = os.path.join(HERE, "probes")
CANARY = b"CANARY\n"
SECONDS = 20
# These may hurt the host bare: their control runs in a pid namespace that is thrown away.
UNSAFE = {"F01", "F02", "F04", "F06", "F08", "F10", "F11", "F12", "F13", "F19", "F20", "B01"}
# Bare controls never run as root: some probes would change the host (its name, its mounts).
NOBODY = 65534
LEFTOVERS = ("/tmp/pt_left", "/dev/shm/pt_left")


class Fixture:
    """The world a probe attacks; a context manager."""

    def __init__(self, bare):
        self.user = NOBODY if bare and os.geteuid() == 0 else None
        self.base = tempfile.mkdtemp(prefix="stile-escape-", dir="/var/tmp")
        os.chmod(self.base, 0o755)
        self.sockets = []
        self.hits = []

    def folder(self, name):
        path = os.path.join(self.base, name)
        os.mkdir(path)
        return path

    def listen(self, family, kind, address):
        s = socket.socket(family, kind)
        for turn in range(300):  # the abstract name is the probes' own: another suite may have it now
            try:
                s.bind(address)
                break
            except OSError as e:
                if e.errno != errno.EADDRINUSE or turn == 299:
                    raise
                time.sleep(0.1)
        if kind == socket.SOCK_STREAM:
            s.listen(8)
        self.sockets.append(s)
        threading.Thread(target=self.serve, args=(s, kind), daemon=True).start()
        return s.getsockname()

    def serve(self, s, kind):
        try:
            while True:
                if kind == socket.SOCK_STREAM:
                    c, _ = s.accept()
                    self.hits.append("stream")
                    c.sendall(b"HTTP/1.0 200 OK\r\n\r\n")
                    c.close()
                else:
                    _, peer = s.recvfrom(2048)
                    self.hits.append("datagram")
                    if peer:
                        s.sendto(b"pong", peer)
        except OSError:
            pass

    def __enter__(self):
        self.S, self.W, self.RO = self.folder("S"), self.folder("W"), self.folder("RO")
        with open(self.S + "/key", "wb") as f:
            f.write(CANARY)
        for name in ("f", "f2", "f3", "f4"):
            with open(f"{self.RO}/{name}", "w") as f:
                f.write("read-only\n")
        self.listen(socket.AF_UNIX, socket.SOCK_STREAM, self.S + "/s.sock")
        self.listen(socket.AF_UNIX, socket.SOCK_DGRAM, self.S + "/d.sock")
        self.listen(socket.AF_UNIX, socket.SOCK_STREAM, "\0pt_abs")
        port = self.listen(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))[1]
        try:
            self.listen(socket.AF_INET6, socket.SOCK_STREAM, ("::1", port))
        except OSError:
            pass
        uport = self.listen(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))[1]
        self.victim = subprocess.Popen(["sleep", "600"], env={"HARNESS_SECRET": "CANARY"}, user=self.user)
        self.env = {"S": self.S, "W": self.W, "RO": self.RO, "KEY": self.S + "/key", "PORT": str(port),
                    "UPORT": str(uport), "VICTIM": str(self.victim.pid)}
        return self

    def __exit__(self, *_):
        for s in self.sockets:
            try:
                s.shutdown(socket.SHUT_RDWR)  # wakes the thread that holds it in accept
            except OSError:
                pass
            s.close()
        self.victim.kill()
        self.victim.wait()
        subprocess.run(["chmod", "-R", "u+rwx", self.base], stderr=subprocess.DEVNULL)
        subprocess.run(["rm", "-rf", self.base], stderr=subprocess.DEVNULL)
        for path in LEFTOVERS:
            if os.path.exists(path):
                os.unlink(path)


def command_of(probe, fixture):
    """Copies (or compiles) the probe into W; the words that start it, or None when it cannot be built."""
    source = os.path.join(PROBES, probe)
    target = os.path.join(fixture.W, "probe-" + probe)
    if not probe.endswith(".c"):
        shutil.copy(source, target)
        return ["bash" if probe.endswith(".sh") else "/usr/bin/python3", target]
    flags = [w[2:] for w in open(source).read().split() if w.startswith("//-")]
    made = subprocess.run(["gcc", "-O1", "-w", source, "-o", target[:-2], "-ldl", *flags],
                          stderr=subprocess.DEVNULL)
    return [target[:-2]] if made.returncode == 0 else None


def alive(fixture):
    """Processes that still carry the fixture's folder in their command line."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                words = f.read()
            with open(f"/proc/{pid}/stat") as f:
                state = f.read().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if (fixture.W + "/probe-").encode() in words and state != "Z":
            found.append(int(pid))
    return found


def start(words, fixture, wrap):
    # The variables reach the probe by the environment or, where the sandbox clears it, by its options.
    if wrap:
        fill = dict(fixture.env, ENV=" ".join(f"--set-env {k}={v}" for k, v in fixture.env.items()))
        command = [w.format(**fill) for w in shlex.split(wrap)]
        command = [v for w in command for v in (w.split() if w.startswith("--set-env ") else [w])]
        words = command + words
    return subprocess.Popen(words, cwd=fixture.W, env=dict(os.environ, **fixture.env),
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            start_new_session=True, user=fixture.user, group=fixture.user,
                            extra_groups=None if fixture.user is None else [])


def finish(process):
    """Its output, at most SECONDS later; False where it had to be ended."""
    try:
        out, err = process.communicate(timeout=SECONDS)
        return out, err, True
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        try:
            out, err = process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            out, err = b"", b""
        return out, err, False


def run(probe, wrap):
    """One probe once. Returns (escaped, what was seen)."""
    identity = probe.split(".")[0]
    with Fixture(not wrap) as fixture:
        words = command_of(probe, fixture)
        if fixture.user is not None:
            subprocess.run(["chown", "-R", f"{fixture.user}:{fixture.user}", fixture.base], check=True)
        if words is None:
            return None, "does not compile here"
        if not wrap and identity[:3] in UNSAFE:
            return None, "not run bare: it would hurt the host"
        out, err, ended = finish(start(words, fixture, wrap))
        time.sleep(0.2)
        left = alive(fixture)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        signs = []
        lines = out.decode(errors="replace").splitlines()
        signs += [line for line in lines if line.startswith("ESCAPE")][:1]
        if left:
            signs.append(f"alive afterwards: {len(left)}")
        if not ended:
            signs.append("did not end")
        if fixture.hits and not identity.startswith("C17"):
            signs.append("a listener outside heard it: " + fixture.hits[0])
        signs += ["left: " + path for path in LEFTOVERS if os.path.exists(path)]
        signs += ["core file" for name in os.listdir(fixture.W) if name.startswith("core")]
        with open(fixture.S + "/key", "rb") as f:
            if f.read() != CANARY:
                signs.append("the key was changed")
        if b"CANARY" in out and not signs:
            signs.append("the key was printed")
        return bool(signs), "; ".join(signs) or (lines[0] if lines else err.decode(errors="replace")[:120].strip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wrap", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--json", default="")
    parser.add_argument("--known", default="", help="file of IDs that may escape here, each with its reason")
    parser.add_argument("--no-control", action="store_true")
    options = parser.parse_args()
    wanted = set(filter(None, options.only.split(",")))
    known = {}
    if options.known:
        for line in open(options.known):
            if line.strip() and not line.startswith("#"):
                identity, reason = line.strip().split(None, 1)
                known[identity] = reason
    probes = [p for p in sorted(os.listdir(PROBES)) if not wanted or p.split(".")[0] in wanted]
    table, failed = [], 0
    print(f"1..{len(probes)}")
    for number, probe in enumerate(probes, 1):
        identity = probe.split(".")[0]
        bare = (None, "not run") if options.no_control else run(probe, "")
        escaped, seen = run(probe, options.wrap)
        table.append({"probe": identity, "bare": bare[0], "bare_seen": bare[1], "escaped": escaped, "seen": seen})
        control = {True: "control escapes", False: "control does not escape", None: "control: " + bare[1]}[bare[0]]
        if escaped is None:
            print(f"ok {number} - {identity} # SKIP {seen}")
        elif escaped and identity not in known:
            failed += 1
            print(f"not ok {number} - {identity} ({control})\n# {seen}")
        else:
            note = f" # known: {known[identity]}" if escaped else ""
            print(f"ok {number} - {identity} ({control}): {seen}{note}".replace("\n", " "))
        sys.stdout.flush()
    if options.json:
        with open(options.json, "w") as f:
            json.dump({"wrap": options.wrap, "probes": table}, f, indent=1)
    print(f"# {len(table)} probes ran, {sum(1 for r in table if r['bare'])} escape bare, "
          f"{sum(1 for r in table if r['escaped'])} escape the sandbox")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
