#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# make escape: holds stile against every probe, with namespaces and without, with the shim and without.
# Extra words go to escape.py.
set -u
here=$(cd "$(dirname "$0")" && pwd)
limits="--wall 10 --cpu 3 --memory 512M --processes 64 --open-files 256 --file-size 16M --disk 32M"
set_env="--set-env S={S} --set-env W={W} --set-env RO={RO} --set-env KEY={KEY} --set-env PORT={PORT} --set-env UPORT={UPORT} --set-env VICTIM={VICTIM}"
run="$STILE run --no-preflight"
rest="$limits --root {W} --read {RO} $set_env --"
wrap="$run $rest"
export PATH=/usr/bin:/bin
status=0
echo "# native, namespaces"
python3 "$here/escape.py" --wrap "$wrap" --known "$here/known-native.txt" "$@" || status=1
# The walls must hold without the guest that explains; and then no loader's variable is left at all.
echo "# native, namespaces, no shim"
python3 "$here/escape.py" --no-control --wrap "$run --no-shim $rest" \
	--known <(grep -v '^E16 ' "$here/known-native.txt") "$@" || status=1
if unshare -U true 2>/dev/null; then
	echo "# native, no namespaces"
	python3 "$here/escape.py" --no-control --wrap "unshare -U $wrap" --known "$here/known-no-namespaces.txt" "$@" || status=1
fi
exit $status
