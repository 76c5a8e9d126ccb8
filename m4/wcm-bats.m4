dnl SPDX-License-Identifier: MIT
dnl WCM_CHECK_BATS: set BATS, where there is one that knows what the tests use.
AC_DEFUN([WCM_CHECK_BATS], [
  AC_CHECK_PROG([BATS], [bats], [bats])
  AS_IF([test "x$BATS" != x], [
    AC_CACHE_CHECK([whether $BATS has folders of files, and versions], [wcm_cv_bats], [
      printf '%s\n' 'bats_require_minimum_version 1.5.0' '@test "it has" {' \
        'test -d "$BATS_FILE_TMPDIR"' '}' >conftest.bats
      AS_IF([$BATS conftest.bats >&AS_MESSAGE_LOG_FD 2>&1],
        [wcm_cv_bats=yes], [wcm_cv_bats=no])
      rm -f conftest.bats])
    AS_IF([test "$wcm_cv_bats" = no], [BATS=])])])
