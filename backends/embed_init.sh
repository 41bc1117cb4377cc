#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Turns init's program into a C array on stdout. Run by make; usage: embed_init.sh PROGRAM
set -eu

echo '/* SPDX-License-Identifier: LGPL-2.1-or-later */'
echo '/* Made by backends/embed_init.sh from init_entry.c and init_loop.c; edit those. */'
echo '#include "backends/init_image.h"'
echo
echo 'const unsigned char init_image[] = {'
od -An -v -tu1 "$1" | sed -e 's/^ */	/' -e 's/  */, /g' -e 's/$/,/'
echo '};'
echo 'const size_t init_image_bytes = sizeof(init_image);'
