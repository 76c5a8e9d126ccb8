/* SPDX-License-Identifier: MIT */
/* scratch.h - makes a temporary folder that is removed however the command ends. */
#ifndef WCM_TOOL_SCRATCH_H
#define WCM_TOOL_SCRATCH_H

/* Make one in PARENT, or, NULL, where TMPDIR says.  Returns its path, for scratch_remove(); NULL,
 * after a line on stderr, where that failed.  There is one at a time. */
char *scratch_make(const char *parent);

/* A descriptor of it, whatever has become of its name. */
int scratch_folder(void);

/* Remove DIR, or NULL, and the files in it. */
void scratch_remove(char *dir);

#endif
