#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# stile check --show: the effective policy, as text and as JSON.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
base=$(mktemp -d)
base=$(realpath "$base")
mkdir "$base/project" "$base/extra" && cd "$base/project" || exit 1
at() { python3 -c 'import json,sys
d = json.load(open(sys.argv[1]))
for key in sys.argv[2].split("."): d = d[key]
print(d)' "$@" 2>&1; }

"$STILE" check --show --json --read "$base/extra" --wall 2 -- true >allowed.json
is "the verdict's exit code stays" $? 0
is "one line of JSON" "$(wc -l <allowed.json)" 1
is "the verdict" "$(at allowed.json verdict)" allow
is "the profile" "$(at allowed.json policy.profile)" tool
is "the root" "$(at allowed.json policy.root)" "$base/project"
is "the network" "$(at allowed.json policy.network)" none
is "a flag's limit" "$(at allowed.json policy.limits.wall_s)" 2.0
is "no limit is null" "$(at allowed.json policy.limits.memory)" None
ok "a flag's rule names its origin" python3 -c 'import json,sys
rules = json.load(open("allowed.json"))["policy"]["paths"]
assert [r for r in rules if r["path"] == sys.argv[1] and r["rights"] == ["read"] and r["origin"] == "--read"]' \
	"$base/extra"
ok "JSON has the rules of the text" python3 -c 'import json,subprocess,sys
text = subprocess.run([sys.argv[1], "check", "--show", "--", "true"], capture_output=True, text=True).stdout
rules = json.loads(subprocess.run([sys.argv[1], "check", "--show", "--json", "--", "true"],
                                  capture_output=True, text=True).stdout)["policy"]["paths"]
lines = [" ".join(r["rights"] + [r["path"], "(" + r["origin"] + ")"]) for r in rules]
assert lines and lines == text.splitlines()[4:-1], (lines, text)' "$STILE"
"$STILE" check --show --json -- rm x >denied.json
is "a refusal" $? 156
is "says so beside the policy" "$(at denied.json verdict) $(at denied.json layer) $(at denied.json policy.profile)" \
	'deny preflight tool'
"$STILE" check --json -- true >plain.json
is "without --show there is no policy" "$(cat plain.json)" '{"verdict":"allow"}'
cd / && rm -rf "$base"
done_testing
