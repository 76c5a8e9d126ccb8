/* SPDX-License-Identifier: MIT */
/* brought.c - what a client of the agent has made and brings for a trace to write to.
 *
 * The program may start a trace of its own at any time.  The output's address tells the client's,
 * which no other has.
 */
#include "trace/process/brought.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>

#include "format/proof.h"

static struct {
	const char *output;
	const struct wcm_brought *brought;
} lent;

void wcm__brought_lend(const char *output, const struct wcm_brought *brought)
{
	__atomic_store_n(&lent.output, NULL, __ATOMIC_RELEASE);
	lent.brought = brought;
	__atomic_store_n(&lent.output, output, __ATOMIC_RELEASE);
}

const struct wcm_brought *wcm__brought_for(const char *output)
{
	return output && output == __atomic_load_n(&lent.output, __ATOMIC_ACQUIRE) ? lent.brought
										   : NULL;
}

static bool is_list(int fd)
{
	const int needed = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK;
	const int seals = fd >= 0 ? fcntl(fd, F_GET_SEALS) : -1;

	return seals >= 0 && (seals & needed) == needed;
}

struct wcm_brought wcm__brought_sort(const int file[WCM_AGENT_MOST_FILES])
{
	const bool is_first = is_list(file[0]);

	return (struct wcm_brought){ .file = is_first ? -1 : file[0],
				     .list = is_first ? file[0] :
					     is_list(file[1]) ? file[1] : -1 };
}

bool wcm__brought_is_file(int fd)
{
	struct stat found;

	return fd >= 0 && fstat(fd, &found) == 0 && S_ISREG(found.st_mode) &&
	       (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;
}

bool wcm__brought_is_marker(int fd)
{
	struct stat found;

	return wcm__brought_is_file(fd) && fstat(fd, &found) == 0 && found.st_size == 0 &&
	       found.st_nlink == 1;
}

bool wcm__brought_is_in(int fd, int folder)
{
	struct stat file, there;

	return wcm__brought_is_marker(fd) && fstat(fd, &file) == 0 &&
	       fstatat(folder, WCM_MARKER, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	       file.st_dev == there.st_dev && file.st_ino == there.st_ino;
}
