#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Turns JSON files into C strings on stdout: profiles/code.json becomes profile_code_json[].
# Run by make; usage: embed.sh FILE.json...
set -eu

echo '/* SPDX-License-Identifier: LGPL-2.1-or-later */'
echo '/* Made by policy/embed.sh from the profiles; edit those. */'

for file; do
	name=$(basename "$file" .json)
	printf '\nextern const char profile_%s_json[];\n' "$name"
	printf 'const char profile_%s_json[] =\n' "$name"
	sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/	"/' -e 's/$/\\n"/' -e '$s/$/;/' "$file"
done
