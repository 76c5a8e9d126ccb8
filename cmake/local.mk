# SPDX-License-Identifier: MIT
# What find_package(whocallme) of CMake reads.
cmakedir = $(libdir)/cmake/whocallme
EXTRA_DIST += CMakeLists.txt meson.build %reldir%/embed.sh
cmake_DATA = %reldir%/whocallme-config.cmake %reldir%/whocallme-config-version.cmake
