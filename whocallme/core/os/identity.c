/* SPDX-License-Identifier: MIT */
/* identity.c (SAFE) - notes the process's root directory, ids and capabilities, and tells
 * whether they have changed.
 *
 * A process that has changed one of them since its start may find another file at a path
 * than the one it was started with, and may run it with rights that the file's owner does
 * not have.  What cannot be found out counts as changed.
 */
#include "core/os/identity.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "core/os/file_id.h"
#include "core/os/process.h"

enum { REAL, EFFECTIVE, SAVED, IDS };

struct identity {
	struct wcm_file_id root;
	uint32_t user[IDS], group[IDS];
	uint32_t capabilities[6]; /* effective, permitted, inheritable, twice 32 */
	long error;               /* of what cannot be found out, or 0 */
};

static struct identity at_start;
static bool noted;

static long find_root(struct wcm_file_id *root)
{
	struct wcm_file_status status;
	long error = wcm__file_status(AT_FDCWD, "/", &status);

	*root = wcm__file_id(&status);
	return error;
}

static long find_ids(long number, uint32_t ids[IDS])
{
	return WCM_SYSCALL(number, &ids[REAL], &ids[EFFECTIVE], &ids[SAVED]);
}

static long find_capabilities(uint32_t sets[6])
{
	/* The kernel's struct __user_cap_header_struct. */
	const struct {
		uint32_t version;
		int pid;
	} header = { .version = 0x20080522 }; /* _LINUX_CAPABILITY_VERSION_3 */

	return WCM_SYSCALL(SYS_capget, &header, sets);
}

static void find(struct identity *identity)
{
	memset(identity, 0, sizeof(*identity));
	identity->error = find_root(&identity->root);
	if (identity->error == 0)
		identity->error = find_ids(WCM_SYS_IDS(getresuid), identity->user);
	if (identity->error == 0)
		identity->error = find_ids(WCM_SYS_IDS(getresgid), identity->group);
	if (identity->error == 0)
		identity->error = find_capabilities(identity->capabilities);
}

__attribute__((constructor)) void wcm__identity_note(void)
{
	if (noted)
		return;
	find(&at_start);
	noted = true;
}

static bool same_ids(const uint32_t now[IDS], const uint32_t before[IDS], uint32_t file)
{
	return memcmp(now, before, IDS * sizeof(*now)) == 0 && now[EFFECTIVE] == file;
}

/* The ids for files, which setfsuid(2) alone tells, are those of a new socket. */
long wcm__identity_check(int fd)
{
	struct identity now;
	struct wcm_file_status socket;

	find(&now);
	if (now.error == 0)
		now.error = at_start.error;
	if (now.error == 0)
		now.error = wcm__file_status(fd, "", &socket);
	if (now.error != 0)
		return now.error;
	if (!wcm__file_is(&now.root, &at_start.root))
		return -WCM_CHANGED_ROOT;
	if (!same_ids(now.user, at_start.user, socket.owner) ||
	    !same_ids(now.group, at_start.group, socket.group))
		return -WCM_CHANGED_IDS;
	if (memcmp(now.capabilities, at_start.capabilities,
		   sizeof(now.capabilities)) != 0)
		return -WCM_CHANGED_CAPABILITIES;
	return 0;
}

uint32_t wcm__identity_user(void)
{
	return at_start.user[REAL];
}

static long become_real(long number, const uint32_t ids[IDS])
{
	if (ids[EFFECTIVE] == ids[REAL] && ids[SAVED] == ids[REAL])
		return 0;
	return WCM_SYSCALL(number, ids[REAL], ids[REAL], ids[REAL]);
}

long wcm__identity_reduce(void)
{
	long error = wcm__prctl(PR_SET_NO_NEW_PRIVS, 1, 0);

	if (error == 0 && at_start.user[REAL] != 0) {
		/* A kernel without them has none to keep. */
		wcm__prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0);
		error = become_real(WCM_SYS_IDS(setresgid), at_start.group);
		if (error == 0)
			error = become_real(WCM_SYS_IDS(setresuid), at_start.user);
	}
	return error;
}
