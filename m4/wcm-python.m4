dnl SPDX-License-Identifier: MIT
dnl WCM_FIND_PYTHON: where python3 is a script that looks for one, as pyenv's is, which takes
dnl longer than most tests' judges, set python_folder to "FOLDER:" of the one that it finds.
AC_DEFUN([WCM_FIND_PYTHON], [
  AC_PATH_PROG([PYTHON3], [python3])
  python_folder=
  AS_CASE([`test "x$PYTHON3" = x || head -c 2 "$PYTHON3"`], [*!],
    [python_folder=`$PYTHON3 -c 'import os, sys
print(os.path.dirname(sys.executable), end=":")'`])
  AC_SUBST([python_folder])])
