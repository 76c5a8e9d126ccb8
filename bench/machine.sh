#!/bin/sh
# SPDX-License-Identifier: MIT
# machine.sh - the machine that was measured, in one line.
model=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | sed 1q)
printf '%s, %s CPUs, %s, Linux %s, %s\n' \
	"${model:-$(uname -m)}" "$(getconf _NPROCESSORS_ONLN)" \
	"$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)" \
	"$(uname -r)" "$(${CC:-cc} --version | sed 1q)"
