/* SPDX-License-Identifier: MIT */
/* test_system_words.c - system calls as words: their form, and what no memory can do to it.
 *
 * Whether the words are right strace tells: see test/scenario/system_words.bats.
 */
#include "trace/system/system_words.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/os/kernel_action.h"
#include "support/check.h"

enum { ROOM = 4096, NOWHERE = 8 };

static char room[ROOM + 1];
static struct wcm_words words;

static struct wcm_system_call made(long number, const long *argument)
{
	struct wcm_system_call call = { .number = number };

	memcpy(call.argument, argument, sizeof(call.argument));
	return call;
}

#define MADE(number, ...) made(number, (const long[7]){ __VA_ARGS__ })

static const char *whole(struct wcm_system_call call, long result, bool with_data)
{
	wcm__words_init(&words, room, ROOM);
	words.hides_data = !with_data;
	wcm__system_words_given(&words, &call);
	call.result = result;
	wcm__system_words_back(&words, &call);
	*words.at = '\0';
	return room;
}

#define CHECK_WORDS(text, result, ...) CHECK_STR(whole(MADE(__VA_ARGS__), result, true), text)

TEST(names_are_the_kernels)
{
	CHECK_STR(wcm__system_name(SYS_read), "read");
	CHECK_STR(wcm__system_name(SYS_openat), "openat");
	CHECK_STR(wcm__system_name(SYS_exit_group), "exit_group");
	CHECK(wcm__system_name(-1) == NULL);
	CHECK(wcm__system_name(WCM_SYSTEM_CALLS) == NULL);
	CHECK(wcm__system_name(WCM_SYSTEM_CALLS - 1) == NULL);
	CHECK(wcm__system_name(LONG_MAX) == NULL);
	CHECK(wcm__system_name(LONG_MIN) == NULL);
}

TEST(the_articles_lines)
{
	char elf[131072] = "\177ELF\2\1\1\11";

	memcpy(elf + 16, "\2\0>\0\1", 6);
	CHECK_WORDS("(AT_FDCWD, \"o/foo\", O_WRONLY|O_CREAT|O_TRUNC, 0644) → 3", 3, SYS_openat,
		    AT_FDCWD, (long)"o/foo", O_WRONLY | O_CREAT | O_TRUNC, 0644);
	CHECK_WORDS("(3, u\"⌂ELF☻☺☺○        "
		    "☻ > ☺           \"..., 131'072) → 131'072",
		    131072, SYS_write, 3, (long)elf, sizeof(elf));
	CHECK_WORDS("(3) → 0", 0, SYS_fsync, 3);
	CHECK_WORDS("(3) → 0", 0, SYS_close, 3);
}

/* The arguments of mmap() are words on a CPU of 64 bits alone. */
TEST(memory_is_mapped)
{
#if defined(SYS_mmap) && UINTPTR_MAX > UINT32_MAX
	CHECK_WORDS("(0x700000000000, 131'072, PROT_READ|PROT_WRITE, MAP_STACK|MAP_ANONYMOUS, -1, "
		    "0) → 0x700000000000",
		    0x700000000000, SYS_mmap, 0x700000000000, 131072, PROT_READ | PROT_WRITE,
		    MAP_STACK | MAP_ANONYMOUS, -1, 0);
	CHECK_WORDS("(NULL, 4'096, PROT_NONE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) → -1 ENOMEM",
		    -ENOMEM, SYS_mmap, 0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#endif
	CHECK_WORDS("(0x7000, 8'192) → 0", 0, SYS_munmap, 0x7000, 8192);
}

TEST(an_error_has_its_name)
{
	CHECK_WORDS("(AT_FDCWD, \"a\\nb\", O_RDONLY|O_CLOEXEC) → -1 ENOENT", -ENOENT, SYS_openat,
		    AT_FDCWD, (long)"a\nb", O_RDONLY | O_CLOEXEC, 0777);
	CHECK_WORDS("(-1) → -1 EBADF", -EBADF, SYS_close, -1);
	CHECK_WORDS("(1, NULL, 1'000) → -1 EAGAIN", -EAGAIN, SYS_write, 1, 0, 1000);
}

TEST(bits_without_a_name_are_hexadecimal)
{
	CHECK_WORDS("(3, 4, 0x6000) → 0", 0, SYS_dup3, 3, 4, 0x6000);
	CHECK_WORDS("(0x7000, 4'096, PROT_READ|0x800) → -1 EINVAL", -EINVAL, SYS_mprotect, 0x7000,
		    4096, PROT_READ | 0x800);
	CHECK_WORDS("(3, 0, 0x1234) → -1 EINVAL", -EINVAL, SYS_lseek, 3, 0, 0x1234);
}

TEST(what_the_kernel_gives_is_told_later)
{
	char data[8] = "abc\n";
	struct wcm_system_call call = MADE(SYS_read, 5, (long)data, 8);

	wcm__words_init(&words, room, ROOM);
	wcm__system_words_given(&words, &call);
	*words.at = '\0';
	CHECK_STR(room, "(5");
	CHECK_EQ(call.told, 1);
	memcpy(data, "xyz\n", 4);
	call.result = 4;
	wcm__system_words_back(&words, &call);
	*words.at = '\0';
	CHECK_STR(room, "(5, \"xyz\\n\", 8) → 4");
	/* What has failed has put nothing there. */
	CHECK(strncmp(whole(call, -EINTR, true), "(5, 0x", 6) == 0);
}

TEST(a_call_may_never_come_back)
{
	struct wcm_system_call call = MADE(SYS_exit_group, 3);

	wcm__words_init(&words, room, ROOM);
	wcm__system_words_given(&words, &call);
	call.result = WCM_SYSTEM_NEVER;
	wcm__system_words_back(&words, &call);
	*words.at = '\0';
	CHECK_STR(room, "(3)");
	call = MADE(SYS_read, 5, NOWHERE, 8);
	wcm__words_init(&words, room, ROOM);
	wcm__system_words_given(&words, &call);
	call.result = WCM_SYSTEM_NEVER;
	wcm__system_words_back(&words, &call);
	*words.at = '\0';
	CHECK_STR(room, "(5, 0x8, 8)");
}

TEST(without_data_there_are_addresses)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "secret" };
	struct iovec parts[] = { { (void *)"secret", 6 }, { NULL, 0 } };
	const char *const argv[] = { "secret", NULL };
	char expected[256];

	snprintf(expected, sizeof(expected), "(1, %#lx, 6) → 6", (unsigned long)"secret");
	CHECK_STR(whole(MADE(SYS_write, 1, (long)"secret", 6), 6, false), expected);
	CHECK(!strstr(whole(MADE(SYS_writev, 1, (long)parts, 2), 6, false), "secret"));
	CHECK(strstr(room, ", iov_len=6}, {iov_base=NULL, iov_len=0}], 2) → 6") != NULL);
	CHECK(!strstr(whole(MADE(SYS_connect, 3, (long)&name, sizeof(name)), 0, false), "secret"));
	CHECK(strstr(room, "(3, {sa_family=AF_UNIX, sun_path=0x") != NULL);
	CHECK(!strstr(whole(MADE(SYS_execve, (long)"secret", (long)argv, 0), 0, false), "secret"));
	CHECK(!strstr(whole(MADE(SYS_openat, AT_FDCWD, (long)"secret", 0), 0, false), "secret"));
	CHECK(words.hides_data); /* as it was */
}

static void handler(int signal)
{
	(void)signal;
}

TEST(signals_and_sets)
{
	uint64_t set = UINT64_C(1) << (SIGINT - 1) | UINT64_C(1) << (SIGTERM - 1) |
		       UINT64_C(1) << 33;
	struct wcm_kernel_action action = { .handler = (uintptr_t)handler, .flags = SA_RESTART };
	char expected[128];

	CHECK_WORDS("(SIG_BLOCK, [INT TERM RT_2], NULL, 8) → 0", 0, SYS_rt_sigprocmask, SIG_BLOCK,
		    (long)&set, 0, 8);
	set = ~(UINT64_C(1) << (SIGKILL - 1));
	CHECK_WORDS("(SIG_SETMASK, ~[KILL], NULL, 8) → 0", 0, SYS_rt_sigprocmask, SIG_SETMASK,
		    (long)&set, 0, 8);
	CHECK_WORDS("(12, SIGUSR1) → 0", 0, SYS_kill, 12, SIGUSR1);
	CHECK_WORDS("(12, SIGRTMIN) → 0", 0, SYS_kill, 12, 32);
	CHECK_WORDS("(12, 0) → 0", 0, SYS_kill, 12, 0);
	CHECK_WORDS("(12, 65) → -1 EINVAL", -EINVAL, SYS_kill, 12, 65);
	snprintf(expected, sizeof(expected), "(SIGINT, {sa_handler=%#lx, sa_mask=[], sa_flags=",
		 (unsigned long)handler);
	whole(MADE(SYS_rt_sigaction, SIGINT, (long)&action, 0, 8), 0, true);
	CHECK(strncmp(room, expected, strlen(expected)) == 0 ||
	      strncmp(room, "(SIGINT, {sa_handler=&handler, ", 31) == 0);
	CHECK(strstr(room, "sa_flags=SA_RESTART}, NULL, 8) → 0") != NULL);
	for (int signal = 1; signal < 32; signal++) {
		whole(MADE(SYS_kill, 1, signal), 0, true);
		CHECK(strncmp(room, "(1, SIG", 7) == 0);
	}
}

TEST(calls_with_fewer_arguments)
{
	CHECK_WORDS("(3, F_GETFD) → 0x1 (FD_CLOEXEC)", 1, SYS_fcntl, 3, F_GETFD, NOWHERE);
	CHECK_WORDS("(3, F_GETFL) → 0x401 (O_WRONLY|O_APPEND)", O_WRONLY | O_APPEND, SYS_fcntl, 3,
		    F_GETFL, NOWHERE);
	CHECK_WORDS("(3, F_SETFD, FD_CLOEXEC) → 0", 0, SYS_fcntl, 3, F_SETFD, FD_CLOEXEC);
	CHECK_WORDS("(0x7000, FUTEX_WAKE_PRIVATE, 1) → 1", 1, SYS_futex, 0x7000,
		    FUTEX_WAKE_PRIVATE, 1, NOWHERE, NOWHERE, NOWHERE);
	CHECK_WORDS("() → 1234567", 1234567, SYS_getpid, 1, 2, 3);
}

TEST(a_number_without_a_name_has_six_words)
{
	CHECK_WORDS("(0x1, 0, 0xffff, 0x4, 0x5, 0x6) → -1 ENOSYS", -ENOSYS,
		    WCM_SYSTEM_CALLS - 1, 1, 0, 0xffff, 4, 5, 6);
	CHECK_WORDS("(0x1, 0, 0xffff, 0x4, 0x5, 0x6) → -1 ENOSYS", -ENOSYS, LONG_MIN, 1, 0,
		    0xffff, 4, 5, 6);
	CHECK_WORDS("() → -1 0xfff", -4095, SYS_getpid);
}

/* Behind the last byte of a page that nothing is behind. */
static char *places_end(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	static char *memory;

	if (!memory) {
		memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_ptr_not_equal(memory, MAP_FAILED);
		munmap(memory + page, page);
	}
	return memory + page;
}

/* SIZE bytes of ADDRESS, in front of memory that is not there. */
static const char *of_address(const void *address, long size)
{
	char *at = places_end() - size;

	memcpy(at, address, (size_t)size);
	whole(MADE(SYS_connect, 3, (long)at, size), 0, true);
	if (strncmp(room, "(3, 0x", 6) == 0)
		return "(3, ADDRESS";
	return room;
}

#define CHECK_ADDRESS(text, address, size)                                             \
	do {                                                                           \
		const char *const put_ = of_address(address, size);                    \
		if (strncmp(put_, "(3, " text, sizeof("(3, " text) - 1) != 0)          \
			CHECK_STR(put_, "(3, " text);                                  \
	} while (0)

TEST(addresses_of_each_size)
{
	struct sockaddr_in inet = { .sin_family = AF_INET, .sin_port = htons(443),
				    .sin_addr = { htonl(0x7f0000ff) } };
	struct sockaddr_in6 inet6 = { .sin6_family = AF_INET6, .sin6_port = htons(0xffff),
				      .sin6_scope_id = UINT32_MAX };
	struct sockaddr_nl netlink = { .nl_family = AF_NETLINK, .nl_pid = UINT32_MAX };
	const struct sockaddr_un local = { .sun_family = AF_UNIX, .sun_path = "a" };
	sa_family_t other = AF_PACKET;

	CHECK_ADDRESS("ADDRESS", &other, 0);
	CHECK_ADDRESS("ADDRESS", &other, 1);
	CHECK_ADDRESS("{sa_family=AF_PACKET}, 2)", &other, 2);
	CHECK_ADDRESS("{sa_family=AF_UNIX}, 2)", &local, 2);
	CHECK_ADDRESS("{sa_family=AF_UNIX, sun_path=\"a\"}, 3)", &local, 3);
	CHECK_ADDRESS("{sa_family=AF_UNIX, sun_path=\"a\"}, 110)", &local, 110);
	CHECK_ADDRESS("{sa_family=AF_INET}, 2)", &inet, 2);
	CHECK_ADDRESS("{sa_family=AF_INET, sa_data=", &inet, 15);
	CHECK_ADDRESS("{sa_family=AF_INET, sin_port=htons(443), "
		      "sin_addr=inet_addr(\"127.0.0.255\")}, 16)", &inet, 16);
	CHECK_ADDRESS("{sa_family=AF_INET6, sa_data=", &inet6, 27);
	CHECK_ADDRESS("{sa_family=AF_INET6, sin6_port=htons(65535), sin6_flowinfo=htonl(0), "
		      "inet_pton(AF_INET6, \"::\", &sin6_addr), sin6_scope_id=4294967295}, 28)",
		      &inet6, 28);
	CHECK_ADDRESS("{sa_family=AF_NETLINK, sa_data=", &netlink, 11);
	CHECK_ADDRESS("{sa_family=AF_NETLINK, nl_pid=4294967295, nl_groups=0}, 12)", &netlink, 12);
}

/* A struct that an argument points to, and what is said of it. */
struct bound {
	long number, argument[WCM_SYSTEM_ARGUMENTS];
	unsigned at;      /* which argument points there */
	const void *bytes;
	long size, result;
	const char *text;
	bool is_given;    /* those of a call that has failed, too */
};

#define GIVEN true
#define BACK false
static const long before[2] = { -1, -2 }, minus[4] = { -1, -2, LONG_MIN, LONG_MAX };

#define BOUND(name, at_, bytes_, result_, shown, text_, ...)                                  \
	{ .number = SYS_##name, .argument = { __VA_ARGS__ }, .at = at_, .bytes = &(bytes_),   \
	  .size = sizeof(bytes_), .result = result_, .is_given = shown, .text = text_ }

static const struct stat a_file = { .st_mode = S_IFREG | S_ISUID | 0644, .st_size = 1234567 };
static const struct stat a_device = { .st_mode = S_IFCHR | 0600, .st_rdev = 0x501 };
static const struct winsize a_window = { 65535, 80, 0, 1 };
static const uint32_t a_terminal[4] = { UINT32_MAX, 0, 0x80000000, 1 };
static const struct flock a_lock = { .l_type = F_WRLCK, .l_whence = SEEK_END, .l_start = -5,
				     .l_len = -7, .l_pid = 12 };
static const int32_t two_ids[2] = { 3, -1 };
static const uint32_t no_id = UINT32_MAX;
static const int32_t least = INT32_MIN;
static const long file_times[4] = { 5, UTIME_NOW, -6, UTIME_OMIT };
static const long usual_times[4] = { 5, 6, 7, UTIME_OMIT - 1 };
static const uint64_t a_set = UINT64_C(1) << 63;
static const stack_t a_stack = { .ss_sp = (void *)16, .ss_flags = SS_DISABLE, .ss_size = 8192 };
static const unsigned long limits[2] = { 0, (unsigned long)-1 };
static const uint64_t wide_limits[2] = { UINT32_MAX - 1, UINT64_MAX };
static const struct utsname a_name = { .sysname = "L\"x", .nodename = "host" };
static const struct sysinfo an_info = { .uptime = -1, .totalram = 1000, .procs = 65535,
					.mem_unit = 1 };
static const siginfo_t a_child = { .si_signo = SIGCHLD, .si_code = CLD_EXITED };
static const siginfo_t a_fault = { .si_signo = SIGSEGV, .si_code = SEGV_MAPERR };
static const siginfo_t a_sender = { .si_signo = SIGCHLD, .si_code = SI_TKILL };
static const struct sigevent an_event = { .sigev_signo = SIGUSR1, .sigev_notify = SIGEV_NONE };
static const struct sigevent a_valued_event = { .sigev_value.sival_int = -1,
						.sigev_signo = 0, .sigev_notify = SIGEV_SIGNAL };
/* sigev_notify_thread_id, which some libcs have no name for, is behind sigev_notify. */
static const int32_t a_thread_event[16] = { [2] = SIGUSR1, [3] = SIGEV_THREAD_ID, [4] = 7, 8 };
static const siginfo_t a_killed_child = { .si_signo = SIGCHLD, .si_code = CLD_KILLED,
					  .si_status = SIGKILL };
static const uint64_t a_statx[6] = { 0x200, 0, 0, UINT64_C(0100644) << 32, 0,
				     UINT64_C(1) << 32 };
static const struct cmsghdr a_control = { .cmsg_len = sizeof(struct cmsghdr),
					  .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
static const struct msghdr a_control_message = { .msg_control = (void *)(uintptr_t)&a_control,
						 .msg_controllen = sizeof(struct cmsghdr) };
static const struct epoll_event an_epoll = { EPOLLIN, { .u64 = UINT64_MAX } };
static const struct pollfd a_poll = { -2, POLLIN, POLLIN };
static const struct msghdr a_message = { .msg_flags = MSG_CTRUNC };
static const struct mmsghdr a_counted = { .msg_len = 4000000000u };
#ifdef SYS_openat2
static const uint64_t how[3] = { O_RDWR | UINT64_C(1) << 63, 0600, 8 };
static const uint64_t how_without[3] = { O_RDONLY };
#endif
#ifdef SYS_clone3
static const uint64_t a_thread[8] = { CLONE_VM | CLONE_SETTLS, 1, 2, 3, 0, 4096, 8192, 16 };
static const uint64_t a_child_of[8] = { CLONE_PIDFD | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID,
					1, 2, 3, SIGCHLD, 0, 0, 16 };
#endif
#ifdef SYS_io_uring_setup
static const uint32_t a_ring[30] = { 8, 16, 0x20, 1, UINT32_MAX, 1, (uint32_t)-2, 0, 0, 0,
				     10, 11, 12, 13, 14, 15, 16, 0, 0, 0,
				     20, 21, 22, 23, 24, 25, 26, 0, 0, 0 };
#endif

/* CPUs of 64 bits alone have these: their system calls take the structs of libc. */
static const struct bound wide_bounds[] = {
	BOUND(fstat, 1, a_file, 0, BACK,
	      "(3, {st_mode=S_IFREG|S_ISUID|0644, st_size=1'234'567, ...}) → 0", 3),
	BOUND(fstat, 1, a_device, 0, BACK,
	      "(3, {st_mode=S_IFCHR|0600, st_rdev=makedev(0x5, 0x1), ...}) → 0", 3),
	BOUND(timer_create, 1, an_event, 0, GIVEN,
	      "(CLOCK_REALTIME, {sigev_signo=SIGUSR1, sigev_notify=SIGEV_NONE}, NULL) → 0", 0),
	BOUND(timer_create, 1, a_valued_event, 0, GIVEN,
	      "(CLOCK_REALTIME, {sigev_value={sival_int=4'294'967'295, sival_ptr=0xffffffff}, "
	      "sigev_signo=0, sigev_notify=SIGEV_SIGNAL}, NULL) → 0", 0),
	BOUND(timer_create, 1, a_thread_event, 0, GIVEN,
	      "(CLOCK_REALTIME, {sigev_signo=SIGUSR1, sigev_notify=SIGEV_THREAD_ID, "
	      "sigev_notify_thread_id=7}, NULL) → 0", 0),
	BOUND(rt_sigqueueinfo, 2, a_killed_child, 0, GIVEN,
	      "(7, 0, {si_signo=SIGCHLD, si_code=CLD_KILLED, si_pid=0, si_uid=0, "
	      "si_status=SIGKILL, ...}) → 0", 7),
	BOUND(sendmsg, 1, a_control_message, 0, GIVEN,
	      "(3, {msg_name=NULL, msg_namelen=0, msg_iov=NULL, msg_iovlen=0, "
	      "msg_control=[{cmsg_len=16, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, ...}], "
	      "msg_controllen=16, msg_flags=0}, 0) → 0", 3),
	BOUND(nanosleep, 0, before, 0, GIVEN, "({tv_sec=-1, tv_nsec=-2}, NULL) → 0", 0),
	BOUND(setitimer, 1, minus, 0, GIVEN,
	      "(ITIMER_REAL, {it_interval={tv_sec=-1, tv_usec=-2}, "
	      "it_value={tv_sec=-9'223'372'036'854'775'808, tv_usec=9'223'372'036'854'775'807}}, "
	      "NULL) → 0", 0),
	BOUND(timerfd_settime, 2, usual_times, 0, GIVEN,
	      "(3, 0, {it_interval={tv_sec=5, tv_nsec=6}, it_value={tv_sec=7, "
	      "tv_nsec=1'073'741'821}}, NULL) → 0", 3),
	BOUND(utimensat, 2, file_times, 0, GIVEN,
	      "(3, \"f\", [UTIME_NOW, UTIME_OMIT], 0) → 0", 3, (long)"f"),
	BOUND(utimensat, 2, usual_times, 0, GIVEN,
	      "(3, \"f\", [{tv_sec=5, tv_nsec=6}, {tv_sec=7, tv_nsec=1'073'741'821}], 0) → 0", 3,
	      (long)"f"),
	BOUND(fcntl, 2, a_lock, 0, GIVEN,
	      "(3, F_SETLK, {l_type=F_WRLCK, l_whence=SEEK_END, l_start=-5, l_len=-7}) → 0", 3,
	      F_SETLK),
	BOUND(getrlimit, 1, limits, 0, BACK,
	      "(RLIMIT_NOFILE, {rlim_cur=0, rlim_max=RLIM_INFINITY}) → 0", RLIMIT_NOFILE),
	BOUND(sysinfo, 0, an_info, 0, BACK,
	      "({uptime=-1, totalram=1'000, freeram=0, procs=65'535, mem_unit=1, ...}) → 0", 0),
	BOUND(rt_sigqueueinfo, 2, a_sender, 0, GIVEN,
	      "(7, 0, {si_signo=SIGCHLD, si_code=SI_TKILL, si_pid=0, si_uid=0, ...}) → 0", 7),
	BOUND(rt_sigqueueinfo, 2, a_fault, 0, GIVEN,
	      "(7, 0, {si_signo=SIGSEGV, si_code=0x1, si_addr=NULL, ...}) → 0", 7),
	BOUND(rt_sigqueueinfo, 2, a_child, 0, GIVEN,
	      "(7, 0, {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=0, si_uid=0, si_status=0, "
	      "...}) → 0", 7),
	BOUND(fcntl, 2, a_lock, 0, GIVEN,
	      "(3, F_GETLK, {l_type=F_WRLCK, l_whence=SEEK_END, l_start=-5, l_len=-7, l_pid=12}) "
	      "→ 0", 3, F_GETLK),
};

static const struct bound bounds[] = {
	BOUND(ioctl, 2, a_window, 0, BACK,
	      "(0, TIOCGWINSZ, {ws_row=65'535, ws_col=80, ws_xpixel=0, ws_ypixel=1}) → 0", 0,
	      TIOCGWINSZ),
	BOUND(ioctl, 2, a_terminal, 0, GIVEN,
	      "(0, TCSETS, {c_iflag=0xffffffff, c_oflag=0, c_cflag=0x80000000, c_lflag=0x1, ...}) "
	      "→ 0", 0, TCSETS),
	BOUND(ioctl, 2, least, 0, BACK, "(0, FIONREAD, [-2147483648]) → 0", 0, FIONREAD),
	BOUND(pipe2, 0, two_ids, 0, BACK, "([3, -1], 0) → 0", 0),
	BOUND(getresuid, 1, no_id, 0, BACK, "(NULL, [-1], NULL) → 0", 0),
	BOUND(getcpu, 0, least, 0, BACK, "([-2'147'483'648], NULL, NULL) → 0", 0),
	BOUND(sched_setparam, 1, least, 0, GIVEN, "(7, [-2'147'483'648]) → 0", 7),
	BOUND(rt_sigprocmask, 1, a_set, 0, GIVEN, "(SIG_BLOCK, [RT_32], NULL, 8) → 0", SIG_BLOCK,
	      0, 0, 8),
	BOUND(sigaltstack, 0, a_stack, 0, GIVEN,
	      "({ss_sp=0x10, ss_flags=SS_DISABLE, ss_size=8'192}, NULL) → 0", 0),
	BOUND(prlimit64, 2, wide_limits, 0, GIVEN,
	      "(0, RLIMIT_NOFILE, {rlim_cur=4'294'967'294, rlim_max=RLIM_INFINITY}, NULL) → 0", 0,
	      RLIMIT_NOFILE),
	BOUND(uname, 0, a_name, 0, BACK,
	      "({sysname=\"L\\\"x\", nodename=\"host\", ...}) → 0", 0),
	BOUND(epoll_ctl, 3, an_epoll, 0, GIVEN,
	      "(3, EPOLL_CTL_ADD, 4, {events=EPOLLIN, data=0xffffffffffffffff}) → 0", 3,
	      EPOLL_CTL_ADD, 4),
	BOUND(epoll_pwait, 1, an_epoll, 1, BACK,
	      "(3, [{events=EPOLLIN, data=0xffffffffffffffff}], 1, 0, NULL, 8) → 1", 3, 0, 1, 0,
	      0, 8),
	BOUND(ppoll, 0, a_poll, 0, GIVEN, "([{fd=-2}], 1, NULL, NULL, 8) → 0", 0, 1, 0, 0, 8),
	BOUND(sendmsg, 1, a_message, 0, GIVEN,
	      "(3, {msg_name=NULL, msg_namelen=0, msg_iov=NULL, msg_iovlen=0, msg_controllen=0, "
	      "msg_flags=MSG_CTRUNC}, 0) → 0", 3),
	BOUND(recvmmsg, 1, a_counted, 1, BACK,
	      "(3, [{msg_hdr={msg_name=NULL, msg_namelen=0, msg_iov=NULL, msg_iovlen=0, "
	      "msg_controllen=0, msg_flags=0}, msg_len=4'000'000'000}], 1, 0, NULL) → 1", 3, 0,
	      1),
	BOUND(statx, 4, a_statx, 0, BACK,
	      "(3, \"f\", AT_STATX_SYNC_AS_STAT, STATX_SIZE, {stx_mask=STATX_SIZE, "
	      "stx_mode=S_IFREG|0644, stx_size=4'294'967'296, ...}) → 0", 3, (long)"f", 0, 0x200),
	BOUND(getgroups, 1, no_id, 1, BACK, "(1, [4294967295]) → 1", 1),
#ifdef SYS_openat2
	BOUND(openat2, 2, how, 3, GIVEN,
	      "(3, \"f\", {flags=O_RDWR|0x8000000000000000, mode=0600, resolve=0x8}, 24) → 3", 3,
	      (long)"f", 0, 24),
	BOUND(openat2, 2, how_without, 3, GIVEN,
	      "(3, \"f\", {flags=O_RDONLY, resolve=0}, 24) → 3", 3, (long)"f", 0, 24),
#endif
#ifdef SYS_clone3
	BOUND(clone3, 0, a_thread, 9, GIVEN,
	      "({flags=CLONE_VM|CLONE_SETTLS, exit_signal=0, stack=0x1000, stack_size=0x2000, "
	      "tls=0x10}, 88) → 9", 0, 88),
	BOUND(clone3, 0, a_child_of, 9, GIVEN,
	      "({flags=CLONE_PIDFD|CLONE_PARENT_SETTID|CLONE_CHILD_SETTID, pidfd=0x1, "
	      "child_tid=0x2, parent_tid=0x3, exit_signal=SIGCHLD, stack=NULL, stack_size=0}, 88) "
	      "→ 9", 0, 88),
#endif
#ifdef SYS_io_uring_setup
	BOUND(io_uring_setup, 1, a_ring, 3, GIVEN,
	      "(8, {flags=IORING_SETUP_ATTACH_WQ, sq_thread_cpu=1, sq_thread_idle=4'294'967'295, "
	      "wq_fd=-2, sq_entries=8, cq_entries=16, features=IORING_FEAT_SINGLE_MMAP, "
	      "sq_off={head=10, tail=11, ring_mask=12, ring_entries=13, flags=14, dropped=15, "
	      "array=16}, cq_off={head=20, tail=21, ring_mask=22, ring_entries=23, overflow=24, "
	      "cqes=25, flags=26}}) → 3", 8),
#endif
};

static const char *of_bound(const struct bound *bound, const char *address, long result)
{
	struct wcm_system_call call = made(bound->number, bound->argument);

	call.argument[bound->at] = (long)address;
	return whole(call, result, true);
}

/* Whether the argument of BOUND is said to be no more than ADDRESS. */
static bool is_address(const struct bound *bound, const char *address, long result)
{
	char text[32];

	snprintf(text, sizeof(text), address ? "%#lx" : "NULL", (unsigned long)address);
	return strstr(of_bound(bound, address, result), text) != NULL;
}

/* All of a struct is there, the last byte is not, there is more, and it was not filled. */
static void check_bound(const struct bound *bound)
{
	char *const exact = places_end() - bound->size;

	memcpy(exact, bound->bytes, (size_t)bound->size);
	CHECK_STR(of_bound(bound, exact, bound->result), bound->text);
	CHECK(is_address(bound, exact, -EFAULT) == !bound->is_given);
	CHECK(is_address(bound, exact + 1, bound->result));
	CHECK(is_address(bound, NULL, bound->result));
	memcpy(exact - 1, bound->bytes, (size_t)bound->size);
	CHECK_STR(of_bound(bound, exact - 1, bound->result), bound->text);
}

TEST(structs_of_each_size)
{
	for (size_t i = 0; i < sizeof(bounds) / sizeof(*bounds); i++)
		check_bound(&bounds[i]);
	for (size_t i = 0; i < sizeof(wide_bounds) / sizeof(*wide_bounds) && sizeof(long) == 8; i++)
		check_bound(&wide_bounds[i]);
}

/* Nothing is there: no room was given, no child was found, no signal came, no list can be read. */
TEST(what_is_not_filled_is_an_address)
{
	static const struct timespec left = { 5, 6 };
	const int status = 0x100;
	const gid_t group = 7;
	char text[128];

	snprintf(text, sizeof(text), "(0, %#lx) → 5", (long)&group);
	CHECK_WORDS(text, 5, SYS_getgroups, 0, (long)&group);
	snprintf(text, sizeof(text), "(-1, %#lx, WNOHANG, NULL) → 0", (long)&status);
	CHECK_WORDS(text, 0, SYS_wait4, -1, (long)&status, WNOHANG, 0);
	CHECK_WORDS("(-1, [{WIFEXITED(s) && WEXITSTATUS(s) == 1}], 0, NULL) → 7", 7, SYS_wait4,
		    -1, (long)&status, 0, 0);
	if (sizeof(long) == 8) {
		snprintf(text, sizeof(text), "({tv_sec=5, tv_nsec=6}, %#lx) → 0", (long)&left);
		CHECK_WORDS(text, 0, SYS_nanosleep, (long)&left, (long)&left);
		CHECK_WORDS("({tv_sec=5, tv_nsec=6}, {tv_sec=5, tv_nsec=6}) → -1 EINTR", -EINTR,
			    SYS_nanosleep, (long)&left, (long)&left);
	}
	CHECK_WORDS("(\"f\", 0x8, NULL) → -1 EFAULT", -EFAULT, SYS_execve, (long)"f", NOWHERE, 0);
}

/* The kernel takes 32 bits of a command, a level and an option. */
TEST(what_is_above_a_command_is_no_part_of_it)
{
	const uint64_t rubbish = UINT64_C(0xabcd1234) << 32;

	if (sizeof(long) < 8)
		SKIP("there are no words of 64 bits");
	CHECK_WORDS("(3, F_DUPFD, 4) → 4", 4, SYS_fcntl, 3, (long)(rubbish | F_DUPFD),
		    (long)(rubbish | 4));
	CHECK_WORDS("(3, F_GETFD) → 0", 0, SYS_fcntl, 3, (long)(rubbish | F_GETFD), NOWHERE);
	CHECK_WORDS("(3, SOL_SOCKET, SO_REUSEADDR, NULL, 0) → 0", 0, SYS_setsockopt, 3,
		    (long)(rubbish | SOL_SOCKET), (long)(rubbish | SO_REUSEADDR));
}

/* What is longer than any that has a form; and a path without an end, which is as long as it may
 * be. */
TEST(addresses_longer_than_their_structs)
{
	char bytes[200], expected[256];
	struct sockaddr_un *local = (struct sockaddr_un *)(void *)bytes;

	memset(bytes, 'p', sizeof(bytes));
	local->sun_family = AF_UNIX;
	snprintf(expected, sizeof(expected), "(3, {sa_family=AF_UNIX, sun_path=\"%.108s\"}, ",
		 local->sun_path);
	for (long size = 110; size < 200; size += 89) {
		of_address(bytes, size);
		CHECK(strncmp(room, expected, strlen(expected)) == 0);
	}
	local->sun_path[0] = '\0';
	expected[strlen("(3, {sa_family=AF_UNIX, sun_path=")] = '@';
	memcpy(expected + strlen("(3, {sa_family=AF_UNIX, sun_path=@"), "\"", 1);
	of_address(bytes, 110);
	CHECK(strncmp(room, expected, 140) == 0);
	local->sun_family = AF_PACKET;
	CHECK_ADDRESS("{sa_family=AF_PACKET, sa_data=u\"", bytes, 110);
	memset(bytes + 2, 'd', sizeof(bytes) - 2);
	CHECK_ADDRESS("{sa_family=AF_PACKET, sa_data=\"dddddddddddddddddddddddddddddddd\"}, 34)",
		      bytes, 34);
	CHECK_ADDRESS("{sa_family=AF_PACKET, sa_data=\"dddddddddddddddddddddddddddddddd\"...}, 35)",
		      bytes, 35);
}

static const char *of_inet6(const uint16_t part[8])
{
	struct sockaddr_in6 address = { .sin6_family = AF_INET6 };
	static char text[128];

	for (unsigned i = 0; i < 8; i++)
		address.sin6_addr.s6_addr16[i] = htons(part[i]);
	of_address(&address, sizeof(address));
	text[0] = '\0';
	sscanf(room, "(3, {sa_family=AF_INET6, sin6_port=htons(0), sin6_flowinfo=htonl(0), "
	       "inet_pton(AF_INET6, \"%100[^\"]", text);
	return text;
}

#define CHECK_INET6(text, ...) CHECK_STR(of_inet6((const uint16_t[8]){ __VA_ARGS__ }), text)

/* As inet_ntop(3) has them; the addresses of RFC 5952. */
TEST(the_longest_zeros_are_left_out)
{
	CHECK_INET6("::1", 0, 0, 0, 0, 0, 0, 0, 1);
	CHECK_INET6("1::", 1);
	CHECK_INET6("2001:db8::1", 0x2001, 0xdb8, 0, 0, 0, 0, 0, 1);
	CHECK_INET6("2001:0:0:1::1", 0x2001, 0, 0, 1, 0, 0, 0, 1);
	CHECK_INET6("2001:db8::1:0:0:1", 0x2001, 0xdb8, 0, 0, 1, 0, 0, 1);
	CHECK_INET6("2001:db8:0:1:1:1:1:1", 0x2001, 0xdb8, 0, 1, 1, 1, 1, 1);
	CHECK_INET6("1:2:3:4:5:6::", 1, 2, 3, 4, 5, 6, 0, 0);
	CHECK_INET6("1:2:3:4:5:6:7:0", 1, 2, 3, 4, 5, 6, 7, 0);
	CHECK_INET6("::ffff:1.2.255.0", 0, 0, 0, 0, 0, 0xffff, 0x102, 0xff00);
	CHECK_INET6("10:100:1000:f:fedc:ba98:76:5", 0x10, 0x100, 0x1000, 0xf, 0xfedc, 0xba98, 0x76,
		    5);
}

/* Numbers of 32 bits in a word of 64, whose upper half is rubbish. */
TEST(what_is_above_a_number_is_no_part_of_it)
{
	const uint64_t rubbish = UINT64_C(0xabcd1234) << 32;

	if (sizeof(long) < 8)
		SKIP("there are no words of 64 bits");
	CHECK_WORDS("(-1) → -1 EBADF", -EBADF, SYS_close, (long)(rubbish | UINT32_MAX));
	CHECK_WORDS("(3, 4, O_CLOEXEC) → 4", 4, SYS_dup3, (long)(rubbish | 3),
		    (long)(rubbish | 4), (long)(rubbish | O_CLOEXEC));
	CHECK_WORDS("(12, SIGUSR1) → 0", 0, SYS_kill, (long)(rubbish | 12),
		    (long)(rubbish | SIGUSR1));
	CHECK_WORDS("(AT_FDCWD, \"f\", 0644) → 0", 0, SYS_fchmodat,
		    (long)(rubbish | (uint32_t)AT_FDCWD), (long)"f", (long)(rubbish | 0644));
	CHECK_WORDS("(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0) → 3", 3, SYS_socket,
		    (long)(rubbish | AF_UNIX), (long)(rubbish | SOCK_STREAM | SOCK_CLOEXEC),
		    (long)rubbish);
	CHECK_WORDS("(-1, 1000, -1) → 0", 0, SYS_setresuid, (long)(rubbish | UINT32_MAX),
		    (long)(rubbish | 1000), -1L);
}

TEST(data_of_epoll_are_whole)
{
	struct epoll_event event = { .events = EPOLLIN,
				     .data.u64 = UINT64_C(0x1122334455667788) };

	CHECK_WORDS("(3, EPOLL_CTL_ADD, 4, {events=EPOLLIN, data=0x1122334455667788}) → 0", 0,
		    SYS_epoll_ctl, 3, EPOLL_CTL_ADD, 4, (long)&event);
	event = (struct epoll_event){ .events = EPOLLET | EPOLLOUT, .data.u64 = UINT32_MAX };
	CHECK_WORDS("(3, EPOLL_CTL_MOD, 4, {events=EPOLLOUT|EPOLLET, data=0xffffffff}) → 0", 0,
		    SYS_epoll_ctl, 3, EPOLL_CTL_MOD, 4, (long)&event);
}

/* One less than are shown of an array, as many, and one more. */
TEST(arrays_are_cut_behind_32)
{
	struct epoll_event events[33];
	char text[ROOM], *at = text;

	for (unsigned i = 0; i < 33; i++)
		events[i] = (struct epoll_event){ EPOLLIN, { .u64 = (i + UINT64_C(1)) << 32 } };
	at += sprintf(at, "(3, [");
	for (unsigned i = 0; i < 32; i++)
		at += sprintf(at, "%s{events=EPOLLIN, data=%#llx}", i > 0 ? ", " : "",
			      (i + 1ULL) << 32);
	whole(MADE(SYS_epoll_pwait, 3, (long)events, 33, -1, 0, 8), 33, true);
	CHECK(strncmp(room, text, (size_t)(at - text)) == 0);
	CHECK(strncmp(room + (at - text), ", ...], 33, -1, NULL, 8) → 33", 20) == 0);
	whole(MADE(SYS_epoll_pwait, 3, (long)events, 33, -1, 0, 8), 32, true);
	CHECK(strncmp(room, text, (size_t)(at - text)) == 0);
	CHECK(strncmp(room + (at - text), "], 33, -1, NULL, 8) → 32", 20) == 0);
	CHECK_WORDS("(3, [], 33, -1, NULL, 8) → 0", 0, SYS_epoll_pwait, 3, (long)events, 33, -1,
		    0, 8);
	CHECK_WORDS("(3, [{events=EPOLLIN, data=0x100000000}], 33, -1, NULL, 8) → 1", 1,
		    SYS_epoll_pwait, 3, (long)events, 33, -1, 0, 8);
}

TEST(parts_are_cut_behind_32)
{
	struct iovec parts[33];
	char text[ROOM], *at = text;

	for (unsigned i = 0; i < 33; i++)
		parts[i] = (struct iovec){ (void *)"ab", i % 3 };
	at += sprintf(at, "(3, [");
	for (unsigned i = 0; i < 32; i++)
		at += sprintf(at, "%s{iov_base=\"%.*s\", iov_len=%u}", i > 0 ? ", " : "",
			      (int)(i % 3), "ab", i % 3);
	whole(MADE(SYS_writev, 3, (long)parts, 32), 31, true);
	CHECK(strncmp(room, text, (size_t)(at - text)) == 0);
	CHECK_STR(room + (at - text), "], 32) → 31");
	whole(MADE(SYS_writev, 3, (long)parts, 33), 33, true);
	CHECK(strncmp(room, text, (size_t)(at - text)) == 0);
	CHECK_STR(room + (at - text), ", ...], 33) → 33");
	CHECK_WORDS("(3, [], 0) → 0", 0, SYS_writev, 3, (long)parts, 0);
	CHECK_WORDS("(3, NULL, 1) → -1 EFAULT", -EFAULT, SYS_writev, 3, 0, 1);
	/* What is read fills the parts one after the other. */
	parts[0] = parts[1] = parts[2] = (struct iovec){ (void *)"ab", 2 };
	CHECK_WORDS("(3, [{iov_base=\"ab\", iov_len=2}, {iov_base=\"a\", iov_len=2}, "
		    "{iov_base=\"\", iov_len=2}], 3) → 3", 3, SYS_readv, 3, (long)parts, 3);
}

/* As poll() shows what is ready: no more than 32, of those in the first 1,024. */
TEST(what_is_ready_of_many)
{
	static struct pollfd many[1025];
	const char *end;

	for (int i = 0; i < 1025; i++)
		many[i] = (struct pollfd){ i, POLLIN, 0 };
	many[31].revents = many[32].revents = many[1023].revents = many[1024].revents = POLLHUP;
	whole(MADE(SYS_ppoll, (long)many, 1025, 0, 0, 8), 4, true);
	end = strstr(room, " → ");
	CHECK(end != NULL);
	CHECK_STR(end, " → 4 ([{fd=31, revents=POLLHUP}, {fd=32, revents=POLLHUP}, "
		       "{fd=1023, revents=POLLHUP}])");
	many[0] = (struct pollfd){ -1, POLLIN, 0 };
	many[1] = (struct pollfd){ 1, (short)0x8000, (short)0x8001 };
	CHECK_WORDS("([{fd=-1}, {fd=1, events=0x8000}], 2, NULL, NULL, 8) → "
		    "1 ([{fd=1, revents=POLLIN|0x8000}])", 1, SYS_ppoll, (long)many, 2, 0, 0, 8);
}

/* The last descriptor of a word, the first of the next one, and as many as a set has. */
TEST(sets_of_descriptors_end_where_the_count_does)
{
	static fd_set set;
	const long last = FD_SETSIZE - 1;

	FD_ZERO(&set);
	FD_SET(0, &set);
	FD_SET(63, &set);
	FD_SET(64, &set);
	FD_SET(last, &set);
	CHECK_WORDS("(63, [0], NULL, NULL, NULL, NULL) → 1 (in [0])", 1, SYS_pselect6, 63,
		    (long)&set, 0, 0, 0, 0);
	CHECK_WORDS("(64, [0 63], NULL, NULL, NULL, NULL) → 2 (in [0 63])", 2, SYS_pselect6, 64,
		    (long)&set, 0, 0, 0, 0);
	CHECK_WORDS("(65, NULL, [0 63 64], NULL, NULL, NULL) → 3 (out [0 63 64])", 3,
		    SYS_pselect6, 65, 0, (long)&set, 0, 0, 0);
	CHECK_WORDS("(1'023, NULL, NULL, [0 63 64], NULL, NULL) → 3 (except [0 63 64])", 3,
		    SYS_pselect6, last, 0, 0, (long)&set, 0, 0);
	CHECK_WORDS("(1'024, [0 63 64 1023], NULL, NULL, NULL, NULL) → 4 (in [0 63 64 1023])", 4,
		    SYS_pselect6, FD_SETSIZE, (long)&set, 0, 0, 0, 0);
	CHECK_WORDS("(0, [], NULL, NULL, NULL, NULL) → 0", 0, SYS_pselect6, 0, (long)&set, 0, 0,
		    0, 0);
	CHECK_WORDS("(-1, [], NULL, NULL, NULL, NULL) → -1 EINVAL", -EINVAL, SYS_pselect6, -1,
		    (long)&set, 0, 0, 0, 0);
}

/* Good and bad places: a page without one behind it, a page without read permission, none. */
static long places[10];

static void make_places(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	for (size_t i = 0; i < 3 * page; i++)
		memory[i] = (char)rand();
	/* Of what points back into the page. */
	for (size_t i = 0; i < page; i += 4 * sizeof(char *))
		*(char **)(void *)(memory + page + i) = memory + (size_t)rand() % (3 * page);
	memset(memory + 2 * page - 64, 'a', 64);
	mprotect(memory + 2 * page, page, PROT_NONE);
	munmap(memory + 3 * page, page);
	places[0] = (long)memory;
	places[1] = (long)memory + 16;
	places[2] = (long)(memory + page);
	places[3] = (long)(memory + 2 * page - 1);
	places[4] = (long)(memory + 2 * page - 24);
	places[5] = (long)(memory + 2 * page);
	places[6] = (long)(memory + 3 * page);
	places[7] = -1;
	places[8] = LONG_MIN;
	places[9] = NOWHERE;
}

static long any_word(void)
{
	switch (rand() % 4) {
	case 0:
		return places[rand() % 10];
	case 1:
		return rand() % 64;
	case 2:
		return (long)((uint64_t)rand() << 33 ^ (uint64_t)rand() << 16);
	default:
		return places[rand() % 5];
	}
}

/* Put CALL into SIZE bytes, between others that stay.  Returns how many it took. */
static size_t put_in(const struct wcm_system_call *call, bool is_lost, size_t size)
{
	struct wcm_system_call copy = *call;

	memset(room, '#', sizeof(room));
	wcm__words_init(&words, room, size);
	wcm__system_words_given(&words, &copy);
	if (is_lost)
		copy.result = WCM_SYSTEM_NEVER;
	wcm__system_words_back(&words, &copy);
	CHECK(copy.told <= WCM_SYSTEM_ARGUMENTS);
	CHECK(wcm__words_length(&words) <= size);
	CHECK_EQ(room[wcm__words_length(&words)], '#');
	for (size_t i = size; i < sizeof(room); i++)
		CHECK_EQ(room[i], '#');
	return wcm__words_length(&words);
}

static void put_any(long number)
{
	struct wcm_system_call call = { .number = number };
	bool is_lost = rand() % 8 == 0;
	char whole_text[ROOM];
	size_t length, cut;

	for (unsigned i = 0; i < WCM_SYSTEM_ARGUMENTS; i++)
		call.argument[i] = any_word();
	call.result = rand() % 3 == 0 ? any_word() : rand() % 300 - 200;
	is_lost |= call.result == WCM_SYSTEM_NEVER;
	length = put_in(&call, is_lost, ROOM);
	if (!words.is_cut) {
		const char *text = is_lost ? ")" : " → ";

		CHECK_EQ(room[0], '(');
		room[length] = '\0';
		CHECK(strstr(room, text) != NULL);
	}
	memcpy(whole_text, room, length);
	cut = put_in(&call, is_lost, (size_t)rand() % (length + 1));
	CHECK(memcmp(whole_text, room, cut) == 0);
}

TEST(no_memory_makes_it_fault)
{
	enum { ROUNDS = 40 };

	srand(7);
	make_places();
	for (unsigned round = 0; round < ROUNDS; round++)
		for (long number = -1; number <= WCM_SYSTEM_CALLS; number++)
			put_any(number);
}

RUN(names_are_the_kernels, the_articles_lines, memory_is_mapped, an_error_has_its_name,
    bits_without_a_name_are_hexadecimal, what_the_kernel_gives_is_told_later,
    a_call_may_never_come_back, without_data_there_are_addresses, signals_and_sets,
    calls_with_fewer_arguments, a_number_without_a_name_has_six_words, addresses_of_each_size,
    structs_of_each_size,
    what_is_not_filled_is_an_address,
    what_is_above_a_command_is_no_part_of_it, addresses_longer_than_their_structs,
    the_longest_zeros_are_left_out,
    what_is_above_a_number_is_no_part_of_it, data_of_epoll_are_whole, arrays_are_cut_behind_32,
    parts_are_cut_behind_32, what_is_ready_of_many,
    sets_of_descriptors_end_where_the_count_does, no_memory_makes_it_fault)
