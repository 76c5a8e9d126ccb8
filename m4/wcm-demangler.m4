dnl SPDX-License-Identifier: MIT
dnl WCM_CHECK_DEMANGLER: whether libiberty's demanglers can be copied into a shared
dnl library, by whocallme/core/demangler/copy.sh; set LIBIBERTY and OBJCOPY, and the
dnl condition DEMANGLERS.
AC_DEFUN([WCM_CHECK_DEMANGLER], [
  AC_CHECK_TOOL([OBJCOPY], [objcopy], [objcopy])
  AC_CACHE_CHECK([for demanglers that can be copied], [wcm_cv_demangler], [
    wcm_cv_demangler=no
    wcm_archive=`$CC -print-file-name=libiberty.a`
    wcm_copy="$srcdir/whocallme/core/demangler/copy.sh"
    AS_IF([test -r "$wcm_archive" &&
           AR=$AR LD=$LD NM=$NM OBJCOPY=$OBJCOPY \
             $SHELL "$wcm_copy" "$wcm_archive" conftest-copy.o \
             2>&AS_MESSAGE_LOG_FD &&
           $CC $CFLAGS -shared -nostdlib -Wl,-z,text \
             -Wl,--defsym=wcm__demangler_stack_chk_fail_local=0 \
             -o conftest-copy.so conftest-copy.o 2>&AS_MESSAGE_LOG_FD],
      [wcm_cv_demangler=$wcm_archive])
    rm -f conftest-copy.o conftest-copy.so])
  AC_SUBST([LIBIBERTY], [$wcm_cv_demangler])
  AM_CONDITIONAL([DEMANGLERS], [test "x$wcm_cv_demangler" != xno])])
