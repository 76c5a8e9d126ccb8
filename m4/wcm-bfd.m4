dnl SPDX-License-Identifier: MIT
dnl WCM_MISSING(WHAT, DEBIAN, FEDORA, ARCH, ALPINE): stop, naming the package.
AC_DEFUN([WCM_MISSING], [AC_MSG_ERROR(m4_normalize([
  $1 is missing; install $2 (Debian, Ubuntu), $3 (Fedora), $4 (Arch) or $5
  (Alpine)]))])

dnl WCM_REQUIRE_BFD: set BFD_LIBS, what the shared library links, and
dnl BFD_STATIC_LIBS, what a static link needs besides; define BFD_CRC.
AC_DEFUN([WCM_REQUIRE_BFD], [
  AC_CHECK_HEADER([bfd.h], [],
    [WCM_MISSING([bfd.h], [binutils-dev], [binutils-devel], [binutils],
                 [binutils-dev])],
    [#define PACKAGE 1
#define PACKAGE_VERSION 1])
  # Debian keeps libiberty's headers in a folder of their own.
  AC_CHECK_HEADER([demangle.h], [], [
    AC_CHECK_HEADER([libiberty/demangle.h],
      [CPPFLAGS="$CPPFLAGS -I/usr/include/libiberty"],
      [WCM_MISSING([demangle.h (libiberty)], [libiberty-dev],
                   [binutils-devel], [binutils], [binutils-dev])])])

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
  # libbfd.a names none of the libraries it needs.
  AC_CACHE_CHECK([how to link BFD statically], [wcm_cv_bfd_static_libs], [
    wcm_cv_bfd_static_libs=no
    for wcm_libs in "-lbfd -liberty -lz" "-lbfd -liberty -lsframe -lz" \
      "-lbfd -liberty -lsframe -lzstd -lz" "-lbfd -liberty -lz -ldl" \
      "-lbfd -liberty -lsframe -lzstd -lz -ldl" \
      "-lbfd -liberty -lsframe -lzstd -lz -lintl"
    do
      LIBS="-Wl,-Bstatic $wcm_libs -Wl,-Bdynamic $wcm_save_LIBS"
      WCM_LINK_BFD([wcm_cv_bfd_static_libs=$wcm_libs; break])
    done])
  LIBS=$wcm_save_LIBS
  AC_SUBST([BFD_LIBS], [$wcm_cv_bfd_libs])
  AS_IF([test "$wcm_cv_bfd_static_libs" = no],
    [AC_SUBST([BFD_STATIC_LIBS], [$wcm_cv_bfd_libs])],
    [AC_SUBST([BFD_STATIC_LIBS], [$wcm_cv_bfd_static_libs])])
  WCM_BFD_CRC])

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
        #define PACKAGE 1
        #define PACKAGE_VERSION 1
        #include <stdint.h>
        #include <bfd.h>
        char *bfd_get_debug_link_info(bfd *, $wcm_type *);
      ]])], [wcm_cv_bfd_crc=$wcm_type; break])
    done])
  AS_IF([test "$wcm_cv_bfd_crc" = unknown],
    [AC_MSG_ERROR([bfd.h declares no bfd_get_debug_link_info() that is known])])
  AC_DEFINE_UNQUOTED([BFD_CRC], [$wcm_cv_bfd_crc],
    [The type of a debug link's checksum in bfd.h.])])

dnl WCM_LINK_BFD(IF-LINKS): try the calls that load/ makes.
AC_DEFUN([WCM_LINK_BFD], [
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[
    #define PACKAGE 1
    #define PACKAGE_VERSION 1
    #include <bfd.h>
    #include <demangle.h>
    static void take(const char *s, size_t n, void *p)
    { (void)s; (void)n; (void)p; }
  ]], [[
    bfd *b = bfd_openr("", NULL);
    bfd_follow_build_id_debuglink(b, "");
    cplus_demangle_v3_callback("", 0, take, NULL);
    rust_demangle_callback("", 0, take, NULL);
    return cplus_demangle("", 0) != NULL;
  ]])], [$1])])
