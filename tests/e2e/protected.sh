#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What runs code later outside the sandbox is protected, existing or not, and nothing of that protection stays
# in the user's folder: not after a run, not after a killed launcher, not with two sessions at once.
. "$srcdir/tests/lib/tap.sh"
export PATH=/usr/bin:/bin
base=$(mktemp -d)
root=$base/project
mkdir "$root" && cd "$root" || exit 1
STILE_WAIT=50
list() { find . -mindepth 1 | sort | tr '\n' ' '; }
# The janitor of a killed launcher is a process of its own: it gets a moment.
settle() {
	local i
	for ((i = 0; i < STILE_WAIT; i++)); do
		[ "$(list)" = "$1" ] && return 0
		sleep 0.1
	done
	return 1
}
if ! "$STILE" run --require mount -- true 2>/dev/null; then
	skip_all "no mount namespace here"
fi

cat >a17.sh <<'P'
mkdir -p .claude && echo '{"hooks":1}' >.claude/settings.json; test -s .claude/settings.json && exit 1
for f in .bashrc .envrc .gitconfig .mcp.json .npmrc; do
	(echo evil >$f) 2>/dev/null && exit 2
	rm -f $f 2>/dev/null && exit 3
	mv $f other 2>/dev/null && exit 4
	ln -f a17.sh $f 2>/dev/null && exit 5
	mv -T a17.sh $f 2>/dev/null && exit 6
done
mkdir -p .git/hooks 2>/dev/null; echo evil >.git/hooks/pre-commit && exit 7
mv .git g2 && exit 8
rmdir .stile-guard && exit 9
echo fine >ordinary || exit 10
exit 0
P
"$STILE" run -- sh a17.sh 2>/dev/null
is "a missing protected path can be neither made nor replaced" $? 0
is "nothing of the protection stays" "$(list)" "./a17.sh ./ordinary "
sh -c 'echo x >.envrc' && is "positive control: outside it can be made" "$(cat .envrc)" x
rm -f .envrc

mkdir -p .git/hooks && echo c >.git/config
echo 'echo evil >.git/hooks/pre-commit; mv .git g2 && mkdir -p .git/hooks; rm -rf .git/hooks; test -d .git/hooks && ! test -e .git/hooks/pre-commit && ! test -e g2' >a16.sh
"$STILE" run -- sh a16.sh 2>/dev/null
is "the parent of a protected path cannot be renamed away" $? 0
rm -rf .git

echo 'echo x >.envrc' >hooks.sh
"$STILE" run --allow-hooks -- sh hooks.sh
ok "--allow-hooks allows them" test -s .envrc
echo 'echo y >.envrc; cat .envrc' >hooks.sh
is "an existing one can be read, not written" "$("$STILE" run -- sh hooks.sh 2>/dev/null)" x
rm -f .envrc

if command -v git >/dev/null; then
	export GIT_CONFIG_NOSYSTEM=1 HOME=$base
	mkdir -p "$base/repo/sub" && (cd "$base/repo" && git init -q .)
	echo 'git status --porcelain' >"$base/repo/status.sh"
	is "git status shows no placeholder" "$(cd "$base/repo" && "$STILE" run -- sh status.sh 2>&1)" "?? status.sh"
	echo 'git add -A && git ls-files' >"$base/repo/status.sh"
	is "git add -A adds none" "$(cd "$base/repo" && "$STILE" run -- sh status.sh 2>&1)" status.sh
	echo 'sleep 2' >"$base/repo/sub/wait.sh"
	(cd "$base/repo/sub" && exec "$STILE" run -- sh wait.sh) & runner=$!
	for ((i = 0; i < 50; i++)); do [ -e "$base/repo/sub/.stile-guard" ] && break; sleep 0.05; done
	sleep 0.2
	is "git outside still finds the repository above" \
		"$(cd "$base/repo/sub" && git rev-parse --show-toplevel)" "$(realpath "$base/repo")"
	is "and sees nothing new" "$(cd "$base/repo/sub" && git status --porcelain -uall . 2>&1)" "?? sub/wait.sh"
	wait $runner
fi

# What is advised where git is run afterwards.
if command -v git >/dev/null; then
	mkdir "$base/whole" && cd "$base/whole" && git init -q . && git config user.name t && git config user.email t@t
	echo '{"filesystem": {"protect": ["whole/.git"]}}' >"$base/whole.json"
	echo '{}' >"$base/default.json"
	echo 'echo elsewhere >.git/commondir; echo x >.git/index; rm -f .git/HEAD; mkdir .git/worktrees; ls .git | tr "\\n" " "' >change.sh
	is "positive control: by default .git can be changed, but not its worktrees" \
		"$("$STILE" run --policy "$base/default.json" -- sh change.sh 2>/dev/null | tr ' ' '\n' | grep -cxE 'commondir|index|HEAD')" 2
	rm -rf .git && git init -q . && git add change.sh && git -c user.name=t -c user.email=t@t commit -q -m one
	before=$(find .git -type f -exec md5sum {} + | sort)
	"$STILE" run --policy "$base/whole.json" -- sh change.sh >/dev/null 2>&1
	is "a protected .git cannot be changed" \
		"$(diff <(echo "$before") <(find .git -type f -exec md5sum {} + | sort))" 
	echo 'git status --porcelain && git log --format=%s && git diff HEAD' >look.sh
	is "and git's looking commands work in it" \
		"$("$STILE" run --policy "$base/whole.json" --shell -- sh look.sh 2>&1 | tr '\n' ' ')" "?? look.sh one "
	echo 'mkdir .git/worktrees || echo x >.git/worktrees' >trees.sh
	"$STILE" run -- sh trees.sh >/dev/null 2>&1
	is "worktrees are not made, and nothing of their protection stays" "$? $(ls .git | grep -c worktrees)" "2 0"
	echo 'git add -A && git commit -qm two && git gc -q && git branch new && git worktree list | wc -l' >commit.sh
	git config user.name t && git config user.email t@t
	is "programs can commit where only the profile protects" "$("$STILE" run -- sh commit.sh 2>&1)" 1
	cd "$root" || exit 1
fi

# Links that an earlier run may have left.
rm -f ./*.sh ordinary
mkdir elsewhere && ln -s elsewhere .git
cat >link.sh <<'P'
rm -f .git; mv .git g2; ln -sfn /tmp .git; mkdir elsewhere/hooks 2>/dev/null
echo evil >elsewhere/hooks/pre-commit; echo evil >elsewhere/config
rm -f .git 2>/dev/null; mkdir -p .git/hooks; echo evil >.git/hooks/x
test "$(readlink .git)" = elsewhere && ! test -s elsewhere/config && ! test -s elsewhere/hooks/pre-commit
P
"$STILE" run -- sh link.sh 2>/dev/null
is "a link in the middle of a protected path stays, and its target is protected" $? 0
is "and nothing is left" "$(list)" "./.git ./elsewhere ./link.sh "
rm -rf .git elsewhere
ln -s "$base/outside" .npmrc
echo 'rm -f .npmrc; echo x >.npmrc; mv link.sh .npmrc; test -L .npmrc' >link.sh
"$STILE" run -- sh link.sh 2>/dev/null
is "a protected name that is a dangling link stays one" $? 0
ok "and nothing was made behind it" test ! -e "$base/outside"
rm -f .npmrc ./*.sh

mkdir plain
cat >deny.sh <<'P'
echo x >plain/secret && exit 1; cat plain/secret && exit 2; mkdir -p later/key && exit 3; mv plain p2 && exit 4; exit 0
P
"$STILE" run --deny-path plain/secret --deny-path later/key -- sh deny.sh 2>/dev/null
is "what is denied and missing cannot come into being" $? 0
is "and leaves nothing" "$(list)" "./deny.sh ./plain "
rm -rf plain ./*.sh

# A launcher killed at any moment.
echo 'sleep 5; echo x >.envrc' >slow.sh
before=$(list)
left=0
for ((i = 0; i < 50; i++)); do
	"$STILE" run -- sh slow.sh >/dev/null 2>&1 & runner=$!
	sleep "0.0$((RANDOM % 60 + 10))"
	kill -9 $runner 2>/dev/null
	wait $runner 2>/dev/null
	settle "$before" || left=$((left + 1))
done
is "a launcher killed at 50 random moments leaves nothing" "$left" 0

# Two sessions in one root: the first to end must not take the other's protection away.
echo 'sleep 0.3' >short.sh
echo 'i=0; while [ $i -lt 30 ]; do (echo evil >.envrc) 2>/dev/null && exit 1; (mkdir .claude/x) 2>/dev/null && exit 2; sleep 0.05; i=$((i+1)); done; exit 0' >long.sh
before=$(list)
"$STILE" run -- sh long.sh & one=$!
for i in 1 2 3; do "$STILE" run -- sh short.sh; done
"$STILE" run -- sh long.sh & two=$!
"$STILE" run -- sh short.sh & three=$!
sleep 0.2
kill -9 $three
wait $three 2>/dev/null
wait $one
is "a session keeps its protection while others come, end and are killed" $? 0
wait $two
is "the later one too" $? 0
ok "the last one removes all" settle "$before"

# Launcher and janitor killed: the next run finds what they left.
"$STILE" run -- sh slow.sh >/dev/null 2>&1 & runner=$!
for ((i = 0; i < 50; i++)); do [ -S .zshrc ] && break; sleep 0.05; done
sleep 0.2
janitor=$(pgrep -P $runner stile-janitor)
kill -9 "$janitor" $runner
wait $runner 2>/dev/null
ok "positive control: with its janitor killed as well, something stays" test -S .zshrc
echo 'echo mine >ordinary' >next.sh
"$STILE" run -- sh next.sh
rm -f next.sh ordinary
is "the next run removes it" "$(list)" "$before"

# A folder that is read-only for us stays so.
rm -f ./*.sh
echo 'chmod u+w . 2>/dev/null; (echo evil >.envrc) 2>/dev/null && exit 1; exit 0' >try.sh
chmod 555 .
"$STILE" run -- sh try.sh
is "a read-only root cannot be opened up" $? 0
chmod 755 .
is "nor gets placeholders" "$(list)" "./try.sh "
cd / && rm -rf "$base"
done_testing
