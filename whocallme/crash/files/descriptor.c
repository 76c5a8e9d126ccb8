/* SPDX-License-Identifier: MIT */
/* descriptor.c (SAFE) - checks that the report's descriptor still is the file that it was at
 * install.
 *
 * A program may close its stderr, and the next file that it opens gets the number: a
 * database, a client's socket.  So the file behind the descriptor is noted at install,
 * and nothing is written to another.
 */
#include "crash/files/descriptor.h"

#include <errno.h>
#include <string.h>

#include "core/os/file.h"
#include "core/os/file_id.h"
#include "format/path.h"
#include "format/words.h"

/* The parts of a device's number, as glibc and the kernel have it in struct stat. */
static uint64_t device_of(uint64_t number)
{
	const uint64_t major = (number >> 8 & 0xfff) | (number >> 32 & ~UINT64_C(0xfff));
	const uint64_t minor = (number & 0xff) | (number >> 12 & 0xffffff00);

	return major << 32 | minor;
}

/* For a sandbox that knows no statx(2). */
static long note_by_stat(struct wcm_descriptor *noted)
{
	struct stat status = { 0 };
	const int error = wcm__fstat(noted->fd, &status);

	if (error < 0)
		return error;
	noted->type = status.st_mode & S_IFMT;
	noted->device = device_of(status.st_dev);
	noted->inode = status.st_ino;
	return 0;
}

static long note(struct wcm_descriptor *noted)
{
	struct wcm_file_status status;
	struct wcm_file_id id;
	long error = wcm__file_status(noted->fd, "", &status);

	if (error == -EBADF)
		return error;
	if (error < 0)
		return note_by_stat(noted);
	id = wcm__file_id(&status);
	noted->type = status.mode & S_IFMT;
	noted->device = id.device;
	noted->inode = id.inode;
	noted->has_birth = status.known & WCM_FILE_BIRTH;
	noted->born = status.born;
	noted->born_ns = status.born_ns;
	return 0;
}

void wcm__descriptor_note(struct wcm_descriptor *noted, int fd)
{
	long error;

	*noted = (struct wcm_descriptor){ .fd = fd };
	error = note(noted);
	noted->state = error == 0	 ? WCM_DESCRIPTOR_OPEN
		       : error == -EBADF ? WCM_DESCRIPTOR_CLOSED
					 : WCM_DESCRIPTOR_UNKNOWN;
}

static bool is_file(const struct wcm_descriptor *a, const struct wcm_descriptor *b)
{
	return a->type == b->type && a->device == b->device && a->inode == b->inode &&
	       !(a->has_birth && b->has_birth &&
		 (a->born != b->born || a->born_ns != b->born_ns));
}

bool wcm__descriptor_is_another(const struct wcm_descriptor *noted)
{
	struct wcm_descriptor now;

	wcm__descriptor_note(&now, noted->fd);
	if (noted->state == WCM_DESCRIPTOR_UNKNOWN || now.state == WCM_DESCRIPTOR_UNKNOWN)
		return false;
	return now.state != noted->state ||
	       (now.state == WCM_DESCRIPTOR_OPEN && !is_file(&now, noted));
}

bool wcm__is_terminal(int fd)
{
	enum { GET_ATTRIBUTES = 0x5401 /* TCGETS */ };
	char attributes[256]; /* struct termios of any CPU */

	return wcm__ioctl(fd, GET_ATTRIBUTES, attributes) == 0;
}

enum { LONGEST_TERMINAL = 32 };

/* The name of the terminal of DEVICE, a number of the kernel's; false where it has none
 * that is known here (Documentation/admin-guide/devices.txt). */
static bool name_terminal(unsigned device, char name[LONGEST_TERMINAL])
{
	const unsigned major = device >> 8 & 0xfff;
	const unsigned minor = (device & 0xff) | (device >> 12 & 0xfff00);
	static const char console[] = "/dev/tty", serial[] = "/dev/ttyS", pty[] = "/dev/pts/";
	enum { CONSOLES = 4, FIRST_SERIAL = 64, PTYS = 136, LAST_PTYS = 143 };
	const char *prefix = console;
	unsigned number = minor;

	if (major >= PTYS && major <= LAST_PTYS)
		prefix = pty, number += (major - PTYS) * 256;
	else if (major != CONSOLES)
		return false;
	else if (minor >= FIRST_SERIAL)
		prefix = serial, number -= FIRST_SERIAL;
	wcm__format_numbered(name, LONGEST_TERMINAL, prefix, number, "");
	return true;
}

/* Whether who reads the terminal FD is this user, or root.  It is open by the name that
 * all terminals have. */
static bool is_trusted(int fd)
{
	const long get_device = 0x80045432; /* TIOCGDEV */
	unsigned device = 0;
	char name[LONGEST_TERMINAL];
	struct stat status;

	return wcm__ioctl(fd, get_device, &device) == 0 && name_terminal(device, name) &&
	       wcm__fstatat(AT_FDCWD, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISCHR(status.st_mode) && status.st_rdev == device &&
	       wcm__path_is_trusted(status.st_uid);
}

/* What is called so may be anything in a root directory that others have made; and the
 * terminal may be of another user, who has had the program started by sudo(8), and whom
 * its stderr was to be kept from. */
int wcm__descriptor_terminal(void)
{
	const int fd = wcm__open("/dev/tty",
				 O_WRONLY | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (wcm__is_terminal(fd) && is_trusted(fd))
		return fd;
	wcm__close(fd);
	return -1;
}
