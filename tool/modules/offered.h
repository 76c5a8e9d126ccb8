/* SPDX-License-Identifier: MIT */
/* offered.h - has libdw take a file that it would not find, or not read.
 *
 * libdw opens split debug data itself, by two names that it makes; whatever else is known of
 * where the file is, or of what has to be left out of it, it cannot be told.  So open(2) is this
 * program's own, and answers with the file that is offered.
 */
#ifndef WCM_TOOL_OFFERED_H
#define WCM_TOOL_OFFERED_H

/* Until it is called with -1, open(2) of any file whose name ends with that of PATH's file
 * opens FD once more, and no other file can be opened to be read: libdw, from 0.191 on, would
 * sooner take a package beside the program, whoever has put it there. */
void offer_file(int fd, const char *path);

#endif
