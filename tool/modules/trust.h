/* SPDX-License-Identifier: MIT */
/* trust.h - decides whose debug data is believed.
 *
 * Beside a program in /tmp, or in the folder that it was built in, others can put debug
 * data of its build-id.  What that says is shown, and the source that it names is read
 * with the rights of who asks: so it must be of somebody who could change the program.
 */
#ifndef WCM_TOOL_TRUST_H
#define WCM_TOOL_TRUST_H

#include <sys/stat.h>
#include <sys/types.h>

/* Why a file of that STATUS is not believed about a program of the user OWNER, or NULL. */
const char *distrust_file(const struct stat *status, uid_t owner);

/* Why the file at PATH, which is absolute and will be opened by its name, is not; NULL
 * where it is not there. */
const char *distrust_path(const char *path, uid_t owner);

#endif
