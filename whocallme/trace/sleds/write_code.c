/* SPDX-License-Identifier: MIT */
/* write_code.c (SAFE) - changes code that is mapped.
 *
 * Code is written through /proc/self/mem, which leaves its protection as it is; where that
 * is not to be had, it is made writable for the moment.  Where a process may make no memory
 * executable any more (PR_SET_MDWE), that would be for ever, and is left.
 */
#include "trace/sleds/write_code.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "core/arch/arch.h"
#include "core/os/auxv.h"
#include "core/os/file.h"
#include "core/os/kernel.h"
#include "core/os/memory.h"
#include "core/os/missing.h"
#include "core/os/process.h"
#include "core/os/read.h"

int wcm__code_open(void)
{
	return wcm__open("/proc/self/mem", O_RDWR | O_CLOEXEC);
}

static long write_memory(int fd, uintptr_t at, const uint8_t *bytes, size_t size)
{
	const long written = wcm__pwrite(fd, bytes, size, at);

	return written == (long)size ? 0 : written < 0 ? written : -EIO;
}

static bool may_not_execute_again(void)
{
	return wcm__prctl(PR_GET_MDWE, 0, 0) > 0;
}

/* What other threads may execute meanwhile is a word at most, and written by one store. */
static void store(uintptr_t at, const uint8_t *bytes, size_t size)
{
	uint32_t word;

	if (size != sizeof(word) || at % sizeof(word) != 0) {
		memcpy((void *)at, bytes, size);
		return;
	}
	memcpy(&word, bytes, sizeof(word));
	__atomic_store_n((uint32_t *)at, word, __ATOMIC_RELAXED);
}

static long write_protected(uintptr_t at, const uint8_t *bytes, size_t size)
{
	const uintptr_t lo = at & ~((uintptr_t)wcm__auxv(AT_PAGESZ) - 1);
	const size_t span = at + size - lo;
	long error;

	if (may_not_execute_again())
		return -EACCES;
	error = wcm__mprotect((void *)lo, span, PROT_READ | PROT_WRITE | PROT_EXEC);
	if (error != 0)
		return error;
	store(at, bytes, size);
	return wcm__mprotect((void *)lo, span, PROT_READ | PROT_EXEC);
}

long wcm__code_write(int fd, uintptr_t at, const uint8_t *bytes, size_t size)
{
	long error = 0;

	if (fd < 0 || write_memory(fd, at, bytes, size) != 0)
		error = write_protected(at, bytes, size);
	wcm__arch_code_written(at, size);
	return error;
}

/* Other CPUs may have decoded what was there (Intel SDM volume 3, 9.1.3). */
void wcm__code_synchronise(void)
{
	enum { REGISTER = MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE,
	       SYNC_CORE = MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE };

	if (wcm__membarrier(SYNC_CORE) == -EPERM && wcm__membarrier(REGISTER) == 0)
		wcm__membarrier(SYNC_CORE);
}
