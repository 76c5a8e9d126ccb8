dnl SPDX-License-Identifier: MIT
dnl WCM_COMPILER_FLAGS(VARIABLE, FLAGS): append each flag that the compiler has.
AC_DEFUN([WCM_COMPILER_FLAGS], [
  for wcm_flag in m4_normalize([$2]); do
    AS_VAR_PUSHDEF([wcm_cv], [wcm_cv_flag_$wcm_flag])dnl
    AC_CACHE_CHECK([whether $CC accepts $wcm_flag], [wcm_cv], [
      wcm_save=$CFLAGS
      CFLAGS="$CFLAGS -Werror $wcm_flag"
      AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
        [AS_VAR_SET([wcm_cv], [yes])], [AS_VAR_SET([wcm_cv], [no])])
      CFLAGS=$wcm_save])
    AS_VAR_IF([wcm_cv], [yes], [$1="$$1 $wcm_flag"])
    AS_VAR_POPDEF([wcm_cv])dnl
  done])
