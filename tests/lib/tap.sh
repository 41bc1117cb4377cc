# SPDX-License-Identifier: LGPL-2.1-or-later
# A small TAP writer for shell tests. Source it, call the lines below, end with done_testing.
#
#   plan COUNT            optional, first; without it done_testing writes the plan
#   ok NAME COMMAND…      the command succeeds; what it prints goes to the log
#   is NAME GOT WANTED    two texts are the same
#   like NAME GOT REGEX   a text matches an extended regular expression (as bash's =~)
#   skip NAME REASON      one claim that this host cannot show
#   skip_all REASON       the whole script; exits
#   done_testing          last
tap_count=0
tap_planned=

plan() {
	tap_planned=$1
	echo "1..$1"
}

# tap_line ok|"not ok" NAME: a # in a name would begin a directive.
tap_line() {
	tap_count=$((tap_count + 1))
	printf '%s %d - %s\n' "$1" "$tap_count" "${2//#/\\#}"
}

# tap_note WHAT TEXT: each line of a text as a comment, so that it can never count as a result.
tap_note() {
	printf '%s\n' "$2" | sed "s/^/# $1 /"
}

ok() {
	local name=$1
	shift
	if "$@" >&2; then
		tap_line ok "$name"
	else
		tap_line "not ok" "$name"
		tap_note "failed:" "$*"
	fi
}

is() {
	if [ "$2" = "$3" ]; then
		tap_line ok "$1"
	else
		tap_line "not ok" "$1"
		tap_note "got:   " "$2"
		tap_note "wanted:" "$3"
	fi
}

like() {
	if [[ $2 =~ $3 ]]; then
		tap_line ok "$1"
	else
		tap_line "not ok" "$1"
		tap_note "got:   " "$2"
		tap_note "wanted, as a pattern:" "$3"
	fi
}

skip() {
	tap_count=$((tap_count + 1))
	printf 'ok %d - %s # SKIP %s\n' "$tap_count" "${1//#/\\#}" "$2"
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

done_testing() {
	[ -n "$tap_planned" ] || echo "1..$tap_count"
}
