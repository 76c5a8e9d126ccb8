/* SPDX-License-Identifier: MIT */
/* recording_info.h - reads the file info: the kind of a recording, and what was
 * recorded.
 */
#ifndef WCM_TOOL_RECORDING_INFO_H
#define WCM_TOOL_RECORDING_INFO_H

#include "recording/recording_data.h"

/* Read file "info".  False, after a line on stderr, where the recording is of a kind
 * that cannot be read. */
bool recording_read_info(struct recording *recording);

#endif
