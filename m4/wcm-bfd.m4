dnl SPDX-License-Identifier: MIT
dnl WCM_MISSING(WHAT, DEBIAN, FEDORA, ARCH, ALPINE): stop, naming the package.
AC_DEFUN([WCM_MISSING], [AC_MSG_ERROR(m4_normalize([
  $1 is missing; install $2 (Debian, Ubuntu), $3 (Fedora), $4 (Arch) or $5
  (Alpine)]))])

dnl WCM_NO_HEADER(HEADER, MISSING): stop where it is there, since it does not compile;
dnl else do MISSING.
AC_DEFUN([WCM_NO_HEADER], [
  AC_PREPROC_IFELSE([AC_LANG_SOURCE([[
#if !__has_include(<$1>)
#error
#endif
]])],
    [AC_MSG_ERROR([$1 is there and does not compile with "$CC $CFLAGS $CPPFLAGS"; see config.log])],
    [$2])])

dnl WCM_REQUIRE_BFD: set BFD_LIBS, what the shared library links, what
dnl WCM_STATIC_BFD does, and define BFD_CRC.
AC_DEFUN([WCM_REQUIRE_BFD], [
  AC_CHECK_HEADER([bfd.h], [],
    [WCM_NO_HEADER([bfd.h],
      [WCM_MISSING([bfd.h], [binutils-dev], [binutils-devel], [binutils],
                   [binutils-dev])])])
  # Debian keeps libiberty's headers in a folder of their own.
  AC_CHECK_HEADER([demangle.h], [], [
    AC_CHECK_HEADER([libiberty/demangle.h],
      [CPPFLAGS="$CPPFLAGS -I/usr/include/libiberty"],
      [WCM_NO_HEADER([libiberty/demangle.h],
        [WCM_MISSING([demangle.h (libiberty)], [libiberty-dev],
                     [binutils-devel], [binutils], [binutils-dev])])])])

  wcm_save_LIBS=$LIBS
  AC_CACHE_CHECK([how to link BFD], [wcm_cv_bfd_libs], [
    wcm_cv_bfd_libs=no
    for wcm_libs in "-lbfd" "-lbfd -liberty" "-lbfd -liberty -lz" \
      "-lbfd -liberty -lsframe -lz" "-lbfd -liberty -lsframe -lzstd -lz" \
      "-lbfd -liberty -lsframe -lzstd -lz -lintl"
    do
      LIBS="$wcm_libs $wcm_save_LIBS"
      WCM_LINK_BFD([wcm_cv_bfd_libs=$wcm_libs; break])
    done])
  AS_IF([test "$wcm_cv_bfd_libs" = no],
    [WCM_MISSING([libbfd], [binutils-dev], [binutils-devel], [binutils],
                 [binutils-dev])])
  LIBS=$wcm_save_LIBS
  AC_SUBST([BFD_LIBS], [$wcm_cv_bfd_libs])
  WCM_STATIC_BFD
  WCM_BFD_CRC])

dnl WCM_STATIC_BFD: set BFD_STATIC_LIBS, what a static program needs besides the
dnl library, and STATIC_LACKS, which of that is not here, with Debian's package.
AC_DEFUN([WCM_STATIC_BFD], [
  AC_CACHE_CHECK([how to link BFD statically], [wcm_cv_bfd_static], [
    wcm_static=-static wcm_static_libs= wcm_linked_libs= wcm_lacks=
    wcm_save_LDFLAGS=$LDFLAGS
    WCM_STATIC_NEED([c], [libc6-dev])
    # Programs can be static but for libc.
    AS_IF([test -n "$wcm_lacks"], [wcm_static=-Wl,-Bstatic])
    WCM_STATIC_NEED([lzma], [liblzma-dev])
    wcm_static_libs= wcm_linked_libs=
    WCM_STATIC_NEED([bfd], [binutils-dev])
    WCM_STATIC_NEED([iberty], [libiberty-dev])
    # libbfd.a names none of the libraries that it needs; the linker does, by their
    # functions.
    wcm_before=none
    while test "$wcm_before" != "$wcm_static_libs"; do
      wcm_before=$wcm_static_libs
      WCM_STATIC_FLAGS([$wcm_linked_libs])
      WCM_LINK_BFD([break], [
        cp conftest.err conftest.undefined
        WCM_STATIC_NEED_FOR([sframe_], [sframe], [libsframe-dev])
        WCM_STATIC_NEED_FOR([ZSTD_], [zstd], [libzstd-dev])
        WCM_STATIC_NEED_FOR([inflate|deflate|compress|crc32], [z], [zlib1g-dev])
        WCM_STATIC_NEED_FOR([dlopen|dlsym], [dl], [libc6-dev])
        WCM_STATIC_NEED_FOR([libintl_], [intl], [gettext])
        # What is wrong is something else.
        AS_IF([test "$wcm_before" = "$wcm_static_libs" && test -z "$wcm_lacks"],
          [wcm_lacks=" what config.log shows"])])
    done
    rm -f conftest.undefined
    LDFLAGS=$wcm_save_LDFLAGS LIBS=$wcm_save_LIBS
    wcm_cv_bfd_static="$wcm_static_libs"
    AS_IF([test -n "$wcm_lacks"],
      [wcm_cv_bfd_static="$wcm_static_libs lacking$wcm_lacks"])])
  AC_SUBST([BFD_STATIC_LIBS], [`AS_ECHO(["$wcm_cv_bfd_static"]) |
    sed 's/^ *//; s/ lacking.*//'`])
  AC_SUBST([STATIC_LACKS], [`AS_ECHO(["$wcm_cv_bfd_static"]) |
    sed -n 's/.* lacking //p'`])])

dnl WCM_STATIC_FLAGS(LIBRARIES): link a program with them as whocallme.pc says.
AC_DEFUN([WCM_STATIC_FLAGS], [
  LDFLAGS="$wcm_save_LDFLAGS $wcm_static"
  LIBS="$1 -lpthread $wcm_save_LIBS"
  AS_IF([test "$wcm_static" != -static], [LIBS="$LIBS -Wl,-Bdynamic"])])

dnl WCM_STATIC_NEED(NAME, DEBIAN): the archive is needed, and may be missing.
AC_DEFUN([WCM_STATIC_NEED], [
  AS_CASE(["$wcm_static_libs "], [*" -l$1 "*], [], [
    wcm_static_libs="$wcm_static_libs -l$1"
    WCM_STATIC_FLAGS([-l$1])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
      [wcm_linked_libs="$wcm_linked_libs -l$1"],
      [wcm_lacks="$wcm_lacks lib$1.a ($2)"])])])

dnl WCM_STATIC_NEED_FOR(FUNCTIONS, NAME, DEBIAN): the same where the link that has
dnl just failed lacks one of the functions.
AC_DEFUN([WCM_STATIC_NEED_FOR], [
  AS_IF([$EGREP "undefined.*($1)" conftest.undefined >/dev/null],
    [WCM_STATIC_NEED([$2], [$3])])])

dnl WCM_BFD_CRC: define BFD_CRC, the type of a debug link's checksum: unsigned
dnl long in most releases of BFD, uint32_t in newer ones.
AC_DEFUN([WCM_BFD_CRC], [
  AC_CACHE_CHECK([which type BFD has for a checksum], [wcm_cv_bfd_crc], [
    wcm_cv_bfd_crc=unknown
    for wcm_type in "unsigned long" uint32_t
    do
      # Compilers only warn of the wrong pointer in a call, but refuse a function
      # that is declared twice with different types.
      AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
        #include <stdint.h>
        #include <bfd.h>
        char *bfd_get_debug_link_info(bfd *, $wcm_type *);
      ]])], [wcm_cv_bfd_crc=$wcm_type; break])
    done])
  AS_IF([test "$wcm_cv_bfd_crc" = unknown],
    [AC_MSG_ERROR([bfd.h declares no bfd_get_debug_link_info() that is known])])
  AC_DEFINE_UNQUOTED([BFD_CRC], [$wcm_cv_bfd_crc],
    [The type of a debug link's checksum in bfd.h.])])

dnl WCM_LINK_BFD(IF-LINKS, OTHERWISE): try the calls that load/ makes.
AC_DEFUN([WCM_LINK_BFD], [
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[
    #include <bfd.h>
  ]], [[
    bfd *b = bfd_openr("", NULL);
    return bfd_follow_build_id_debuglink(b, "") != NULL;
  ]])], [$1], [$2])])
