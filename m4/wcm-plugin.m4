dnl SPDX-License-Identifier: MIT
dnl WCM_CHECK_PLUGIN: set PLUGIN_COMPILERS, a list of MAJOR:GCC:G++, one for each gcc that
dnl the plugin is built for; PLUGIN_FILES, what is built; have_plugin, for the summary.
AC_DEFUN([WCM_CHECK_PLUGIN], [
  AC_ARG_WITH([plugin],
    [AS_HELP_STRING([--without-plugin], [leave out the plugins for gcc])],
    [], [with_plugin=yes])
  PLUGIN_COMPILERS= PLUGIN_FILES= have_plugin=
  AS_IF([test "x$with_plugin" = xno || test "x$with_command" = xno], [have_plugin=no],
    [test "x$cross_compiling" = xyes],
      [have_plugin="no, this is a build for another machine"],
    [PKG_CHECK_MODULES([YAML], [yaml-0.1], [WCM_FIND_PLUGIN_APIS],
      [have_plugin="no, libyaml (libyaml-dev) is missing"])])
  AC_SUBST([PLUGIN_COMPILERS])
  AC_SUBST([PLUGIN_FILES])
  AC_SUBST([have_plugin])
  AM_CONDITIONAL([WITH_PLUGIN], [test -n "$PLUGIN_FILES"])])

dnl WCM_FIND_PLUGIN_APIS: those of the gcc on PATH; of two of one major version, the first.
AC_DEFUN([WCM_FIND_PLUGIN_APIS], [
  for wcm_gcc in gcc gcc-11 gcc-12 gcc-13 gcc-14 gcc-15; do
    wcm_major=`$wcm_gcc -dumpversion 2>/dev/null | sed 's/@<:@.@:>@.*//'`
    AS_CASE([":$wcm_major: $PLUGIN_COMPILERS"], [::*|:*:*" $wcm_major:"*], [continue])
    WCM_TRY_PLUGIN
  done
  AS_IF([test -z "$PLUGIN_FILES"], [AS_IF([test -z "$have_plugin"],
    [have_plugin="no, no gcc has a plugin API (gcc-N-plugin-dev)"])],
    [have_plugin=`echo $PLUGIN_COMPILERS | sed 's/:@<:@^ @:>@*//g'`])])

dnl WCM_TRY_PLUGIN: append what wcm_gcc, of the version wcm_major, has.
AC_DEFUN([WCM_TRY_PLUGIN], [
  wcm_headers=`$wcm_gcc -print-file-name=plugin`/include
  AC_MSG_CHECKING([for the plugin API of $wcm_gcc, version $wcm_major])
  wcm_found=no
  AS_IF([test -r "$wcm_headers/gcc-plugin.h"], [
    echo '#include "gcc-plugin.h"' >conftest.cc
    for wcm_gxx in `echo $wcm_gcc | sed 's/gcc/g++/'` $CXX_FOR_TESTS; do
      AS_IF([$wcm_gxx -std=gnu++17 -fno-rtti -fsyntax-only -isystem "$wcm_headers" \
               conftest.cc >&AS_MESSAGE_LOG_FD 2>&1],
        [wcm_found=$wcm_gxx
         break])
    done
    AS_IF([test $wcm_found = no],
      [wcm_found="no, no C++ compiler reads it"
       have_plugin="no, a C++ compiler is missing, or cannot read gcc's headers"],
      [PLUGIN_COMPILERS="$PLUGIN_COMPILERS $wcm_major:$wcm_gcc:$wcm_found"
       PLUGIN_FILES="$PLUGIN_FILES plugin/gcc-$wcm_major/inject.so"])
    rm -f conftest.cc])
  AC_MSG_RESULT([$wcm_found])])
