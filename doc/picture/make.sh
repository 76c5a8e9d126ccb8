#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh - the README's picture, of a real crash.
#
#	make.sh BUILD_DIRECTORY PICTURE.svg
#
# The program runs in a pseudo-terminal, so that there are colours.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
picture=$(cd "$(dirname "$2")" && pwd)/${2##*/}
work=/tmp/demo

mkdir "$work" # its name is in the picture
trap 'rm -rf "$work"' EXIT
cp "$here/demo.c" "$work"
cd "$work"
${CC:-cc} -g -O2 -I"$here/../../include" -o demo demo.c -L"$build/.libs" \
	-lwhocallme -Wl,-rpath,"$build/.libs"
{
	# shellcheck disable=SC2016 # a prompt
	printf '\033[32m$\033[0m cc -g -O2 -o demo demo.c -lwhocallme -lbfd && ./demo\n'
	WHOCALLME_HELPER=$build/tool/whocallme TERM=xterm \
		script -qec ./demo /dev/null </dev/null || :
} | python3 "$here/terminal_svg.py" A crash, with source lines >"$picture"
