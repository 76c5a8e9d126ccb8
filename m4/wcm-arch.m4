dnl SPDX-License-Identifier: MIT
dnl WCM_ARCH_CHECK - the port, wcm_cv_arch, by what the compiler makes.
dnl
dnl The kernel's name for the CPU is not asked: a root of i386 may be on a kernel of x86-64, for which
dnl config.guess names a third, x32.  Then the host is what the compiler makes, for libtool and tests.
dnl x32, and others like it, have 4-byte pointers, which their CPU's port does not.
AC_DEFUN([WCM_ARCH_TRY],
[AC_COMPILE_IFELSE([AC_LANG_SOURCE([[#if !($2)
#error "not $1"
#endif
int made;]])], [wcm_cv_arch=$1])])

AC_DEFUN([WCM_ARCH_CHECK],
[AC_CACHE_CHECK([for the port to what the compiler makes], [wcm_cv_arch],
  [wcm_cv_arch=generic
   WCM_ARCH_TRY([x86_64], [defined __x86_64__ && defined __LP64__])
   WCM_ARCH_TRY([i386], [defined __i386__])
   WCM_ARCH_TRY([aarch64], [defined __aarch64__ && defined __LP64__])
   WCM_ARCH_TRY([riscv64], [defined __riscv && __riscv_xlen == 64])])
AS_CASE([$wcm_cv_arch:$host_cpu],
  [i386:x86_64], [host_cpu=i686
    host_os=linux-gnu
    host=$host_cpu-$host_vendor-$host_os])])

dnl WCM_ATOMIC_LIBS - where words of 64 bits are read and written at once by functions, as on CPUs
dnl of 32 bits whose port has none of its own, add their library to LIBS.
AC_DEFUN([WCM_ATOMIC_LIBS],
[AC_CACHE_CHECK([for the library of atomic words of 64 bits], [wcm_cv_atomic_libs],
  [wcm_cv_atomic_libs=missing
   wcm_save=$CFLAGS wcm_save_LIBS=$LIBS
   CFLAGS="$CFLAGS $WCM_SAFE_CFLAGS"
   for wcm_libs in "" -latomic; do
     LIBS="$wcm_libs $wcm_save_LIBS"
     AC_LINK_IFELSE([AC_LANG_PROGRAM([[static unsigned long long word, seen;]],
       [[__atomic_store_n(&word, __atomic_load_n(&word, 5) + 1, 5);
	 __atomic_fetch_or(&word, 4, 5);
	 return __atomic_compare_exchange_n(&word, &seen, 1, 0, 5, 5) ||
		__atomic_exchange_n(&word, 2, 5) == __atomic_fetch_add(&word, 3, 5);]])],
       [wcm_cv_atomic_libs=${wcm_libs:-none needed}])
     test "$wcm_cv_atomic_libs" = missing || break
   done
   CFLAGS=$wcm_save LIBS=$wcm_save_LIBS])
AS_CASE([$wcm_cv_atomic_libs],
  [missing], [AC_MSG_ERROR([words of 64 bits are not atomic here, and libatomic is not there])],
  [-*], [LIBS="$wcm_cv_atomic_libs $LIBS"])])
