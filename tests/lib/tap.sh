# SPDX-License-Identifier: LGPL-2.1-or-later
# A small TAP writer for shell tests: source it, call ok/is/skip, end with done_testing.
tap_count=0
ok() { # ok NAME COMMAND…
	tap_name=$1; shift; tap_count=$((tap_count + 1))
	if "$@"; then echo "ok $tap_count - $tap_name"; else echo "not ok $tap_count - $tap_name"; fi
}
is() { # is NAME GOT WANTED
	tap_count=$((tap_count + 1))
	if [ "$2" = "$3" ]; then echo "ok $tap_count - $1"; else
		echo "not ok $tap_count - $1"; echo "# got:    $2"; echo "# wanted: $3"; fi
}
skip() { tap_count=$((tap_count + 1)); echo "ok $tap_count - $1 # SKIP $2"; }
done_testing() { echo "1..$tap_count"; }
