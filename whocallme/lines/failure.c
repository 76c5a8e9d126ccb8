/* SPDX-License-Identifier: MIT */
/* failure.c (SAFE) - says why there are no lines, in words that help: what failed, and where.
 *
 * The resolver is a separate program, which the library finds by path and starts.  Most
 * reasons concern its file or directories, or ids and root that changed since start.
 */
#include "lines/failure.h"

#include <errno.h>

#include "core/os/identity.h"
#include "format/own_line.h"
#include "format/path.h"
#include "lines/spawn.h"

static const char *reason_of(int error)
{
	static const struct {
		int error;
		const char *text;
	} reasons[] = {
		{ ENOENT, "no such file; WHOCALLME_HELPER says where it is" },
		{ ENOTDIR, "no such file; WHOCALLME_HELPER says where it is" },
		{ ELOOP, "it leads through too many symbolic links" },
		{ EACCES, "permission denied" },
		{ EPERM, "not permitted here" },
		{ ENOEXEC, "not a program of this machine" },
		{ ENOSYS, "no process can be started here" },
		{ ECHILD, "no process can be started here" },
		{ EAGAIN, "there are too many processes" },
		{ ENOMEM, "out of memory" },
		{ EMFILE, "too many files are open" },
		{ ENFILE, "too many files are open" },
		{ WCM_PATH_OF_ANOTHER,
		  "it, or a directory above it, belongs to another user" },
		{ WCM_PATH_WRITABLE, "others may write it, or a directory above it" },
		{ WCM_SPAWN_EXCHANGED,
		  "it is not the file that was there at the start" },
		{ WCM_CHANGED_ROOT,
		  "the process has another root directory than at its start" },
		{ WCM_CHANGED_IDS,
		  "the process has other user or group ids than at its start" },
		{ WCM_CHANGED_CAPABILITIES,
		  "the process has other capabilities than at its start" },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].error == error)
			return reasons[i].text;
	return NULL;
}

struct wcm_failure wcm__failure_to_start(const char *path, int error)
{
	struct wcm_failure failure = { .path = path, .reason = reason_of(-error) };

	if (!failure.reason) {
		failure.reason = "cannot be started, error ";
		failure.error = -(int64_t)error;
	}
	return failure;
}

void wcm__failure_add(struct wcm_line *line, const char *heading,
		      const struct wcm_failure *failure)
{
	wcm__line_text(line, WCM_OWN_LINE);
	wcm__line_text(line, heading);
	wcm__line_text(line, ": ");
	if (failure->path) {
		wcm__line_name(line, failure->path);
		wcm__line_text(line, ": ");
	}
	wcm__line_text(line, failure->reason);
	if (failure->error)
		wcm__line_decimal(line, failure->error);
	if (failure->words) {
		wcm__line_text(line, ": ");
		wcm__line_name(line, failure->words);
	}
	wcm__line_text(line, "\n");
}
