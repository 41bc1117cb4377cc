# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Probing compiler and linker flags. Each flag is tried with -Werror, because a compiler that only
# warns about an unknown flag has not accepted it (clang). A header is included, so that flags which
# act on headers (_FORTIFY_SOURCE without optimisation) show their warnings too.

# STILE_PROBE_FLAG(FLAG-VARIABLE, TRY-MACRO, LIST) -- one flag, in $stile_flag
m4_define([STILE_PROBE_FLAG],
[AC_MSG_CHECKING([whether $CC accepts $stile_flag])
stile_saved_flags=$$1
$1="$$1 -Werror $stile_flag"
$2([AC_LANG_PROGRAM([[#include <stdio.h>]],[[puts("");]])],
   [AC_MSG_RESULT([yes])
    $3="$$3 $stile_flag"],
   [AC_MSG_RESULT([no])])
$1=$stile_saved_flags])

# STILE_APPEND_COMPILE_FLAGS(FLAGS, VARIABLE)
AC_DEFUN([STILE_APPEND_COMPILE_FLAGS],
[for stile_flag in $1; do
	STILE_PROBE_FLAG([CFLAGS],[AC_COMPILE_IFELSE],[$2])
done])

# STILE_APPEND_LINK_FLAGS(FLAGS, VARIABLE)
AC_DEFUN([STILE_APPEND_LINK_FLAGS],
[for stile_flag in $1; do
	STILE_PROBE_FLAG([LDFLAGS],[AC_LINK_IFELSE],[$2])
done])

# STILE_NEED_FLAGS(FLAGS, VARIABLE, PURPOSE) -- all together, for compiling and linking; absent is an error
AC_DEFUN([STILE_NEED_FLAGS],
[AC_MSG_CHECKING([for $3 ($1)])
stile_saved_need=$CFLAGS
CFLAGS="$CFLAGS $1"
AC_LINK_IFELSE([AC_LANG_PROGRAM([[]],[[]])],
	       [AC_MSG_RESULT([yes])
	        $2="$$2 $1"],
	       [AC_MSG_RESULT([no])
	        AC_MSG_ERROR([$CC cannot build with $1])])
CFLAGS=$stile_saved_need])
