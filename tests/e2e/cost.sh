#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What a run in a session costs, in system calls of ours: counted, since a loaded machine's clock tells nothing.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
command -v strace >/dev/null || skip_all "there is no strace"
base=$(mktemp -d)
trap 'rm -rf "$base"' EXIT
cd "$base" || exit 1
strace -o none true 2>/dev/null || skip_all "strace may not trace here"

RUNS=30
MOST=140 # 106 when it was written; other hosts need some more

requests() { for ((i = 0; i < RUNS; i++)); do echo '{"op":"run","argv":["true"]}'; done; }
timeout 120 strace -f -o calls "$STILE" session < <(requests) >answers 2>errors
is "every run ends well" "$(grep -c '"status":"ok"' answers)" "$RUNS"

# Calls begun between the fifth and the last answer by whoever did not become the program. What the calls
# point to is not looked at: an undumpable process does not show it.
cat >count.py <<'E2'
import re
begun = re.compile(r'^(\d+) +([a-z_0-9]+)\(')
lines = open("calls").read().splitlines()
launcher = lines[0].split()[0]
programs = {l.split()[0] for l in lines if " execve(" in l} - {launcher}
answers = [i for i, l in enumerate(lines) if re.match(launcher + r" +write\(1, ", l)]
ours = [m for l in lines[answers[4]:answers[-1]] if (m := begun.match(l)) and m[1] not in programs]
print(round(len(ours) / (len(answers) - 5)))
E2
count=$(python3 count.py)
echo "# $count system calls of ours a run"
ok "they are counted" test "$count" -gt 20
ok "and not more than $MOST" test "$count" -le "$MOST"
done_testing
