/* SPDX-License-Identifier: MIT */
/* system_include.h - what knows the names of system_calls.list: the headers of the system.
 *
 * The table that system_calls.awk makes is compiled with it.  What libc leaves out or
 * changes is taken from headers of the kernel's that have no place beside libc's.
 */
#ifndef WCM_VALUES_SYSTEM_INCLUDE_H
#define WCM_VALUES_SYSTEM_INCLUDE_H

#ifdef WCM_OF_KERNEL
#include <linux/fcntl.h>
#include <linux/signal.h>
#else

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <linux/close_range.h>
#include <linux/futex.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <linux/wait.h>
#if __has_include(<asm/prctl.h>)
#include <asm/prctl.h>
#endif

#include "trace/values/system_tables.h"

#define ROW(value) (uint64_t)(value)

/* Some CPUs have two names for a number. */
#pragma GCC diagnostic ignored "-Woverride-init"

#endif
#endif
