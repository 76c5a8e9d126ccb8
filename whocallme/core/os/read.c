/* SPDX-License-Identifier: MIT */
/* read.c (SAFE) - reads words of our own memory without faulting.
 *
 * process_vm_readv(2) copies from our own address space and answers EFAULT where a load
 * would fault, with no gap between asking and reading.  Where a seccomp filter forbids it,
 * rt_sigprocmask(2) is asked first: with an invalid HOW it reads the mask at the address it
 * is given and changes nothing.  It takes a tenth of the time of the other call, so the
 * pages of a stack are asked about by it in any case.
 */
#include "core/os/read.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "core/arch/arch.h"
#include "core/os/kernel_action.h"
#include "core/os/self.h"

enum { KERNEL_SIGSET = 8 };

/* A null pointer would ask for no mask at all; its page answers at the next
 * word. */
static long ask_for_mask(uintptr_t addr)
{
	const long invalid_how = -1;
	uintptr_t at = addr ? addr : KERNEL_SIGSET;

	return WCM_SYSCALL(SYS_rt_sigprocmask, invalid_how, at, 0, KERNEL_SIGSET);
}

static bool probe_word(uintptr_t addr)
{
	return ask_for_mask(addr) != -EFAULT;
}

/* Whether every page that [addr, addr + size) touches is readable. */
static bool probe_range(uintptr_t addr, size_t size)
{
	uintptr_t end = addr + size;

	for (uintptr_t at = addr & ~(uintptr_t)(KERNEL_SIGSET - 1); at < end;
	     at = (at & ~(WCM_PAGE - 1)) + WCM_PAGE)
		if (!probe_word(at))
			return false;
	return true;
}

__attribute__((no_sanitize("address"))) static bool
probe_and_copy(uintptr_t addr, void *buf, size_t size)
{
	volatile unsigned char *to = buf;
	const volatile unsigned char *from = (const unsigned char *)addr;

	if (!probe_range(addr, size))
		return false;
	for (size_t i = 0; i < size; i++)
		to[i] = from[i];
	return true;
}

static long read_vectors(const struct iovec *local, const struct iovec *remote,
			 unsigned long count)
{
	long pid = wcm__process_id();

	return WCM_SYSCALL(SYS_process_vm_readv, pid, local, 1, remote, count);
}

static bool is_refused(long result)
{
	return result < 0 && result != -EFAULT;
}

bool wcm__read_memory(uintptr_t addr, void *buf, size_t size)
{
	struct iovec local = { buf, size }, remote = { (void *)addr, size };
	long result;

	if (addr + size < addr)
		return false;
	result = read_vectors(&local, &remote, 1);
	if (is_refused(result))
		return probe_and_copy(addr, buf, size);
	return result == (long)size;
}

/* Whether Linux itself answers, and neither a seccomp filter nor an emulator that
 * checks something else: valgrind takes a set of no size for rt_sigaction(2), and would
 * say on stderr each time what it thinks of HOW. */
static bool probe_is_true(void)
{
	enum { UNKNOWN, TRUE, FALSE };
	static unsigned char answer;
	unsigned char known = __atomic_load_n(&answer, __ATOMIC_RELAXED);

	if (known == UNKNOWN) {
		const uintptr_t here = (uintptr_t)__builtin_frame_address(0);

		known = wcm__kernel_is_linux() && ask_for_mask(0) == -EFAULT &&
					ask_for_mask(here) == -EINVAL
				? TRUE
				: FALSE;
		__atomic_store_n(&answer, known, __ATOMIC_RELAXED);
	}
	return known == TRUE;
}

/* A probe takes a tenth of what process_vm_readv(2) does. */
bool wcm__can_read_word(uintptr_t addr)
{
	long result = probe_is_true() ? ask_for_mask(addr) : -ENOSYS;
	uintptr_t word;

	if (result == -EINVAL || result == -EFAULT)
		return result == -EINVAL;
	return wcm__read_memory(addr, &word, sizeof(word));
}

static size_t count_by_probe(uintptr_t start, uintptr_t end)
{
	size_t count = 0;

	while (start + count * WCM_PAGE < end &&
	       probe_word(start + count * WCM_PAGE))
		count++;
	return count;
}

size_t wcm__count_readable_pages(uintptr_t start, uintptr_t end)
{
	enum { BATCH = 64 };
	size_t count = 0, wanted = (end - start) / WCM_PAGE;

	while (count < wanted) {
		size_t batch = wanted - count < BATCH ? wanted - count : BATCH;
		char sink[BATCH];
		struct iovec local = { sink, batch }, remote[BATCH];
		long result;

		for (size_t i = 0; i < batch; i++)
			remote[i] = (struct iovec){
				(void *)(start + (count + i) * WCM_PAGE), 1
			};
		result = read_vectors(&local, remote, batch);
		if (is_refused(result))
			return count + count_by_probe(start + count * WCM_PAGE,
						      end);
		if (result > 0)
			count += (size_t)result;
		if (result != (long)batch)
			break;
	}
	return count;
}
