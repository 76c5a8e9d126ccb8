dnl SPDX-License-Identifier: MIT
dnl WCM_CHECK_PEERS: the libraries that bench/ measures beside this one.
AC_DEFUN([WCM_CHECK_PEERS], [
  AC_CHECK_HEADER([backtrace.h], [
    AC_CHECK_LIB([backtrace], [backtrace_syminfo], [have_libbacktrace=yes],
                 [have_libbacktrace=no])], [have_libbacktrace=no])
  AM_CONDITIONAL([HAVE_LIBBACKTRACE], [test "x$have_libbacktrace" = xyes])
  PKG_CHECK_MODULES([LIBUNWIND], [libunwind], [have_libunwind=yes],
                    [have_libunwind=no])
  AM_CONDITIONAL([HAVE_LIBUNWIND], [test "x$have_libunwind" = xyes])])
