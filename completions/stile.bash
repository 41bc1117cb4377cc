# SPDX-License-Identifier: LGPL-2.1-or-later
# bash completion of stile. Verbs and options are asked of `stile help`, which prints them from the
# tables that the program itself reads.

# _stile_values OPTION VALUE-NAME: what may stand behind an option.
_stile_values()
{
	case $1 in
	--sandbox) echo auto native container microvm audit-only ;;
	--tier) echo MINIMAL STANDARD HEAVY_COMPUTE ;;
	--require) echo landlock seccomp namespace user pid ipc uts mount network cgroup rlimit ;;
	--steps) echo none ;;
	*) [[ $2 == *'|'* && $2 != *[A-Z]* ]] && echo "${2//|/ }" ;;
	esac
}

# _stile_value_name HELP OPTION: FILE, PATH, none|host, …; empty when the option takes none.
_stile_value_name()
{
	awk -v option="$2" '$1 == option && match($0, /--[^ ]+ +/) && substr($0, 22, 1) != " " { print $2 }' <<<"$1"
}

_stile()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
	local program=${COMP_WORDS[0]} verb=${COMP_WORDS[1]} help name i
	COMPREPLY=()
	help=$("$program" help 2>/dev/null) || return 0

	if ((COMP_CWORD == 1)) || { ((COMP_CWORD == 2)) && [[ $verb == help ]]; }; then
		mapfile -t COMPREPLY < <(compgen -W "$(awk '/^  [a-z]/ { print $1 }' <<<"$help")" -- "$word")
		return 0
	fi
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			((i + 1 == COMP_CWORD)) && mapfile -t COMPREPLY < <(compgen -c -- "$word")
			((i + 1 == COMP_CWORD)) || compopt -o default
			return 0
		fi
	done
	name=$(_stile_value_name "$help" "$before")
	if [[ $name ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_stile_values "$before" "$name")" -- "$word")
		[[ ${#COMPREPLY[@]} -gt 0 ]] || compopt -o default
	elif [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "-- $(awk '/^  --/ { print $1 }' <<<"$help")" -- "$word")
	elif [[ $verb == code && $before != - ]]; then
		mapfile -t COMPREPLY < <(compgen -f -W 'python perl lua ruby node bash php tcl' -- "$word")
		compopt -o filenames
	else
		compopt -o default
	fi
}
complete -F _stile stile
