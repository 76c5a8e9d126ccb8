/* SPDX-License-Identifier: MIT */
/* serve.h - a conversation with a program that asks for lines. */
#ifndef WCM_TOOL_SERVE_H
#define WCM_TOOL_SERVE_H

#include "resolve/frame_lines.h"

/* Answer the requests on stdin, on stdout, as format/lines_protocol.h has them,
 * until there are no more or nobody reads the answers.  Returns the exit status. */
int serve(struct resolver *resolver);

#endif
